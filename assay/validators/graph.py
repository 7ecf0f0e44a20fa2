"""The import graph: which file of a tree imports which, over the whole tree, tests and scripts included.

An edge goes from the importer to what it imports. See docs/graph.md for what counts as an import of what.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import networkx as nx

from assay.validators.change import SourceTree, decoded
from assay.validators.classify import Nature, nature_of
from assay.validators.languages import LANGUAGES
from assay.validators.languages.language import EVERYTHING, Language, Resolver, Scan

SNIFFED_BYTES = 64 * 1024
"""A file without a suffix is read to see whether it is a script; scripts are small."""


@dataclass(frozen=True, slots=True)
class Unresolved:
    """An import that looks like one of this tree's own files, and leads to none."""

    file: str
    line: int
    target: str
    why: str


@dataclass(frozen=True, slots=True)
class Reached:
    """A file that depends on a change; `via` is the next file on the way to it, `distance` the number of edges."""

    path: str
    distance: int
    via: str


@dataclass(frozen=True)
class ImportGraph:
    """Who imports whom in one tree. `graph` has an edge importer -> imported; `not_read` lists files too large to look at."""

    tree: SourceTree
    graph: nx.DiGraph[str]
    unresolved: tuple[Unresolved, ...]
    not_read: tuple[str, ...]
    build_s: float
    scans: Mapping[str, Scan] = field(repr=False)
    resolvers: Mapping[str, Resolver] = field(repr=False)

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Every file of the graph, sorted: the source files of the languages covered, and what they import."""
        return tuple(sorted(self.graph))

    @cached_property
    def scans_by_key(self) -> Mapping[tuple[str, str], Scan]:
        """(dialect, blob) -> what was found in it, for the graph of another tree to use."""
        found = {}
        for path, scan in self.scans.items():
            blob, claim = self.tree.blob(path), _claim(path)
            if blob is not None and claim is not None:
                found[claim[1], blob] = scan
        return found

    def importers(self, paths: Iterable[str]) -> set[str]:
        """The files that import one of `paths` directly, without those that are among them."""
        among = set(paths)
        return {importer for path in among if path in self.graph for importer in self.graph.predecessors(path)} - among

    def imported_by(self, path: str) -> set[str]:
        """The files that `path` imports directly."""
        return set(self.graph.successors(path)) if path in self.graph else set()

    def fan_in(self, path: str) -> int:
        """How many files import `path` directly."""
        return int(self.graph.in_degree(path)) if path in self.graph else 0

    def fan_in_percentile(self, p: float) -> float:
        """The `p`th percentile (0 to 100, linear between neighbours) of fan-in over source files with an importer; 0 where none has one.

        Files nobody imports are left out, else the many scripts and tests would make every imported file look busy.
        """
        values = self._fan_ins
        if not values:
            return 0.0
        at = (len(values) - 1) * min(max(p, 0.0), 100.0) / 100
        low = int(at)
        high = min(low + 1, len(values) - 1)
        return values[low] + (values[high] - values[low]) * (at - low)

    def dependents(self, paths: Iterable[str], max_distance: int | None = None) -> list[Reached]:
        """Every file from which `paths` can be reached, nearest first, then by name; `paths` themselves are left out."""
        start = sorted({path for path in paths if path in self.graph})
        seen = set(start)
        queue = deque((path, 0) for path in start)
        found: list[Reached] = []
        while queue:
            path, distance = queue.popleft()
            if max_distance is not None and distance >= max_distance:
                break
            for importer in sorted(self.graph.predecessors(path)):
                if importer not in seen:
                    seen.add(importer)
                    found.append(Reached(importer, distance + 1, path))
                    queue.append((importer, distance + 1))
        return sorted(found, key=lambda reached: (reached.distance, reached.path))

    def users(self, symbols: Mapping[str, Collection[str]]) -> dict[str, tuple[str, ...]]:
        """Importer -> the changed symbols it uses. `symbols` maps each changed file to the names that changed in it.

        `"*"` (the file's top level itself) is used by every importer. Where use cannot be told, it counts as use.
        """
        found: dict[str, set[str]] = {}
        for path, names in symbols.items():
            for importer in self.importers([path]):
                if EVERYTHING in names:
                    found.setdefault(importer, set()).add(EVERYTHING)
        return {importer: tuple(sorted(names)) for importer, names in sorted(found.items()) if names}

    @cached_property
    def _fan_ins(self) -> list[int]:
        degrees = self.graph.in_degree()
        return sorted(degree for path, degree in degrees if degree and nature_of(path) is Nature.source)


def build_graph(tree: SourceTree, known: ImportGraph | None = None) -> ImportGraph:
    """The import graph of a tree; `known`, another tree's, lends what it found in files that are the same."""
    started = time.perf_counter()
    sources = _TreeSources(tree, known)
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(sources.scans)
    resolvers = {name: language.resolver(sources) for name, language in LANGUAGES.items()}
    unresolved: list[Unresolved] = []
    for path, scan in sources.scans.items():
        resolver = resolvers[sources.languages[path]]
        targets: set[str] = set()
        for item in scan.imports:
            resolution = resolver.resolve(path, item)
            targets.update(resolution.files)
            if resolution.why is not None:
                unresolved.append(Unresolved(path, item.line, item.target, resolution.why))
        targets.discard(path)
        graph.add_edges_from((path, target) for target in targets)
    return ImportGraph(
        tree=tree,
        graph=graph,
        unresolved=tuple(unresolved),
        not_read=tuple(sources.not_read),
        build_s=time.perf_counter() - started,
        scans=sources.scans,
        resolvers=resolvers,
    )


class _TreeSources:
    """A tree with the scans of all its source files, as resolvers want it."""

    def __init__(self, tree: SourceTree, known: ImportGraph | None) -> None:
        self.tree = tree
        self.paths: Sequence[str] = tree.paths
        self.languages: dict[str, str] = {}
        self.scans: dict[str, Scan] = {}
        self.not_read: list[str] = []
        lent = known.scans_by_key if known is not None else {}
        wanted: list[str] = []
        dialects: dict[str, str] = {}
        for path in self.paths:
            claim = _claim(path)
            if claim is None:
                continue
            language, dialects[path] = claim
            self.languages[path] = language
            blob = tree.blob(path)
            scan = lent.get((dialects[path], blob)) if blob is not None else None
            if scan is None:
                wanted.append(path)
                scan = Scan()
            self.scans[path] = scan
        for path, content in tree.read_many(wanted):
            if content is None:
                self.not_read.append(path)
            else:
                self.scans[path] = LANGUAGES[self.languages[path]].scan(content, dialects[path])

    def __contains__(self, path: object) -> bool:
        return path in self.tree

    def scan(self, path: str) -> Scan | None:
        return self.scans.get(path)

    def read(self, path: str) -> bytes | None:
        return self.tree.read(path)


def _claim(path: str) -> tuple[str, str] | None:
    """(language, dialect) of a file by its name."""
    for name, language in LANGUAGES.items():
        dialect = language.dialect(path)
        if dialect is not None:
            return name, dialect
    return None
