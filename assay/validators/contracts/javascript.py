"""JavaScript and TypeScript: exports, members of classes, and in TypeScript the number of arguments."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from assay.validators.change import READ_LIMIT, ChangedFile, FileKind, SourceTree, decoded
from assay.validators.classify import Nature, nature_of
from assay.validators.contracts.contract import MOST_FILES, Break, BreakKind, Compared, Use, head_line
from assay.validators.contracts.javascript_file import ScriptFile
from assay.validators.contracts.javascript_side import SCRIPTS, ScriptSide, is_script
from assay.validators.contracts.javascript_uses import ScriptUse, ScriptUses
from assay.validators.graph import ImportGraph
from assay.validators.languages.javascript import JavaScriptTree
from assay.validators.languages.javascript_modules import JavaScriptModules
from assay.validators.report import NotChecked

_REEXPORT = re.compile(rb"^[ \t]*+export\b[^;=(]{0,5000}?\bfrom\b", re.MULTILINE)
_NAMELESS = frozenset(("default", "constructor"))
_FARTHEST = 3
"""Imports followed from a changed file to the files that may use it, through barrels."""


class JavaScriptContract:
    """The member of the register."""

    name = "javascript"
    covers = SCRIPTS

    def breaks(self, compared: Compared, files: Sequence[ChangedFile]) -> Iterator[Break | NotChecked]:
        """Breaks in modules that changed, moved or went."""
        yield from _Search(compared, [file for file in files if file.kind is FileKind.text]).breaks()


class _Search:
    def __init__(self, compared: Compared, files: Sequence[ChangedFile]) -> None:
        self._compared = compared
        self._by_base = {file.base_path: file for file in files if file.base_path is not None}
        self._kept = [file.path for file in files if file.exists and file.path == file.base_path]
        self._gone = [path for path in self._by_base if path not in compared.change.head]

    def breaks(self) -> Iterator[Break | NotChecked]:
        names: set[str] = set()
        base_files: dict[str, ScriptFile | None] = {}
        head_files: dict[str, ScriptFile | None] = {}
        change, deadline = self._compared.change, self._compared.deadline
        for path in self._kept if not self._gone else [*self._kept, *self._gone]:
            deadline.check("contracts")
            base_files[path] = _parsed(change.base, path)
            head_files[path] = _parsed(change.head, path)
            names |= _altered(base_files[path], head_files[path], path in self._gone)
        if not names and not self._gone:
            return
        head_graph = self._compared.graphs.head(deadline)
        base_graph = self._compared.graphs.base(deadline) if self._gone else head_graph
        head = ScriptSide(change.head, head_graph.sources, _modules(head_graph), deadline, head_files)
        # Imports of unchanged files are the same on both sides; those of changed ones are read from the base.
        base_sources = self._compared.graphs.base(deadline).sources if self._reexports() else base_graph.sources
        base = ScriptSide(change.base, base_sources, _modules(base_graph), deadline, base_files)
        texts, left_out = self._candidates(names, head_graph, base_graph)
        if left_out:
            yield NotChecked(f"uses of what changed in {left_out} files", f"more than {MOST_FILES} files may use it")
        uses = ScriptUses(base, head)
        grouped: dict[tuple[BreakKind, str, str], list[ScriptUse]] = defaultdict(list)
        for path, text in texts.items():
            for use in uses.broken(path, text):
                grouped[use.kind, use.file, use.symbol].append(use)
        for (kind, path, symbol), found in sorted(grouped.items()):
            yield self._break(kind, path, symbol, found, base)

    def _reexports(self) -> bool:
        """Whether a changed file passes names on, so that the base's own imports of it matter."""
        tree = self._compared.change.base
        return any(
            re.search(rb"^\s*export\b[^;=(]*\bfrom\b", tree.read(path) or b"", re.MULTILINE) for path in self._kept
        )

    def _candidates(
        self, names: Iterable[str], head_graph: ImportGraph, base_graph: ImportGraph
    ) -> tuple[dict[str, str], int]:
        """The files of the head that may use a changed symbol with their texts, and how many more there are."""
        head = self._compared.change.head
        own = set(self._kept)
        direct = head_graph.importers(own) | (base_graph.importers(self._gone) if self._gone else set())
        direct |= own | {file.path for file in self._by_base.values() if file.exists}
        found, level = set(direct), direct
        for _ in range(_FARTHEST - 1):
            level = head_graph.importers(level) - found
            found |= level
        wanted = sorted(path for path in found if nature_of(path) not in (Nature.vendored, Nature.generated))
        words = sorted(
            name.encode("utf-8", "surrogateescape") for name in names if name not in ("default", "constructor")
        )
        pattern = rb"(?<![\w$])(?:" + b"|".join(map(re.escape, words)) + rb")(?![\w$])"
        mentions = re.compile(pattern) if words else None
        kept: dict[str, str] = {}
        for path, content in head.read_many(wanted, READ_LIMIT):
            self._compared.deadline.check("contracts")
            is_near = path in direct and ("default" in names or bool(self._gone))
            if content is not None and (is_near or (mentions is not None and mentions.search(content))):
                kept[path] = decoded(content)
        nearest = sorted(kept, key=lambda path: (path not in direct, path))[:MOST_FILES]
        return {path: kept[path] for path in nearest}, len(kept) - len(nearest)

    def _break(self, kind: BreakKind, path: str, symbol: str, found: list[ScriptUse], base: ScriptSide) -> Break:
        file = self._by_base.get(path)
        before = base.file(path)
        line = None
        if file is not None and before is not None and kind is not BreakKind.module:
            owner, _, member = symbol.partition(".")
            facts = before.classes.get(owner)
            if member and facts is not None and member in facts.members:
                line = head_line(file, facts.members[member], facts.members[member])
            else:
                line = head_line(file, *before.lines.get(before.exports.get(symbol, symbol), (1, 0)))
        return Break(
            kind=kind,
            symbol=symbol,
            file=path,
            uses=tuple(sorted({Use(use.path, use.line, use.how, use.is_certain) for use in found})),
            head_file=file.path if file is not None and file.exists else None,
            line=line,
            now=found[0].now,
        )


def _altered(before: ScriptFile | None, after: ScriptFile | None, is_gone: bool) -> set[str]:
    """The names of which one side of a file has something that the other lacks or has otherwise."""
    if before is None or (after is None and not is_gone):
        return set()
    if after is None:
        return {*before.exports, *before.lines}
    names = before.exports.keys() - after.exports.keys()
    names |= before.lines.keys() - after.lines.keys()
    names |= {name for name, arity in before.arities.items() if arity != after.arities.get(name)}
    for name, facts in before.classes.items():
        other = after.classes.get(name)
        if other is not None:
            names |= facts.members.keys() - other.members.keys()
            names |= {one for one, arity in facts.arities.items() if arity != other.arities.get(one)}
            if other.parent != facts.parent:
                names |= facts.members.keys()
            if facts.arities.get("constructor") != other.arities.get("constructor"):
                names.add(name)
    names |= set(before.passed_on) - set(after.passed_on)
    # A name that is exported as another one is asked for by that.
    return names | {exported for exported, local in before.exports.items() if local in names}


def _parsed(tree: SourceTree, path: str) -> ScriptFile | None:
    content = tree.read(path) if is_script(path) else None
    return ScriptFile(path, decoded(content)) if content is not None else None


def _modules(graph: ImportGraph) -> JavaScriptModules:
    resolver = graph.resolvers[JavaScriptContract.name]
    if not isinstance(resolver, JavaScriptTree):
        raise TypeError(f"{JavaScriptContract.name} is resolved by {type(resolver).__name__}")
    return resolver.modules
