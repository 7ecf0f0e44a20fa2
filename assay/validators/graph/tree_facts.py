"""Facts of the files of one tree, kept by content between runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from assay.validators.graph.kept_facts import KeptFacts, kept
from assay.validators.graph.scan_cache import Key
from assay.validators.graph.sources import TreeSources, object_id
from assay.validators.languages.register import LANGUAGES
from assay.validators.progress import Deadline

MOST_READ = 4000
"""Maximum files whose content is read for facts in one run; the cache does not count."""

_SAVED_AT_ONCE = 500


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
        wanted = [path for path in paths if path in self._sources.languages and path not in self.by_path]
        keys = {path: key for path in wanted if (key := self._key(path)) is not None}
        known = self._sources.store.load_facts(set(keys.values())) if self._sources.store is not None else {}
        unknown = []
        for path in wanted:
            found = known.get(keys[path]) if path in keys else None
            if found is None:
                unknown.append(path)
            else:
                self.by_path[path] = found
        self.not_read += unknown[MOST_READ:]
        self._read(unknown[:MOST_READ])

    def _read(self, paths: Collection[str]) -> None:
        fresh: dict[Key, KeptFacts] = {}
        try:
            for path, content in self._sources.tree.read_many(paths):
                if self._deadline is not None:
                    self._deadline.check("symbols")
                if content is None:
                    self.not_read.append(path)
                    continue
                language = self._sources.languages[path]
                found = self.by_path[path] = kept(LANGUAGES[language].facts(content, path))
                fresh[self._dialect(path), object_id(content)] = found
                if len(fresh) >= _SAVED_AT_ONCE:
                    self._save(fresh)
                    fresh = {}
        finally:
            self._save(fresh)

    def _save(self, fresh: dict[Key, KeptFacts]) -> None:
        if self._sources.store is not None and fresh:
            self._sources.store.save_facts(fresh)

    def _key(self, path: str) -> Key | None:
        blob = self._sources.tree.blob(path)
        if blob is None and path in self._sources.keys:
            blob = self._sources.keys[path][1]
        return (self._dialect(path), blob) if blob is not None else None

    def _dialect(self, path: str) -> str:
        name = path.rpartition("/")[2]
        return f"{self._sources.languages[path]} {name.rpartition('.')[2] if '.' in name else ''}"
