"""Import graph of a whole tree, tests and scripts included.

An edge goes from the importer to the imported file. docs/graph.md defines what counts as an import.
"""

from __future__ import annotations

import contextlib
import gc
import heapq
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from assay.statistics import percentile
from assay.validators.changes.change import NatureOf, SourceTree
from assay.validators.changes.classify import Nature, nature_of
from assay.validators.graph.scan_cache import ScanCache
from assay.validators.graph.sources import TreeSources
from assay.validators.languages.engine.names import ByNames
from assay.validators.languages.language import Import, Resolver
from assay.validators.languages.register import LANGUAGES
from assay.validators.progress import Deadline

if TYPE_CHECKING:
    import networkx as nx

Tree = TypeVar("Tree")


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Import that looks like one of this tree's files and does not lead to one, or only in part."""

    file: str
    line: int
    target: str
    why: str


@dataclass(frozen=True, slots=True)
class Reached:
    """File that depends on a change; `via` is the next file on the way to the change.

    `distance` counts the edges, a weak one twice: its file does not use the other one itself.
    """

    path: str
    distance: int
    via: str


@dataclass(frozen=True)
class ImportGraph:
    """Imports between the files of one tree: `graph` has an edge importer -> imported.

    An edge with `is_weak` leads from the file of a type to another one that defines members of it.

    `not_read` lists source files that are too large to read, whose imports are unknown.
    """

    graph: nx.DiGraph[str]
    unresolved: tuple[Unresolved, ...]
    build_s: float
    sources: TreeSources = field(repr=False)
    resolvers: Mapping[str, Resolver] = field(repr=False)
    nature_of: NatureOf = field(default=nature_of, repr=False)

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Every file of the graph, sorted: the source files of the covered languages, and the files they import."""
        return tuple(sorted(self.graph))

    @property
    def not_read(self) -> tuple[str, ...]:
        return tuple(self.sources.not_read)

    def resolver(self, kind: type[Tree]) -> Tree:
        """Return the resolver of this kind that found the edges of one language."""
        return next(one for one in self.resolvers.values() if isinstance(one, kind))

    def importers(self, paths: Iterable[str]) -> set[str]:
        """Return the files that import one of `paths` directly, without `paths` themselves."""
        among = set(paths)
        edges: Iterable[tuple[str, str, bool | None]] = self.graph.in_edges(among & set(self.graph), data="is_weak")
        return {importer for importer, _, is_weak in edges if not is_weak} - among

    def imported_by(self, path: str) -> set[str]:
        """Return the files that `path` imports directly."""
        return set(self.graph.successors(path)) if path in self.graph else set()

    def imports_of(self, importer: str, path: str) -> list[Import]:
        """Return the imports of a file, as they are written, that lead to another file."""
        resolver = self.resolvers[self.sources.languages[importer]]
        return [item for item in self.sources.scan(importer).imports if path in resolver.resolve(importer, item).files]

    def fan_in(self, path: str) -> int:
        """Return the number of files that import `path` directly, or name what it declares."""
        return self._num_users.get(path, 0)

    @cached_property
    def busy_fan_in(self) -> float:
        """95th percentile of fan-in over source files with an importer: above it a file is shared infrastructure.

        Files without an importer are left out: a tree has many scripts and tests, next to which every imported file
        would look busy. 0 if no file has an importer.
        """
        used = [num for path, num in self._num_users.items() if self.nature_of(path, b"") is Nature.source]
        return percentile(used, 95) or 0.0

    @cached_property
    def _num_users(self) -> Counter[str]:
        edges: Iterable[tuple[str, str, bool | None]] = self.graph.edges(data="is_weak")
        return Counter(target for _, target, is_weak in edges if not is_weak)

    @cached_property
    def num_tests(self) -> int:
        """Number of the files that a test runner may collect: tests by nature and name, without imported helpers.

        Where names lead to files, tests may use each other's helpers, and the file's name alone decides.
        """
        rows = {name: one.row for name, one in LANGUAGES.items()}
        return sum(
            row.collected.search(path) is not None
            and not (row.runs_on_import and self._num_users[path])
            and self.nature_of(path, b"") is Nature.test
            for path in self.graph
            if (row := rows.get(self.sources.languages.get(path, ""))) is not None
        )

    def dependents(self, paths: Iterable[str]) -> list[Reached]:
        """Return every file that reaches one of `paths`, nearest first, then by name, without `paths` themselves."""
        queue = [(0, path, "") for path in set(paths) if path in self.graph]
        heapq.heapify(queue)
        found: dict[str, Reached] = {}
        while queue:
            distance, path, via = heapq.heappop(queue)
            if path in found:
                continue
            found[path] = Reached(path, distance, via)
            edges: Iterable[tuple[str, str, bool | None]] = self.graph.in_edges(path, data="is_weak")
            for importer, _, is_weak in edges:
                if importer not in found:
                    heapq.heappush(queue, (distance + (2 if is_weak else 1), importer, path))
        return [one for one in found.values() if one.distance]


class Graphs:
    """Import graphs of a change's trees, each built on first use and shared by the tiers.

    Both methods raise `OutOfTime`; `store` keeps the files read until then.
    """

    def __init__(
        self, base: SourceTree, head: SourceTree, store: ScanCache | None = None, nature_of: NatureOf = nature_of
    ) -> None:
        self._trees = (base, head)
        self._store = store
        self._nature_of = nature_of
        self._built: dict[str, ImportGraph] = {}

    def head(self, deadline: Deadline) -> ImportGraph:
        """Return the import graph after the change."""
        if "head" not in self._built:
            self._built["head"] = build_graph(self._trees[1], None, self._store, deadline, self._nature_of)
        return self._built["head"]

    def base(self, deadline: Deadline) -> ImportGraph:
        """Return the import graph before the change; unchanged files are not read again."""
        if "base" not in self._built:
            known = self.head(deadline)
            self._built["base"] = build_graph(self._trees[0], known, self._store, deadline, self._nature_of)
        return self._built["base"]


@contextlib.contextmanager
def garbage_kept() -> Iterator[None]:
    """Disable garbage collection: a growing graph creates none, and the search takes a fifth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@garbage_kept()
def build_graph(
    tree: SourceTree,
    known: ImportGraph | None = None,
    store: ScanCache | None = None,
    deadline: Deadline | None = None,
    nature_of: NatureOf = nature_of,
) -> ImportGraph:
    """Return the import graph of a tree.

    `known`, the graph of another tree, provides the scans of files with the same content. `store` keeps the scans for
    later runs. Raises `OutOfTime` if the deadline passes first.
    """
    started = time.perf_counter()
    import networkx as nx  # loaded on first use: it takes a tenth of a second

    sources = TreeSources(tree, known.sources if known is not None else None, store, deadline)
    resolvers = {name: language.resolver(sources) for name, language in LANGUAGES.items()}
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(sources.scans)
    unresolved: list[Unresolved] = []
    for path, scan in sources.scans.items():
        if deadline is not None:
            deadline.check("graph")
        # Bundled and vendored files import by names of the place they come from.
        is_ours = nature_of(path, b"") not in (Nature.vendored, Nature.generated)
        resolver = resolvers[sources.languages[path]]
        targets = set(resolver.implied(path))
        for item in scan.imports:
            resolution = resolver.resolve(path, item)
            targets.update(resolution.files)
            if resolution.why is not None and is_ours:
                unresolved.append(Unresolved(path, item.line, item.target, resolution.why))
        targets.discard(path)
        graph.add_edges_from((path, target) for target in targets)
        parts = {*resolver.parts(path), *(resolver.extended(path) if isinstance(resolver, ByNames) else ())}
        parts -= targets | {path}
        graph.add_edges_from(((path, target) for target in parts), is_weak=True)
    return ImportGraph(graph, tuple(unresolved), time.perf_counter() - started, sources, resolvers, nature_of)
