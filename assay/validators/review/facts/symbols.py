"""Facts from the symbol graph: contracts before and after, callers, called definitions, siblings and tests."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from assay.validators.changes.change import ChangedFile
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.graph.symbol_graph import ANY, SymbolGraph, Use
from assay.validators.graph.symbols import definitions
from assay.validators.languages.language import EVERYTHING, Definition, Origin
from assay.validators.progress import Deadline
from assay.validators.report.review import Side
from assay.validators.review.facts.fact import Excerpt, Fact, FactKind
from assay.validators.review.trees import Trees

MOST_CALLERS = 8
"""Callers shown of each changed symbol."""
MOST_DEFINITIONS = 10
MOST_CHAINS = 400
"""Names on added lines that are followed to their definitions."""
MOST_DEFINITION_LINES = 14
MOST_SIBLINGS = 5
MOST_TESTS = 12
MOST_SIGNATURE_LINES = 8
_CHAIN = re.compile(r"(?<![\w.$])[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*){0,4}")
_OWN = ("self", "this", "cls")


@dataclass
class SymbolFacts:
    """Finder of the facts about the changed symbols of one part."""

    graph: ImportGraph
    trees: Trees
    deadline: Deadline
    _known: dict[tuple[Side, str], list[Definition]] = field(default_factory=dict)

    def of(self, files: Collection[ChangedFile], changed: dict[str, frozenset[str]]) -> Iterator[Fact]:
        """Yield the facts about these files; `changed` maps each file to its changed names."""
        paths = {file.path for file in files if file.exists and file.path in self.graph.sources}
        for file in files:
            yield from self._contracts(file, changed.get(file.path, frozenset()))
        if not paths:
            return
        symbols = {path: changed[path] for path in sorted(paths) if path in changed}
        tree = SymbolGraph(self.graph, sorted(paths), self.deadline)
        tree.load(sorted({other for path in paths for other in self.graph.imported_by(path)}))
        uses = tree.uses(symbols)
        yield from self._callers(uses, tree)
        for file in files:
            if file.path in paths:
                yield from self._called(file, tree)
                yield from self._siblings(file, changed.get(file.path, frozenset()), tree)
        yield from self._tests(uses, tree)

    def definition(self, side: Side, place: Origin) -> Definition | None:
        """Return where a symbol is defined."""
        return next((one for one in self._definitions(side, place.file) if one.name == place.name), None)

    def _definitions(self, side: Side, path: str) -> list[Definition]:
        """Return the definitions of a file, imports and exports left out."""
        key = (side, path)
        if key not in self._known:
            lines = self.trees.lines(side, path)
            found = [] if lines is None else definitions(path, "\n".join(lines))
            self._known[key] = [one for one in found if one.kind not in ("import", "export")]
        return self._known[key]

    def excerpt(self, side: Side, path: str, start: int, end: int, most: int) -> Excerpt:
        """Return lines of a file, at most `most`."""
        lines = self.trees.lines(side, path) or []
        return Excerpt(side, path, start, tuple(lines[start - 1 : min(end, start + most - 1)]))

    def _contracts(self, file: ChangedFile, names: Collection[str]) -> Iterator[Fact]:
        """Yield the signatures that differ, and symbols that are gone."""
        base_path = file.base_path
        if base_path is None:
            return
        for name in sorted(set(names) - {EVERYTHING}):
            before = self.definition(Side.base, Origin(base_path, name))
            after = self.definition(Side.head, Origin(file.path, name)) if file.exists else None
            if before is None:
                continue
            old = self._signature(Side.base, base_path, before)
            if after is None:
                yield Fact(FactKind.contract, f"{name}: gone from the head; in the base", old)
                continue
            new = self._signature(Side.head, file.path, after)
            if [line.strip() for line in old.lines] != [line.strip() for line in new.lines]:
                yield Fact(FactKind.contract, f"{name}: before", old)
                yield Fact(FactKind.contract, f"{name}: after", new)

    def _signature(self, side: Side, path: str, one: Definition) -> Excerpt:
        """Return the lines up to the end of a signature: its brackets are closed, and a colon or brace follows."""
        lines = (self.trees.lines(side, path) or [])[one.line - 1 : one.end_line]
        depth = 0
        for count, line in enumerate(lines[:MOST_SIGNATURE_LINES], 1):
            depth += sum(line.count(mark) for mark in "([") - sum(line.count(mark) for mark in ")]")
            if depth <= 0 and not line.lstrip().startswith("@"):
                return self.excerpt(side, path, one.line, one.line + count - 1, MOST_SIGNATURE_LINES)
        return self.excerpt(side, path, one.line, one.end_line, MOST_SIGNATURE_LINES)

    def _callers(self, uses: Iterable[Use], tree: SymbolGraph) -> Iterator[Fact]:
        counts: dict[Origin, int] = {}
        for use in uses:
            target = use.via
            if use.hops != 1 or target is None or not target.name or tree.values.facts(use.place.file).has_tests:
                continue
            excerpt = self._mention(use.place, target.name.rpartition(".")[2])
            if excerpt is None or self._is_changed(excerpt):
                continue
            counts[target] = counts.get(target, 0) + 1
            if counts[target] <= MOST_CALLERS:
                how = "uses" if use.is_certain else "may use"
                yield Fact(FactKind.caller, f"{_named(use.place)} {how} {target.name}", excerpt)
        for target, count in counts.items():
            if count > MOST_CALLERS:
                yield Fact(FactKind.caller, f"{target.name}: {count - MOST_CALLERS} further callers are not shown")

    def _mention(self, place: Origin, name: str) -> Excerpt | None:
        """Return the line that mentions a name in a symbol, with a line around it."""
        lines = self.trees.lines(Side.head, place.file) or []
        one = self.definition(Side.head, place) if place.name else None
        first, last = (one.line, one.end_line) if one is not None else (1, len(lines))
        word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
        for number in range(first, min(last, len(lines)) + 1):
            if word.search(lines[number - 1]):
                return self.excerpt(Side.head, place.file, max(first, number - 1), min(last, number + 1), 3)
        return None

    def _is_changed(self, excerpt: Excerpt) -> bool:
        file = self.trees.change.by_path.get(excerpt.path)
        return file is not None and file.touches(excerpt.start, excerpt.start + len(excerpt.lines) - 1)

    def _called(self, file: ChangedFile, tree: SymbolGraph) -> Iterator[Fact]:
        """Yield the definitions that added lines name, outside the changed lines."""
        shown: set[Origin] = set()
        chains = {chain: line for line, text in file.added.items() for chain in _CHAIN.findall(text)}
        for chain, line in list(chains.items())[:MOST_CHAINS]:
            place = self._named(file.path, line, chain, tree)
            if place is not None and place not in shown and len(shown) < MOST_DEFINITIONS:
                one = self.definition(Side.head, place)
                if one is None or (place.file == file.path and file.touches(one.line, one.line)):
                    continue
                shown.add(place)
                excerpt = self.excerpt(Side.head, place.file, one.line, one.end_line, MOST_DEFINITION_LINES)
                cut = one.end_line - one.line + 1 - len(excerpt.lines)
                yield Fact(FactKind.definition, place.name + (f" ({cut} more lines)" if cut > 0 else ""), excerpt)

    def _named(self, path: str, line: int, chain: str, tree: SymbolGraph) -> Origin | None:
        """Return the symbol that a chain of names means on a line."""
        first, _, rest = chain.partition(".")
        if first in _OWN and rest:
            around = [
                one
                for one in self._definitions(Side.head, path)
                if one.kind == "class" and one.line <= line <= one.end_line
            ]
            return tree.values.member(Origin(path, around[-1].name), rest.partition(".")[0]) if around else None
        for place, left in tree.values.resolved(path, chain):
            if place.name and not left:
                return place
            if place.name and (values := tree.values.of_place(place)):
                member = tree.values.member(next(iter(sorted(values))), left[0])
                return member if member is not None else place
        return None

    def _siblings(self, file: ChangedFile, names: Collection[str], tree: SymbolGraph) -> Iterator[Fact]:
        """Yield the other implementations of a changed class's parent, and methods of the same name there."""
        found: dict[Origin, None] = {}
        for name in sorted(names):
            owner, _, member = name.rpartition(".")
            holder = Origin(file.path, owner or name)
            for base in tree.values.bases(holder)[0]:
                for other in tree.values.family(base)[1:]:
                    full = f"{other.name}.{member}" if owner else other.name
                    if other != holder and full in tree.values.symbols(other.file):
                        found[Origin(other.file, full)] = None
        for place in list(found)[:MOST_SIBLINGS]:
            one = self.definition(Side.head, place)
            if one is not None:
                excerpt = self.excerpt(Side.head, place.file, one.line, one.end_line, MOST_DEFINITION_LINES)
                yield Fact(FactKind.sibling, place.name, excerpt)

    def _tests(self, uses: Iterable[Use], tree: SymbolGraph) -> Iterator[Fact]:
        found: dict[str, list[str]] = {}
        for use in uses:
            if tree.values.facts(use.place.file).has_tests and use.place.file not in self.trees.change.by_path:
                names = found.setdefault(use.place.file, [])
                if use.place.name != ANY:
                    names.append(use.place.name or "top level")
        for path, names in list(found.items())[:MOST_TESTS]:
            yield Fact(FactKind.test, path, text=tuple(dict.fromkeys(names))[:6])


def _named(place: Origin) -> str:
    return "some code" if place.name == ANY else place.name or "top level"
