"""Contracts of languages whose names lead to files: names and members that are gone and still used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from assay.validators.changes.change import READ_LIMIT, ChangedFile, SourceTree
from assay.validators.changes.classify import Nature
from assay.validators.graph.symbol_graph import SymbolGraph
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
        head, base = search.head_graph, search.full_base_graph
        resolver, before = (cast("NameResolver", graph.resolvers[self.name]) for graph in (head, base))
        paths = {path for some in gone.names.values() for path in some}
        users = paths | base.importers(paths)
        for path, scan in head.sources.scans.items():
            file = search.change.by_path.get(path)
            was = (file.base_path if file is not None else path) or path
            is_user = file is not None or was in users
            if not is_user or head.sources.languages[path] != self.name or search.change.nature_of(path) in _COPIED:
                continue
            for mention in scan.mentions:
                name = mention.rpartition(".")[2]
                if name not in gone.names or mention in scan.declares:
                    continue
                if any(True for _ in resolver.named(path, mention)):
                    continue
                known = [was] if mention in base.sources.scan(was).declares else before.named(was, mention)
                lost = [one for one in known if one in gone.names[name]]
                reading = self._reading(search.change.head, path) if lost else None
                if reading is not None and not resolver.may_be_foreign(path, mention):
                    search.deadline.check("contracts")
                    for line in reading.lines_of(mention):
                        yield Use(BreakKind.name, lost[0], name, path, line, f"still uses `{mention}`")

    def _of_members(self, search: Search, gone: _Gone) -> Iterator[Use]:
        if not gone.members:
            return
        changed = [file.path for file in search.by_base.values() if file.exists]
        tree = SymbolGraph(search.head_graph, changed, search.deadline)
        values = tree.values
        for path in sorted(values.loaded):
            if search.change.nature_of(path) in _COPIED:
                continue
            for name, owners in gone.members.items():
                if not any(True for _ in values.facts(path).mentions(name)):
                    continue
                search.deadline.check("contracts")
                imports = search.head_graph.sources.scan(path).imports
                reading = self._reading(search.change.head, path)
                for value, line, is_own in reading.reads_of(name) if reading is not None else ():
                    # A call without a receiver may be of an imported function, or of a type around this one.
                    if is_own and ("." in value or any(one.is_star or (name, name) in one.names for one in imports)):
                        continue
                    classes = values.value(path, value)
                    for file, owner in owners:
                        place = values.origin(file, owner) or Origin(file, owner)
                        if (
                            classes == frozenset((place,))
                            and not values.bases(place)[1]
                            and values.member(place, name) is None
                        ):
                            how = f"still uses `{name}` of `{owner}`"
                            yield Use(BreakKind.attribute, file, f"{owner}.{name}", path, line, how)
