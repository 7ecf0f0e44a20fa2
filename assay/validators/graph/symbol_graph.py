"""Symbols that use a change, through any number of others: who may notice it, and how surely.

An edge goes from the symbol whose code mentions another to the one it means. It is *certain* where the text names the
definition, else uncertain, with a higher cost. Search runs from the changed symbols outwards, cheapest first, and reads
only mentions of names it reached.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from assay.validators.graph.costs import FARTHEST, IMPLICIT, IMPORT, LATE, OVERRIDE, RARE, UNCLEAR, UNNAMED, USE
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.graph.symbol_values import CLASSES, CONSTRUCTORS, RARELY_RUN, SymbolValues
from assay.validators.graph.tree_facts import TreeFacts
from assay.validators.languages.engine.names import ByNames
from assay.validators.languages.language import EVERYTHING, Import, Mention, Origin
from assay.validators.languages.python.module_files import PACKAGE_FILE, is_module, is_package
from assay.validators.languages.register import LANGUAGES
from assay.validators.languages.values import How, Value
from assay.validators.progress import Deadline

ANY = "?"
"""Name of a place in a file that may use a symbol; nothing is known to use it in turn."""

MOST_CANDIDATES = 20
"""Maximum methods of one name that an unknown receiver may mean; with more, the name says nothing."""

MOST_STEPS = 20_000
"""Maximum symbols visited; the search goes by cost, so the nearest are among them."""


class Use(NamedTuple):
    """Symbol that may notice the change: `cost` of the way, `via` the next symbol on it."""

    place: Origin
    cost: float
    is_certain: bool
    via: Origin | None = None
    hops: int = 0


class _Edge(NamedTuple):
    user: Origin
    cost: float
    is_certain: bool


class SymbolGraph:
    """Symbols of the files that depend on some changed ones."""

    def __init__(
        self,
        graph: ImportGraph,
        changed: Collection[str],
        deadline: Deadline | None = None,
    ) -> None:
        self._graph = graph
        self._deadline = deadline
        self._facts = TreeFacts(graph.sources, deadline)
        self._facts.load([*sorted(changed), *(reached.path for reached in graph.dependents(changed))])
        self._facts.load(sorted(graph.importers(packages_of(changed, graph))))
        self.values = SymbolValues(graph, self._facts)
        self._files_of = _by_word((path, kept.words) for path, kept in self._facts.by_path.items())
        self._definers = _by_word((path, kept.members) for path, kept in self._facts.by_path.items())
        self._imported, self._renamed = self._find_imported()
        self._edges: dict[Origin, dict[tuple[Origin, bool], float]] = {}
        self._files: dict[Origin, dict[str, bool]] = {}
        """Symbol -> the files that name it, with whether that is certain."""
        self._done: set[str] = set()
        self._reach: dict[str, frozenset[str]] = {}

    @property
    def not_read(self) -> tuple[str, ...]:
        """Files whose uses are unknown."""
        return tuple(self._facts.not_read)

    def load(self, paths: Iterable[str]) -> None:
        """Load the facts of further files; their uses are not part of the search."""
        self._facts.load(paths)

    def uses(self, symbols: Mapping[str, Collection[str]], new: Collection[str] = ()) -> list[Use]:
        """Return every symbol that may notice a change of `symbols` (file -> names), cheapest first, without these.

        A symbol comes at most twice: by its cheapest way, and by its cheapest certain way if that is longer. No use of
        a name in `new` is certain. Raises `OutOfTime`.
        """
        start = sorted({place for path, names in symbols.items() for place in self._start(path, names)})
        queue = [(0.0, index, Use(place, 0.0, place.name not in new)) for index, place in enumerate(start)]
        best: dict[Origin, bool] = {}
        found: list[Use] = []
        count = len(queue)
        while queue and len(found) < MOST_STEPS:
            _, _, use = heapq.heappop(queue)
            if best.get(use.place) or (use.place in best and not use.is_certain):
                continue
            best[use.place] = use.is_certain
            if use.hops:
                found.append(use)
            if self._deadline is not None:
                self._deadline.check("users of changed symbols")
            for edge in self._users(use.place):
                is_certain = use.is_certain and edge.is_certain
                if best.get(edge.user) or (edge.user in best and not is_certain) or use.cost + edge.cost > FARTHEST:
                    continue
                count += 1
                following = Use(edge.user, use.cost + edge.cost, is_certain, use.place, use.hops + 1)
                heapq.heappush(queue, (following.cost, count, following))
        return found

    def _start(self, path: str, names: Collection[str]) -> Iterator[Origin]:
        for name in names:
            if name == EVERYTHING:
                yield Origin(path, "")
            else:
                local = self.values.facts(path).exported.get(name, name)
                yield Origin(path, local)

    def users(self, symbols: Mapping[str, Collection[str]]) -> dict[str, dict[str, bool]]:
        """Return file -> the symbols of `symbols` (file -> names) that its own code uses, with whether that is certain.

        `"*"` (a file's top level) is used by its importers; another name where it is named, imported or re-exported.
        """
        found: dict[str, dict[str, bool]] = {}
        for path, names in symbols.items():
            for name in names:
                for user, is_certain in self._files_with(path, name):
                    # What runs without being named does not count as a use by the file's own code.
                    if user != path and (is_certain or self._is_named(user, name)):
                        known = found.setdefault(user, {})
                        known[name] = is_certain or known.get(name, False)
        return found

    def importers_by_name(self, path: str, name: str) -> frozenset[str]:
        """Return the files that import or re-export a symbol by its name."""
        return frozenset(user for place in self._start(path, (name,)) for user in self._importers_of_name(place))

    def _is_named(self, path: str, name: str) -> bool:
        return any(True for _ in self.values.facts(path).mentions(name.rpartition(".")[2]))

    def _files_with(self, path: str, name: str) -> Iterator[tuple[str, bool]]:
        """Yield the files that use one symbol of the file at `path`, with whether that is certain."""
        if name == EVERYTHING:
            yield from dict.fromkeys(self._graph.importers([path]), True).items()
            return
        for place in self._start(path, (name,)):
            yield from ((edge.user.file, edge.is_certain) for edge in self._direct(place))
            yield from self._files.get(place, {}).items()
            yield from ((file, True) for file in self._importers_of_name(place))

    # Who uses a symbol

    def _users(self, place: Origin) -> Iterator[_Edge]:
        """Yield the symbols that use one, by a likely guess if no code names it."""
        if place.name == ANY:
            return
        found = self._direct(place)
        if not place.name:
            yield from self._importers(place.file)
            yield from found
            return
        yield from found or self._by_others(place)

    def _direct(self, place: Origin) -> list[_Edge]:
        """Return the symbols whose code names one."""
        for name in sorted(self._names_of(place)):
            if name not in self._done:
                self._done.add(name)
                for path in self._files_of.get(name, ()):
                    self._resolve(path, name)
        named = self._edges.get(place, {}).items()
        return [_Edge(user, cost, is_certain) for (user, is_certain), cost in named]

    def _importers_of_name(self, place: Origin) -> Iterator[str]:
        """Yield the files that import or re-export a symbol by its name."""
        resolvers, sources = self._graph.resolvers, self._graph.sources
        for path, item, name in {one for known in self._names_of(place) for one in self._imported.get(known, ())}:
            resolver = resolvers[sources.languages[path]]
            for file in resolver.resolve(path, item).files:
                if any(place == self.values.local(origin) for origin in resolver.trail(file, name)):
                    yield path

    def _importers(self, path: str) -> Iterator[_Edge]:
        """Yield the files whose import runs the top level of a file; of a package, also the files inside it."""
        importers = self._graph.importers([path])
        for importer in sorted(importers):
            runs = self._runs_on_import(importer, path)
            if runs is not False:
                yield _Edge(Origin(importer, ""), IMPORT if runs else IMPORT + LATE, is_certain=bool(runs))
        folder = path.rpartition("/")[0]
        for one in self._graph.files if is_package(path) else ():
            if one.startswith(f"{folder}/") and is_module(one) and one != path and one not in importers:
                yield _Edge(Origin(one, ""), IMPORT, is_certain=True)

    def _runs_on_import(self, importer: str, path: str) -> bool | None:
        """Return whether importing one file runs another; None if it is unclear, inside a function or condition."""
        row = LANGUAGES[self._graph.sources.languages[importer]].row
        items = self._graph.imports_of(importer, path) if row.runs_on_import else []
        if not items or (any(one.is_top for one in items) and not all(one.is_type for one in items)):
            return True
        return False if all(one.is_type for one in items) else None if row.runs_class_body else True

    def _by_others(self, place: Origin) -> Iterator[_Edge]:
        """Yield the likely users of a symbol that no code names: a framework or a table calls it."""
        owner = place.name.rpartition(".")[0]
        if owner:
            for edge in self._users(self.values.origin(place.file, owner) or Origin(place.file, owner)):
                yield _Edge(edge.user, edge.cost + UNNAMED, is_certain=False)
        elif self.values.symbol(place) is not None:
            for importer in sorted(self._graph.importers([place.file])):
                if self._takes(importer, place):
                    yield _Edge(Origin(importer, ANY), USE + UNNAMED, is_certain=False)

    def _takes(self, importer: str, place: Origin) -> bool:
        """Return whether a file imports a symbol, or its file whole: not only names that are others."""
        items = self._graph.imports_of(importer, place.file)
        wanted = {EVERYTHING, *self._names_of(place)}
        return not items or any(not one.names or wanted & dict(one.names).keys() for one in items)

    def _names_of(self, place: Origin) -> set[str]:
        """Return the names under which other code mentions a symbol."""
        if not place.name:
            # `package.module` needs no import of the module itself.
            return {PurePosixPath(place.file).stem}
        owner, _, member = place.name.rpartition(".")
        found = {member}
        symbol = self.values.symbol(place)
        if symbol is not None and symbol.kind == "fixture" and symbol.entry:
            found.add(symbol.entry)
        if owner and symbol is not None and symbol.kind in ("method", "test"):
            holder = Origin(place.file, owner)
            if member in CONSTRUCTORS or symbol.kind == "test" or place in self.values.implicit(holder):
                found.update(one.name.rpartition(".")[2] for one in self.values.family(holder))
        exported = self.values.facts(place.file).exported
        found.update(name for name, local in exported.items() if local == place.name or local == owner)
        left = list(found)
        while left and len(found) < 50:
            for other in self._renamed.get(left.pop(), ()):
                if other not in found:
                    found.add(other)
                    left.append(other)
        return found

    def _find_imported(self) -> tuple[dict[str, list[tuple[str, Import, str]]], dict[str, set[str]]]:
        """Return name -> the imports of it with their files, and name -> the other names it is imported under."""
        imports: dict[str, list[tuple[str, Import, str]]] = {}
        renamed: dict[str, set[str]] = {}
        for path in self._facts.by_path:
            for item in self._graph.sources.scan(path).imports:
                for name, local in item.names:
                    imports.setdefault(name, []).append((path, item, name))
                    if local and name != local:
                        # A required module may be the function or class that the file exports.
                        renamed.setdefault("default" if name == EVERYTHING else name, set()).add(local)
        return imports, renamed

    # What a mention means

    def _resolve(self, path: str, name: str) -> None:
        """Add the edges of every mention of a name in a file."""
        facts = self.values.facts(path)
        for mention in facts.mentions(name):
            # A function that is only named at the top level does not run there.
            is_named = mention.value.how is How.name and not facts.has_tests
            users = [
                Origin(path, facts.symbols[index].name)
                for index in mention.users
                if index < len(facts.symbols) and (index or not is_named)
            ]
            for target, cost, is_sure in self._targets(path, name, mention):
                is_certain = is_sure and not self.values.has_overloads(target)
                named = self._files.setdefault(target, {})
                named[path] = is_certain or named.get(path, False)
                known = self._edges.setdefault(target, {})
                for user in users:
                    # A guess about what an import runs would reach every importer.
                    is_guess = not is_certain and not user.name and not facts.has_tests
                    before = known.get((user, is_certain), math.inf)
                    if cost < before and user != target and not is_guess:
                        known[user, is_certain] = cost

    def _targets(self, path: str, name: str, mention: Mention) -> Iterator[tuple[Origin, float, bool]]:
        value = mention.value
        if value.how is How.fixture:
            for index in mention.users:
                users = self.values.facts(path).symbols
                fixture = self.values.fixtures.named(path, name, Origin(path, users[index].name))
                if fixture is not None:
                    yield fixture, USE, True
            return
        yield from self._extending(path, value)
        if value.how is How.member and value.of is not None:
            classes = self.values.value(path, value.of)
            yield from self._members(path, classes, value.name, is_super=value.of.how is How.parent)
            return
        is_call = value.how is How.call
        chain = value.of.name if is_call and value.of is not None else value.name
        for place, rest in self.values.resolved(path, chain):
            if not rest:
                yield from self._named(place, is_call)
                continue
            values = self.values.of_place(place)
            for step in rest[:-1]:
                values = self.values.step(values, Value(How.member, step))
            yield from self._members(path, values, rest[-1], is_super=False, is_open=False)

    def _extending(self, path: str, value: Value) -> Iterator[tuple[Origin, float, bool]]:
        """Yield the functions that a member may be which no type defines."""
        resolver = self._graph.resolvers[self._graph.sources.languages[path]]
        is_member = value.how is How.member or (value.how is How.name and "." in value.name)
        for file in resolver.extending(path, value.last) if is_member and isinstance(resolver, ByNames) else ():
            for name, symbol in self.values.symbols(file).items():
                if name.rpartition(".")[2] == value.last and symbol.kind in ("function", "method"):
                    yield Origin(file, name), USE + OVERRIDE, False

    def _named(self, place: Origin, is_call: bool) -> Iterator[tuple[Origin, float, bool]]:
        """Yield what naming a symbol uses: itself, and of a class what runs implicitly."""
        yield place, USE, True
        symbol = self.values.symbol(place)
        if symbol is None or symbol.kind not in CLASSES:
            return
        if is_call:
            for name in CONSTRUCTORS:
                member = self.values.member(place, name)
                if member is not None:
                    yield member, USE, True
        for member in self.values.implicit(place):
            is_rare = member.name.rpartition(".")[2] in RARELY_RUN
            yield member, IMPLICIT + (RARE if is_rare else 0.0), False

    def _members(
        self, path: str, classes: Collection[Origin] | None, name: str, *, is_super: bool, is_open: bool = True
    ) -> Iterator[tuple[Origin, float, bool]]:
        """Yield the definitions that `.name` on an instance of one of `classes` may mean."""
        if classes is None:
            if is_open:
                yield from self._anywhere(path, name)
            return
        for one in classes:
            member = self.values.member(one, name)
            if member is not None:
                yield member, USE, True
            for inheritor in self.values.family(one)[1:] if not is_super else ():
                full = f"{inheritor.name}.{name}"
                if full in self.values.symbols(inheritor.file):
                    yield Origin(inheritor.file, full), USE + OVERRIDE, False

    def _anywhere(self, path: str, name: str) -> Iterator[tuple[Origin, float, bool]]:
        """Yield the methods of a name in files that the file at `path` can reach by imports."""
        files = [file for file in self._definers.get(name, ()) if file == path or path in self._reaching(file)]
        places = [
            Origin(file, symbol.name)
            for file in files[:MOST_CANDIDATES]
            for symbol in self.values.facts(file).symbols
            if symbol.name.endswith(f".{name}")
        ]
        if len(places) <= MOST_CANDIDATES:
            cost = USE + UNCLEAR + 0.5 * math.log2(max(1, len(places)))
            for place in places:
                yield place, cost, False

    def _reaching(self, file: str) -> frozenset[str]:
        """Return the files that import a file, directly or not."""
        if file not in self._reach:
            self._reach[file] = frozenset(one.path for one in self._graph.dependents([file]))
        return self._reach[file]


def packages_of(paths: Iterable[str], graph: ImportGraph) -> set[str]:
    """Return the `__init__.py` of each package around these files: its importers may say `package.module.name`."""
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and f"{folder}/{PACKAGE_FILE}" in graph.sources and is_module(path):
            found.add(f"{folder}/{PACKAGE_FILE}")
            folder = folder.rpartition("/")[0]
    return found


def _by_word(texts: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path, words in texts:
        for word in words.split():
            found.setdefault(word, []).append(path)
    return found
