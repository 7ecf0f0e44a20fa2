"""Contexts of coverage.py: which tests ran which lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

from assay.validators.errors import UnreadableCoverage
from assay.validators.tools.coverage.coverage_reader import json_object
from assay.validators.tools.coverage.files import content_of
from assay.validators.tools.readers.json_text import inner, number
from assay.validators.tools.tree_paths import TreePaths

MOST_CONTEXTS = 20_000_000
"""Maximum pairs of a line and a context."""


def read_contexts(path: Path, tree_paths: Collection[str]) -> dict[str, dict[int, set[str]]]:
    """Return path -> line -> test files, from a report of `coverage json --show-contexts`; "" is outside any test.

    Raises:
        UnreadableCoverage: The file cannot be read, or has no contexts; the message names it.
    """
    try:
        files = json_object(content_of(path)).get("files")
    except ValueError as error:
        raise UnreadableCoverage(str(path), str(error)) from None
    found: dict[str, dict[int, set[str]]] = {}
    names = _TestFiles(tree_paths)
    left = MOST_CONTEXTS
    for written, entry in files.items() if isinstance(files, dict) else ():
        place = names.tree.match(written.replace("\\", "/"))
        contexts = inner(entry, "contexts")
        if place is None or not isinstance(contexts, dict):
            continue
        lines = found.setdefault(place, defaultdict(set))
        for line, ran in contexts.items():
            left -= len(ran) if isinstance(ran, list) else 1
            if left < 0:
                raise UnreadableCoverage(str(path), f"more than {MOST_CONTEXTS} contexts")
            if (at := number(line)) is not None and isinstance(ran, list):
                lines[at].update(names.of(one) for one in ran if isinstance(one, str))
    if not found:
        raise UnreadableCoverage(str(path), "no contexts: write it with `coverage json --show-contexts`")
    return found


class _TestFiles:
    """Test files by the names of contexts: `tests/test_a.py::test_x|run` or `tests.test_a.test_x`."""

    def __init__(self, paths: Collection[str]) -> None:
        self.tree = TreePaths(paths)
        self._known: dict[str, str] = {"": ""}

    def of(self, context: str) -> str:
        """Return the test file of a context; "" if there is none."""
        begin = context.partition("::")[0].partition("|")[0]
        if begin not in self._known:
            self._known[begin] = next((match for name in _spelled(begin) if (match := self.tree.match(name))), "")
        return self._known[begin]


def _spelled(name: str) -> Iterator[str]:
    """Yield the paths that a context's name may mean, the longest first."""
    if name.endswith(".py"):
        yield name.replace("\\", "/")
        return
    parts = name.split(".")[:20]
    for size in range(len(parts), 0, -1):
        yield "/".join(parts[:size]) + ".py"
