"""Contracts of languages whose names lead to files: names and members that are gone and still used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from assay.validators.changes.change import READ_LIMIT, ChangedFile, SourceTree
from assay.validators.changes.classify import Nature
from assay.validators.graph.symbol_graph import SymbolGraph
from assay.validators.graph.symbol_values import SymbolValues
from assay.validators.languages.language import Origin
from assay.validators.languages.tabled.engine import SourceReading
from assay.validators.languages.tabled.language import NameResolver, TabledLanguage, reading_of
from assay.validators.quality.contracts.contract import Break, BreakKind, Search, Use
from assay.validators.report.unknown import NotChecked

_COPIED = (Nature.vendored, Nature.generated)


@dataclass(slots=True)
class _Gone:
    """What the base's version of a file declares and the head's does not: names, and members as (type, name)."""

    names: dict[str, list[str]] = field(default_factory=dict)
    members: dict[str, list[tuple[str, str]]] = field(default_factory=dict)


@dataclass(frozen=True)
class NamedContract:
    """Entry of the contract register, for one language read by the engine."""

    language: TabledLanguage

    @property
    def name(self) -> str:
        """Key in the register."""
        return self.language.name

    @property
    def covers(self) -> frozenset[str]:
        """Rows of the language table that it reads."""
        return self.language.covers

    def breaks(self, search: Search) -> Iterator[Break | NotChecked]:
        """Yield the names and members that are gone while the head still uses them, where that is certain."""
        gone = self._gone(search)
        if not gone.names and not gone.members:
            return
        uses = [*self._of_names(search, gone), *self._of_members(search, gone)]

        def line_of(file: ChangedFile, use: Use) -> int | None:
            before = self._reading(search.change.base, file.base_path)
            found = [one for one in before.definitions() if one.name == use.symbol] if before is not None else []
            return file.replaced_at(found[0].line, found[0].end_line) if found else None

        yield from search.breaks(uses, line_of)

    def _reading(self, tree: SourceTree, path: str | None) -> SourceReading | None:
        """Return the reading of a file; None if it is absent or too large."""
        content = tree.read(path, READ_LIMIT) if path is not None else None
        return None if content is None else reading_of(self.language.row, content)

    def _gone(self, search: Search) -> _Gone:
        found = _Gone()
        for path, file in search.by_base.items():
            search.deadline.check("contracts")
            before = self._reading(search.change.base, path)
            after = self._reading(search.change.head, file.path if file.exists else None)
            names, members = before.declared() if before is not None else (set(), set())
            left, left_members = after.declared() if after is not None else (set(), set())
            for name in names - left:
                found.names.setdefault(name, []).append(path)
            here = file.path if file.exists else path
            for owner, name in members - left_members:
                if owner not in names - left:
                    found.members.setdefault(name, []).append((here, owner))
        return found

    def _of_names(self, search: Search, gone: _Gone) -> Iterator[Use]:
        names = _Names(search, self.name, gone)
        for path in names.users():
            for mention in search.head_graph.sources.scan(path).mentions:
                file = names.lost(path, mention)
                reading = self._reading(search.change.head, path) if file is not None else None
                if file is not None and reading is not None:
                    search.deadline.check("contracts")
                    name = mention.rpartition(".")[2]
                    for line in reading.lines_of(mention):
                        yield Use(BreakKind.name, file, name, path, line, f"still uses `{mention}`")

    def _of_members(self, search: Search, gone: _Gone) -> Iterator[Use]:
        if not gone.members:
            return
        changed = [file.path for file in search.by_base.values() if file.exists]
        values = SymbolGraph(search.head_graph, changed, search.deadline).values
        for path in sorted(values.loaded):
            if search.change.nature_of(path) in _COPIED:
                continue
            for name in gone.members:
                if any(True for _ in values.facts(path).mentions(name)):
                    search.deadline.check("contracts")
                    yield from self._of_member(search, values, path, name, gone.members[name])

    def _of_member(
        self, search: Search, values: SymbolValues, path: str, name: str, owners: list[tuple[str, str]]
    ) -> Iterator[Use]:
        """Yield the reads of a member in a file whose receiver is certainly one of the types that lost it."""
        reading = self._reading(search.change.head, path)
        if reading is None:
            return
        imports = search.head_graph.sources.scan(path).imports
        may_be_imported = any(one.is_star or (name, name) in one.names for one in imports)
        places = [(file, owner, values.origin(file, owner) or Origin(file, owner)) for file, owner in owners]
        for value, line, is_own in reading.reads_of(name):
            # A call without a receiver may be of an imported function, or of a type around this one.
            if is_own and (may_be_imported or "." in value):
                continue
            classes = values.value(path, value)
            for file, owner, place in places:
                if classes == frozenset((place,)) and _lacks(values, place, name):
                    how = f"still uses `{name}` of `{owner}`"
                    yield Use(BreakKind.attribute, file, f"{owner}.{name}", path, line, how)


class _Names:
    """Names that are gone, as the files of the head mention them."""

    def __init__(self, search: Search, language: str, gone: _Gone) -> None:
        self._search, self._language, self._gone = search, language, gone
        self._head, self._base = search.head_graph, search.full_base_graph
        self._resolver = cast("NameResolver", self._head.resolvers[language])
        self._before = cast("NameResolver", self._base.resolvers[language])

    def users(self) -> Iterator[str]:
        """Yield the files that may mention a gone name: those that did in the base, and changed ones."""
        paths = {path for some in self._gone.names.values() for path in some}
        users = paths | self._base.importers(paths)
        change = self._search.change
        for path, language in self._head.sources.languages.items():
            is_user = path in users or path in change.by_path
            if language == self._language and is_user and change.nature_of(path) not in _COPIED:
                yield path

    def lost(self, path: str, mention: str) -> str | None:
        """Return the file of the base that declared what a mention names, if nothing of the head can."""
        paths = self._gone.names.get(mention.rpartition(".")[2], ())
        if not paths or mention in self._head.sources.scan(path).declares:
            return None
        if any(True for _ in self._resolver.named(path, mention)) or self._resolver.may_be_foreign(path, mention):
            return None
        file = self._search.change.by_path.get(path)
        was = (file.base_path if file is not None else path) or path
        is_own = mention in self._base.sources.scan(was).declares
        return next((one for one in ([was] if is_own else self._before.named(was, mention)) if one in paths), None)


def _lacks(values: SymbolValues, place: Origin, name: str) -> bool:
    """Return whether a type has no such member, and no parent from outside that may have it."""
    return not values.bases(place)[1] and values.member(place, name) is None
