"""Contexts of coverage.py: which tests ran which lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

from assay.validators.errors import UnreadableCoverage
from assay.validators.io.json_parts import inner, number
from assay.validators.languages.python.module_files import files_of, is_module
from assay.validators.tools.coverage.coverage_py_data import contexts_in, is_coverage_py_data
from assay.validators.tools.coverage.files import content_of
from assay.validators.tools.coverage.formats import json_object
from assay.validators.tools.readers.tree_paths import TreePaths

MOST_CONTEXTS = 20_000_000
"""Maximum pairs of a line and a context."""


def read_contexts(path: Path, tree_paths: Collection[str]) -> dict[str, dict[int, set[str]]]:
    """Return path -> line -> test files, from coverage.py's data file or its JSON report; "" is outside any test.

    Raises:
        UnreadableCoverage: The file cannot be read, or has no contexts; the message names it.
    """
    names = _TestFiles(tree_paths)
    found: dict[str, dict[int, set[str]]] = {}
    try:
        data = content_of(path)
        read = contexts_in(data) if is_coverage_py_data(data) else _in_report(data)
        for count, (written, context, line) in enumerate(read):
            if count > MOST_CONTEXTS:
                raise ValueError(f"more than {MOST_CONTEXTS} contexts")
            place = names.measured(written)
            if place is not None:
                found.setdefault(place, defaultdict(set))[line].add(names.of(context))
    except ValueError as error:
        raise UnreadableCoverage(str(path), str(error)) from None
    if not any(test for lines in found.values() for ran in lines.values() for test in ran):
        raise UnreadableCoverage(str(path), "no contexts of tests: measure with `--cov-context=test`")
    return found


def find_contexts(root: Path, tree_paths: Collection[str], started_at: float) -> dict[str, dict[int, set[str]]] | None:
    """Return the contexts of the data file that a run left at the top of its tree; None without any."""
    data = root / ".coverage"
    try:
        return read_contexts(data, tree_paths) if data.lstat().st_mtime >= started_at else None
    except (OSError, UnreadableCoverage):
        return None


def _in_report(data: bytes) -> Iterator[tuple[str, str, int]]:
    """Yield (path, context, line) of a report of `coverage json --show-contexts`."""
    files = json_object(data).get("files")
    for written, entry in files.items() if isinstance(files, dict) else ():
        contexts = inner(entry, "contexts")
        for line, ran in contexts.items() if isinstance(contexts, dict) else ():
            at = number(line)
            for context in ran if at is not None and isinstance(ran, list) else ():
                if at is not None and isinstance(context, str):
                    yield written, context, at


class _TestFiles:
    """Test files by the names of contexts: `tests/test_a.py::test_x|run` or `tests.test_a.test_x`."""

    def __init__(self, paths: Collection[str]) -> None:
        self.tree = TreePaths(paths)
        self._known: dict[str, str] = {"": ""}
        self._measured: dict[str, str | None] = {}

    def measured(self, written: str) -> str | None:
        """Return the file of the tree that a path of the data means."""
        if written not in self._measured:
            self._measured[written] = self.tree.match(written)
        return self._measured[written]

    def of(self, context: str) -> str:
        """Return the test file of a context; "" if there is none."""
        begin = context.partition("::")[0].partition("|")[0]
        if begin not in self._known:
            self._known[begin] = next((match for name in _spelled(begin) if (match := self.tree.match(name))), "")
        return self._known[begin]


def _spelled(name: str) -> Iterator[str]:
    """Yield the paths that a context's name may mean, the longest first."""
    if is_module(name):
        yield name.replace("\\", "/")
        return
    parts = name.split(".")[:20]
    for size in range(len(parts), 0, -1):
        yield files_of("/".join(parts[:size]))[0]
