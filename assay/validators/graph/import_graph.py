"""Import graph of a whole tree, tests and scripts included.

An edge goes from the importer to the imported file. docs/graph.md defines what counts as an import.
"""

from __future__ import annotations

import contextlib
import gc
import heapq
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from assay.statistics import percentile
from assay.validators.changes.change import ChangeSet, NatureOf, SourceTree
from assay.validators.changes.classify import Nature, nature_of
from assay.validators.graph.scan_cache import ScanCache
from assay.validators.graph.sources import LARGEST_SCRIPT, TreeSources
from assay.validators.graph.unchanged import same_edges
from assay.validators.languages.engine.names import ByNames
from assay.validators.languages.language import Import, Resolver
from assay.validators.languages.register import LANGUAGES, languages_using
from assay.validators.progress import Deadline

if TYPE_CHECKING:
    import networkx as nx

Tree = TypeVar("Tree")
PROSE = (".md", ".rst", ".txt", ".adoc")
"""Files that no program imports."""


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
    """Import graphs of a change's trees, in the languages of its files; built on first use and shared by the tiers.

    Both methods raise `OutOfTime`; `store` keeps the files read until then.
    """

    def __init__(self, change: ChangeSet, store: ScanCache | None = None) -> None:
        self._change = change
        self._store = store
        self._built: dict[str, ImportGraph] = {}

    @cached_property
    def languages(self) -> frozenset[str]:
        """Names of the languages whose files may depend on the change: of no other file does an import lead to it."""
        trees = self._change.base, self._change.head
        paths = {path for file in self._change.files for path in (file.path, file.base_path or file.path)}
        paths = {path for path in paths if not path.lower().endswith(PROSE)}
        bare = {path for path in paths if "." not in path.rpartition("/")[2]}
        found = [languages_using(path) for path in paths - bare]
        found += [
            languages_using(path, content[:200])
            for tree in trees
            for path, content in tree.read_many(sorted(bare), LARGEST_SCRIPT)
            if content is not None
        ]
        return frozenset().union(*found)

    def head(self, deadline: Deadline) -> ImportGraph:
        """Return the import graph after the change."""
        return self._graph(self._change.head, None, deadline)

    def base(self, deadline: Deadline) -> ImportGraph:
        """Return the import graph before the change; unchanged files are not read again."""
        return self._graph(self._change.base, self.head(deadline), deadline)

    def _graph(self, tree: SourceTree, known: ImportGraph | None, deadline: Deadline) -> ImportGraph:
        side = "head" if known is None else "base"
        if side not in self._built:
            nature = self._change.nature_of
            self._built[side] = build_graph(tree, known, self._store, deadline, nature, self.languages)
        return self._built[side]


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
    wanted: Collection[str] = LANGUAGES,
) -> ImportGraph:
    """Return the import graph of a tree.

    `known`, the graph of another tree, provides the scans of files with the same content, and the edges of those that
    find the same there. `store` keeps the scans for later runs. `wanted` names the languages to read. Raises
    `OutOfTime` if the deadline passes first.
    """
    started = time.perf_counter()
    import networkx as nx  # loaded on first use: it takes a tenth of a second

    sources = TreeSources(tree, known.sources if known is not None else None, store, deadline, wanted)
    resolvers = {name: language.resolver(sources) for name, language in LANGUAGES.items() if name in wanted}
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(sources.scans)
    unresolved: list[Unresolved] = []
    same: set[str] = set()
    if known is not None:
        same = same_edges(sources, known.sources)
        graph.add_edges_from(known.graph.out_edges(same, data=True))
        unresolved += (one for one in known.unresolved if one.file in same)
    for path, scan in sources.scans.items():
        if path in same:
            continue
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
    unresolved.sort(key=lambda one: one.file)
    sources.asked_for_edges = frozenset(sources.asked | (known.sources.asked_for_edges if same and known else set()))
    return ImportGraph(graph, tuple(unresolved), time.perf_counter() - started, sources, resolvers, nature_of)
