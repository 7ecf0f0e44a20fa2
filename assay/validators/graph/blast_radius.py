"""Blast radius: the files that depend on a change, those that use it before those that only import it.

*Run first* are the files with a chain of uses from the changed symbols that is not too long; the others *may be
affected*.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from assay.validators.changes.past_pulls import PastPull, failed_with
from assay.validators.graph.contexts import Contexts
from assay.validators.graph.import_graph import ImportGraph, garbage_kept
from assay.validators.graph.symbol_graph import SymbolGraph, Use
from assay.validators.languages.language import Origin
from assay.validators.progress import Deadline

FARTHEST_FIRST = 5.5
"""Cost up to which a file runs first; chosen on the repositories of docs/graph.md."""

SEVERAL = 0.35
"""Taken off the cost for each doubling of the symbols of a file that use the change."""


@dataclass(frozen=True, slots=True)
class Affected:
    """File that depends on a change.

    `distance` and `via` are those of the imports. `uses` are the changed symbols that its code uses, `may_use` those
    where the text leaves open what is meant. `cost` is that of the shortest chain of uses, less if several symbols of
    the file use the change, None without a chain; `is_certain`: a chain without a guess leads to the change.
    `covers`: the file's tests run changed code by coverage data; None if the data does not cover it. `num_failed`:
    earlier pull requests that changed the same files and on which it failed.
    """

    path: str
    distance: int
    via: str | None
    uses: tuple[str, ...] = ()
    may_use: tuple[str, ...] = ()
    cost: float | None = None
    is_certain: bool = False
    covers: bool | None = None
    num_failed: int = 0
    has_tests: bool = False
    entry_points: tuple[str, ...] = ()

    @property
    def runs_first(self) -> bool:
        """Whether it is likely to notice the change."""
        is_near = self.cost is not None and self.cost <= FARTHEST_FIRST
        return self.num_failed > 0 or (is_near if self.covers is None else self.covers)

    @property
    def reason(self) -> str:
        """Reason for its place, in one or two words."""
        if self.num_failed:
            return "failed before"
        if self.covers is not None:
            return "covered" if self.covers else "not covered"
        return "imports" if self.cost is None else "uses" if self.is_certain else "may use"


@dataclass(frozen=True, slots=True)
class BlastRadius:
    """Files that depend on a change, the likeliest to notice it first; uses in `not_read` are unknown.

    `changed_tests` are the changed files that hold tests.
    """

    affected: tuple[Affected, ...]
    not_read: tuple[str, ...] = ()
    changed_tests: tuple[str, ...] = ()


@garbage_kept()
def blast_radius(
    graph: ImportGraph,
    symbols: Mapping[str, Collection[str]],
    changed: Collection[str],
    deadline: Deadline | None = None,
    contexts: Contexts | None = None,
    past_pulls: Sequence[PastPull] = (),
    new: Collection[str] = (),
) -> BlastRadius:
    """Return the blast radius of changed files, of which `symbols` changed (file -> names).

    Names in `new` were not there before: only files that import one by its name surely use it. Raises `OutOfTime`.
    """
    tree = SymbolGraph(graph, changed, deadline)
    found = {one.path: Affected(one.path, one.distance, one.via) for one in graph.dependents(changed)}
    entries: dict[str, set[str]] = {}
    costs: dict[str, dict[str, float]] = {}
    ways: dict[Origin, Use] = {}
    for use in tree.uses(symbols, new):
        ways.setdefault(use.place, use)
        if use.place.file in changed:
            continue
        known = found.get(use.place.file)
        if known is None:  # it imports a package that runs on the way
            known = Affected(use.place.file, use.hops, use.via.file if use.via is not None else None)
        # The cheapest chain comes first: the next file on it explains the dependent, not the next import.
        via = _next_file(use, ways) if use.place.file not in costs else known.via
        found[use.place.file] = replace(known, is_certain=known.is_certain or use.is_certain, via=via)
        costs.setdefault(use.place.file, {}).setdefault(use.place.name, use.cost)
        if use.is_certain:
            entries.setdefault(use.place.file, set()).update(_entry(tree, use))
    users = tree.users(symbols)
    asked = {name: paths for name in new if (paths := [path for path, names in symbols.items() if name in names])}
    meant = {name: frozenset().union(*(tree.importers_by_name(path, name) for path in asked[name])) for name in asked}
    tree.load(found)
    # Coverage is measured in source: what changed in tests is not in the data, and runs in its own file.
    measured = {
        path: names
        for path, names in symbols.items()
        if not tree.values.facts(path).has_tests and path in graph.sources.languages
    }
    failed = failed_with(past_pulls, changed)
    for path, one in found.items():
        has_tests = tree.values.facts(path).has_tests
        covers = contexts.covers(path, measured) if contexts is not None and has_tests else None
        # A new method of a known type may override one; code that did not change cannot mean a member of a new type.
        known_users = (
            (name, sure)
            for name, sure in users.get(path, {}).items()
            if sure or name not in new or name.rpartition(".")[0] not in new
        )
        named = sorted((name, sure and path in meant.get(name, {path})) for name, sure in known_users)
        found[path] = replace(
            one,
            uses=tuple(name for name, is_certain in named if is_certain),
            may_use=tuple(name for name, is_certain in named if not is_certain),
            cost=_cost(costs[path].values()) if path in costs else None,
            has_tests=has_tests,
            covers=covers,
            num_failed=failed.get(path, 0) if has_tests else 0,
            entry_points=tuple(sorted(entries.get(path, ()))),
        )
    own = tuple(sorted(path for path in changed if tree.values.facts(path).has_tests))
    return BlastRadius(ranked(found.values(), changed), tree.not_read, own)


def _next_file(use: Use, ways: Mapping[Origin, Use]) -> str | None:
    """Return the next other file on a chain of uses."""
    via = use.via
    while via is not None and via.file == use.place.file and via in ways:
        via = ways[via].via
    return via.file if via is not None else None


def import_radius(graph: ImportGraph, changed: Collection[str]) -> BlastRadius:
    """Return the blast radius by imports alone."""
    found = (Affected(one.path, one.distance, one.via) for one in graph.dependents(changed))
    return BlastRadius(ranked(found, changed))


def ranked(affected: Iterable[Affected], changed: Collection[str]) -> tuple[Affected, ...]:
    """Return the files in the order in which they are likely to notice the change.

    Those that run first come first, of these the ones that failed before; then by cost, a file named after a changed
    one before others, and nearer imports before farther ones.
    """
    stems = {_stem(path) for path in changed}
    return tuple(
        sorted(
            affected,
            key=lambda one: (
                not one.runs_first,
                not one.num_failed,
                math.inf if one.cost is None else one.cost,
                _stem(one.path) not in stems,
                one.distance,
                one.path,
            ),
        )
    )


def _cost(costs: Collection[float]) -> float:
    """Return the cost of a file from those of its symbols; one at the shortest cost counts fully, 1 more by half."""
    shortest = min(costs)
    return shortest - SEVERAL * math.log2(sum(2.0 ** (shortest - cost) for cost in costs))


def _entry(tree: SymbolGraph, use: Use) -> tuple[str, ...]:
    symbol = tree.values.symbol(use.place)
    return (symbol.entry,) if symbol is not None and symbol.entry and symbol.kind != "fixture" else ()


def _stem(path: str) -> str:
    """Return what a test and its subject have in common in their names: `client` for `test_client.py`."""
    name = PurePosixPath(path).name.partition(".")[0]
    return name.removeprefix("test_").removesuffix("_test").strip("_").lower()
