"""Facts of the files of one tree, kept by content between runs."""

from __future__ import annotations

from collections.abc import Iterable

from assay.validators.graph.kept_facts import KeptFacts, kept
from assay.validators.graph.scan_cache import Key
from assay.validators.graph.sources import TreeSources, object_id
from assay.validators.languages.register import LANGUAGES
from assay.validators.progress import Deadline

MOST_READ = 4000
"""Maximum files whose content is read for facts in one run; the cache does not count."""


class TreeFacts:
    """Facts of a tree's files, by path. Files that were not read are in `not_read`."""

    def __init__(self, sources: TreeSources, deadline: Deadline | None = None) -> None:
        self._sources = sources
        self._deadline = deadline
        self.by_path: dict[str, KeptFacts] = {}
        self.not_read: list[str] = []

    def load(self, paths: Iterable[str]) -> None:
        """Load the facts of these files, most important first; read those that are not kept yet.

        Raises `OutOfTime`; what was read until then is kept for the next run.
        """
        store = self._sources.store
        wanted = [path for path in paths if path in self._sources.languages and path not in self.by_path]
        keys = {
            path: (self._dialect(path), self._sources.keys[path][1]) for path in wanted if path in self._sources.keys
        }
        known = store.load_facts(set(keys.values())) if store is not None else {}
        self.by_path |= {path: known[key] for path, key in keys.items() if key in known}
        unknown = [path for path in wanted if path not in self.by_path]
        self.not_read += unknown[MOST_READ:]
        fresh: dict[Key, KeptFacts] = {}
        try:
            for path, content in self._sources.tree.read_many(unknown[:MOST_READ]):
                if self._deadline is not None:
                    self._deadline.check("symbols")
                if content is None:
                    self.not_read.append(path)
                    continue
                language = LANGUAGES[self._sources.languages[path]]
                found = self.by_path[path] = kept(language.facts(content, path))
                fresh[self._dialect(path), object_id(content)] = found
        finally:
            if store is not None and fresh:
                store.save_facts(fresh)

    def _dialect(self, path: str) -> str:
        name = path.rpartition("/")[2]
        return f"{self._sources.languages[path]} {name.rpartition('.')[2] if '.' in name else ''}"
