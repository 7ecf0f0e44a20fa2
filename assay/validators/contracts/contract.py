"""Broken contracts inside a tree: symbols a change removes or alters while files of its head still use them.

A language contributes one `Contract`. It compares the changed files of its kind on both sides, and looks for uses in
the files that import them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Protocol

from assay.validators.change import READ_LIMIT, ChangedFile, ChangeSet, FileKind
from assay.validators.classify import Nature
from assay.validators.graph.import_graph import Graphs, ImportGraph
from assay.validators.progress import Deadline
from assay.validators.report.model import NotChecked

MOST_FILES = 1500
"""Files of the head that are searched for uses of what one change broke; the rest are reported as not checked."""
_COPIED = (Nature.vendored, Nature.generated)
FARTHEST = 3
"""Imports followed from a changed file to the files that may use it."""


class BreakKind(StrEnum):
    """How a use is broken; the value is the part of the rule's name."""

    name = "missing-name"
    module = "missing-module"
    arguments = "call-arguments"
    attribute = "missing-attribute"


@dataclass(frozen=True, slots=True)
class Use:
    """A line of the head that relies on a symbol as the base had it; `how` completes "but `file:line` …".

    `file` is where the base defined the symbol, `now` its present signature where the arguments do not match, and
    `receiver` the class (file, qualified name) an attribute is read from where a subclass may have it.
    """

    kind: BreakKind
    file: str
    symbol: str
    path: str
    line: int
    how: str
    is_certain: bool = True
    now: str = ""
    receiver: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Break:
    """A symbol of the base that changed incompatibly, with its uses in the head: all of one kind, file and symbol.

    `head_file` and `line` are the place in the head nearest to the definition; None where the file is gone.
    """

    uses: tuple[Use, ...]
    head_file: str | None = None
    line: int | None = None


class Contract(Protocol):
    """Symbols of one language: what a file offers, and which uses of it are certain."""

    @property
    def name(self) -> str:
        """The register key: the language's name in `LANGUAGES`."""

    @property
    def covers(self) -> frozenset[str]:
        """The rows of the table of languages it reads."""

    def breaks(self, search: Search) -> Iterator[Break | NotChecked]:
        """Every break the change introduces in the files of the search. Raises `OutOfTime`."""


class Search:
    """What the search for breaks has in common in every language.

    `kept` are the paths of files on both sides, `gone` those that the head does not have any more.
    """

    def __init__(self, change: ChangeSet, graphs: Graphs, deadline: Deadline, files: Iterable[ChangedFile]) -> None:
        self.change, self.deadline = change, deadline
        self._graphs = graphs
        texts = [file for file in files if file.kind is FileKind.text]
        self.by_base = {file.base_path: file for file in texts if file.base_path is not None}
        self.kept = [path for path, file in self.by_base.items() if file.exists and file.path == path]
        self.gone = [path for path in self.by_base if path not in change.head]

    @cached_property
    def head_graph(self) -> ImportGraph:
        """Who imports whom after the change."""
        return self._graphs.head(self.deadline)

    @property
    def base_graph(self) -> ImportGraph:
        """Who imported whom before; the head's graph where that tells as much, since no file is gone."""
        return self.full_base_graph if self.gone else self.head_graph

    @cached_property
    def full_base_graph(self) -> ImportGraph:
        """Who imported whom before the change."""
        return self._graphs.base(self.deadline)

    def candidates(
        self, words: Iterable[str], *, with_direct: bool = False
    ) -> tuple[dict[str, bytes], list[NotChecked]]:
        """The files of the head that mention one of these words, with their contents, and what was left out.

        With `with_direct`, those that import a changed file directly are among them whatever they mention.
        """
        changed = {file.path for file in self.by_base.values() if file.exists}
        direct = changed | self.head_graph.importers(changed)
        direct |= self.base_graph.importers(self.gone) if self.gone else set()
        found, level = set(direct), direct
        for _ in range(FARTHEST - 1):
            level = self.head_graph.importers(level) - found
            found |= level
        wanted = sorted(path for path in found if self.change.nature_of(path) not in _COPIED)
        either = b"|".join(re.escape(word.encode("utf-8", "surrogateescape")) for word in sorted(words)) or rb"(?!)"
        mentions = re.compile(rb"(?<![\w$])(?:" + either + rb")(?![\w$])")
        kept: dict[str, bytes] = {}
        for path, content in self.change.head.read_many(wanted, READ_LIMIT):
            self.deadline.check("contracts")
            if content is not None and ((with_direct and path in direct) or mentions.search(content)):
                kept[path] = content
        nearest = sorted(kept, key=lambda path: (path not in direct, path))
        notes = []
        if num_left := len(nearest[MOST_FILES:]):
            what = f"uses of what changed in {num_left} files"
            notes.append(NotChecked(what, f"more than {MOST_FILES} files may use it"))
        return {path: kept[path] for path in nearest[:MOST_FILES]}, notes

    def breaks(self, uses: Iterable[Use], line_of: Callable[[ChangedFile, Use], int | None]) -> Iterator[Break]:
        """One break for each symbol; `line_of` gives the head's line nearest to its definition."""
        grouped: dict[tuple[BreakKind, str, str], dict[tuple[str, int, str, bool], Use]] = defaultdict(dict)
        for use in uses:
            same = grouped[use.kind, use.file, use.symbol]
            same.setdefault((use.path, use.line, use.how, use.is_certain), use)
        for (kind, path, _), same in sorted(grouped.items(), key=lambda item: item[0]):
            found = tuple(use for _, use in sorted(same.items(), key=lambda item: item[0]))
            file = self.by_base.get(path)
            line = line_of(file, found[0]) if file is not None and kind is not BreakKind.module else None
            yield Break(found, file.path if file is not None and file.exists else None, line)
