"""Python: names, arguments and attributes, as far as they can be told without running anything."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from assay.validators.change import READ_LIMIT, ChangedFile, FileKind, shown
from assay.validators.classify import Nature, nature_of
from assay.validators.contracts.contract import MOST_FILES, Break, BreakKind, Compared, Use, head_line
from assay.validators.contracts.python_changes import Changes, definition_lines, may_break
from assay.validators.contracts.python_scopes import SourceFile
from assay.validators.contracts.python_side import PythonSide, Value, parsed_file
from assay.validators.contracts.python_uses import BrokenUse, Uses
from assay.validators.graph import ImportGraph
from assay.validators.language_table import languages
from assay.validators.languages.python import PythonTree
from assay.validators.languages.python_modules import PythonModules
from assay.validators.report import NotChecked

_FARTHEST = 3
"""Imports followed from a changed file to the files that may use it."""
_BUILD_FILES = ("pyproject.toml", "setup.py", "setup.cfg", ".gitignore", "MANIFEST.in", "hatch_build.py")


class PythonContract:
    """The member of the register."""

    name = "python"
    covers = languages("python")

    def breaks(self, compared: Compared, files: Sequence[ChangedFile]) -> Iterator[Break | NotChecked]:
        """Breaks in modules that changed, moved or went."""
        yield from _Search(compared, [file for file in files if file.kind is FileKind.text]).breaks()


class _Search:
    def __init__(self, compared: Compared, files: Sequence[ChangedFile]) -> None:
        self._compared = compared
        self._by_base = {file.base_path: file for file in files if file.base_path is not None}
        self._kept = [file for file in files if file.exists and file.path == file.base_path]
        self._base_files: dict[str, SourceFile | None] = {}
        self._head_files: dict[str, SourceFile | None] = {}
        self._gone = [path for path in self._by_base if path not in compared.change.head]

    def breaks(self) -> Iterator[Break | NotChecked]:
        if not self._gone and not self._may_break():
            return
        deadline = self._compared.deadline
        head_graph = self._compared.graphs.head(deadline)
        base_graph = self._compared.graphs.base(deadline) if self._gone else head_graph
        head = PythonSide(self._compared.change.head, _modules(head_graph), deadline, self._head_files)
        base = PythonSide(self._compared.change.base, _modules(base_graph), deadline, self._base_files)
        changes = Changes(base, head)
        for file in self._kept:
            changes.compare(file.path, file.path)
        for path in self._gone:
            changes.gone(path)
        if not changes.names and not self._gone:
            return
        paths, left_out = self._candidates(changes, head_graph, base_graph)
        if left_out:
            yield NotChecked(f"uses of what changed in {left_out} files", f"more than {MOST_FILES} files may use it")
        yield from self._found(Uses(base, head, changes), head, paths)

    def _may_break(self) -> bool:
        """Whether a changed file takes anything from others: a cheap look before the graph is made."""
        change = self._compared.change
        for file in self._kept:
            self._compared.deadline.check("contracts")
            before = self._base_files[file.path] = parsed_file(change.base, file.path)
            after = self._head_files[file.path] = parsed_file(change.head, file.path)
            if may_break(before, after):
                return True
        return False

    def _candidates(self, changes: Changes, head_graph: ImportGraph, base_graph: ImportGraph) -> tuple[list[str], int]:
        """The files of the head that may use a changed symbol, and how many more there are."""
        own = {file.path for file in self._kept}
        importers = base_graph.importers(self._gone) if self._gone else set()
        level = {path for path in own | importers if path in self._compared.change.head}
        level |= {file.path for file in self._by_base.values() if file.exists}
        found = set(level)
        for _ in range(_FARTHEST):
            level = head_graph.importers(level) - found
            found |= level
        wanted = sorted(path for path in found if nature_of(path) not in (Nature.vendored, Nature.generated))
        stems = {_stem(path) for path in self._gone}
        words = sorted(word.encode() for word in changes.names | stems if word)
        mentions = re.compile(rb"(?<![\w])(?:" + b"|".join(map(re.escape, words)) + rb")(?![\w])") if words else None
        kept = []
        for path, content in self._compared.change.head.read_many(wanted, READ_LIMIT):
            self._compared.deadline.check("contracts")
            if content is not None and mentions is not None and mentions.search(content):
                kept.append(path)
        nearest = sorted(kept, key=lambda path: (path not in own, path))
        return nearest[:MOST_FILES], max(0, len(nearest) - MOST_FILES)

    def _found(self, uses: Uses, head: PythonSide, paths: Iterable[str]) -> Iterator[Break | NotChecked]:
        found: list[BrokenUse] = []
        looked_at: list[SourceFile] = []
        for path in paths:
            file = head.file(path)
            if file is None:
                continue
            looked_at.append(file)
            try:
                found += uses.broken(file)
            except RecursionError:
                yield NotChecked(f"uses of changed symbols in {shown(path)}", "it is nested too deeply")
        grouped: dict[tuple[BreakKind, str, str], list[BrokenUse]] = defaultdict(list)
        for use in found:
            if use.receiver is None or not _is_elsewhere(use, head, looked_at):
                grouped[use.kind, use.file, use.symbol].append(use)
        for (kind, path, symbol), each in sorted(grouped.items()):
            if kind is not BreakKind.module or not self._is_built(path):
                yield self._break(kind, path, symbol, each)

    def _break(self, kind: BreakKind, path: str, symbol: str, found: list[BrokenUse]) -> Break:
        file = self._by_base.get(path)
        line = None
        if file is not None and kind is not BreakKind.module:
            line = self._line(file, path, symbol, is_gone=kind is not BreakKind.arguments)
        uses = {Use(use.path, use.line, use.how, use.is_certain) for use in found}
        return Break(
            kind=kind,
            symbol=symbol,
            file=path,
            uses=tuple(sorted(uses)),
            head_file=file.path if file is not None and file.exists else None,
            line=line,
            now=found[0].now,
        )

    def _line(self, file: ChangedFile, path: str, symbol: str, is_gone: bool) -> int | None:
        change = self._compared.change
        defined = parsed_file(change.base, path) if is_gone else parsed_file(change.head, file.path)
        lines = definition_lines(defined, symbol) if defined is not None else None
        if lines is None or not is_gone:
            return lines[0] if lines is not None else None
        return head_line(file, *lines)

    def _is_built(self, path: str) -> bool:
        """Whether a module that is gone may be made when the package is built, or is written in another language."""
        stem, tree = _stem(path), self._compared.change.head
        folder = path.rpartition("/")[0]
        if any(other.rpartition("/")[0] == folder and _stem(other) == stem for other in tree.paths):
            return True
        name = path.rpartition("/")[2].encode("utf-8", "surrogateescape")
        return any(name in (tree.read(file) or b"") for file in _BUILD_FILES)


def _is_elsewhere(use: BrokenUse, head: PythonSide, files: Sequence[SourceFile]) -> bool:
    """Whether an attribute may come from a subclass, or from whoever sets it from outside."""
    name = use.symbol.rpartition(".")[2]
    for file in files:
        if name in file.foreign_stores:
            return True
        for qualname in file.classes:
            lineage = head.lineage(file.path, qualname)
            is_below = use.receiver in lineage.classes and (file.path, qualname) != use.receiver
            if is_below and isinstance(head.member(Value("instance", file.path, qualname), name), Value):
                return True
    return False


def _modules(graph: ImportGraph) -> PythonModules:
    resolver = graph.resolvers[PythonContract.name]
    if not isinstance(resolver, PythonTree):
        raise TypeError(f"{PythonContract.name} is resolved by {type(resolver).__name__}")
    return resolver.modules


def _stem(path: str) -> str:
    """The name a module is imported by."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem == "__init__" else stem
