"""Broken contracts inside a tree: symbols that a change removes or alters while its head still uses them.

Each language has one `Contract`. It compares its changed files on both sides, and searches their importers for uses.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Protocol

from assay.validators.changes.change import READ_LIMIT, ChangedFile, ChangeSet, FileKind
from assay.validators.changes.classify import Nature
from assay.validators.graph.import_graph import Graphs, ImportGraph
from assay.validators.progress import Deadline
from assay.validators.report.unknown import NotChecked

MOST_FILES = 1500
"""Maximum head files searched for uses; the rest are reported as not checked."""
_COPIED = (Nature.vendored, Nature.generated)
FARTHEST = 3
"""Maximum imports followed from a changed file to possible users."""


class BreakKind(StrEnum):
    """Kind of break; the value is part of the rule's name."""

    name = "missing-name"
    module = "missing-module"
    arguments = "call-arguments"
    attribute = "missing-attribute"


@dataclass(frozen=True, slots=True)
class Use:
    """Line of the head that relies on a symbol of the base; `how` completes "but `file:line` …".

    `file` is where the base defined the symbol, `now` its current signature if the arguments do not match, and
    `receiver` the class (file, qualified name) of a read attribute that a subclass may define.
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
    """Incompatibly changed symbol of the base, with its uses in the head: all of one kind, file and symbol.

    `head_file` and `line` are the place in the head nearest to the definition; None if the file is gone.
    """

    uses: tuple[Use, ...]
    head_file: str | None = None
    line: int | None = None


class Contract(Protocol):
    """Symbols of one language: what a file defines, and its certain uses."""

    @property
    def name(self) -> str:
        """Key in the register: the language's name in `LANGUAGES`."""

    @property
    def covers(self) -> frozenset[str]:
        """Rows of the language table that it reads."""

    def breaks(self, search: Search) -> Iterator[Break | NotChecked]:
        """Yield every break the change introduces in the files of the search. Raises `OutOfTime`."""


class Search:
    """Data for the search for breaks, common to all languages.

    `kept` are the paths of files on both sides, `gone` those missing in the head.
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
        """Import graph after the change."""
        return self._graphs.head(self.deadline)

    @property
    def base_graph(self) -> ImportGraph:
        """Import graph before the change; the head's if no file is gone, since it is equivalent."""
        return self.full_base_graph if self.gone else self.head_graph

    @cached_property
    def full_base_graph(self) -> ImportGraph:
        """Import graph before the change, always built from the base."""
        return self._graphs.base(self.deadline)

    def candidates(
        self, words: Iterable[str], *, with_direct: bool = False
    ) -> tuple[dict[str, bytes], list[NotChecked]]:
        """Return the head's files that mention one of these words, with their contents, and what was left out.

        With `with_direct`, direct importers of a changed file are included whatever they mention.
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
            what = f"uses of changed symbols in {num_left} files"
            notes.append(NotChecked(what, f"more than {MOST_FILES} files may use it"))
        return {path: kept[path] for path in nearest[:MOST_FILES]}, notes

    def breaks(self, uses: Iterable[Use], line_of: Callable[[ChangedFile, Use], int | None]) -> Iterator[Break]:
        """Yield one break per symbol; `line_of` returns the head's line nearest to its definition."""
        grouped: dict[tuple[BreakKind, str, str], dict[tuple[str, int, str, bool], Use]] = defaultdict(dict)
        for use in uses:
            same = grouped[use.kind, use.file, use.symbol]
            same.setdefault((use.path, use.line, use.how, use.is_certain), use)
        for (kind, path, _), same in sorted(grouped.items(), key=lambda item: item[0]):
            found = tuple(use for _, use in sorted(same.items(), key=lambda item: item[0]))
            file = self.by_base.get(path)
            line = line_of(file, found[0]) if file is not None and kind is not BreakKind.module else None
            yield Break(found, file.path if file is not None and file.exists else None, line)
