"""Source files of a tree with their imports: read once, or taken from another tree or an earlier run."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence

from assay.validators.changes.change import SourceTree
from assay.validators.changes.language_table import language_of
from assay.validators.graph.scan_cache import Key, ScanCache
from assay.validators.languages.language import Scan
from assay.validators.languages.register import LANGUAGES, language_reading
from assay.validators.progress import Deadline

LARGEST_SCRIPT = 64 * 1024
"""Bytes; a smaller file without a suffix is read for a first line such as `#!/usr/bin/env python3`."""

MOST_SCRIPTS = 2000
"""Maximum files without a suffix that are read, nearest to the top first: a tree with more holds data, not scripts."""

_AT_ONCE = 100
"""Files whose contents are in memory at the same time."""


class TreeSources:
    """Tree with the scans of all its source files, for resolvers.

    `scans` is by path, in the tree's order; `languages` maps each of these paths to its language, `keys` to the key of
    its content if known; `not_read` are files too large to read. `wanted` are the languages to read. The constructor
    raises `OutOfTime` at the deadline; files read until then are in the store, so that the next attempt gets further.
    """

    def __init__(
        self,
        tree: SourceTree,
        known: TreeSources | None = None,
        store: ScanCache | None = None,
        deadline: Deadline | None = None,
        wanted: Collection[str] = LANGUAGES,
    ) -> None:
        self.tree = tree
        self.wanted = wanted
        self._deadline = deadline
        self.paths: Sequence[str] = tree.paths
        self.languages: dict[str, str] = {}
        self.keys: dict[str, Key] = {}
        self.not_read: list[str] = []
        self.asked: set[str] = set()
        """Files whose content the resolvers asked for, and those of them for the edges of the tree."""
        self.asked_for_edges: frozenset[str] = frozenset()
        self._dialects: dict[str, str] = {}
        self._by_suffix: dict[str, tuple[str, str] | None] = {}
        self.store = store
        self._lent = {key: known.scans[path] for path, key in known.keys.items()} if known is not None else {}
        self._find_sources()
        self.scans: dict[str, Scan] = dict.fromkeys(sorted(self.languages), Scan())
        self._fill()

    def __contains__(self, path: object) -> bool:
        return path in self.tree

    def scan(self, path: str) -> Scan:
        """Return a file's imports; none if no language covers it."""
        return self.scans.get(path, Scan())

    def read(self, path: str) -> bytes | None:
        """Return a file's content; None if it is absent or too large."""
        self.asked.add(path)
        return self.tree.read(path)

    def _find_sources(self) -> None:
        bare: list[str] = []
        for path in self.paths:
            _, dot, suffix = path.rpartition("/")[2].rpartition(".")
            if not dot:
                bare.append(path)
                continue
            if suffix not in self._by_suffix:
                self._by_suffix[suffix] = self._dialect(path)
            if (found := self._by_suffix[suffix]) is not None:
                self.languages[path], self._dialects[path] = found
        bare = sorted(bare, key=lambda path: path.count("/"))[:MOST_SCRIPTS]
        for path, content in self.tree.read_many(bare, LARGEST_SCRIPT):
            self._check_time()
            if content is not None and (content.startswith(b"#!") or language_of(path) is not None):
                found = self._dialect(path, content[:200])
                if found is not None:
                    self.languages[path], self._dialects[path] = found

    def _dialect(self, path: str, first_bytes: bytes = b"") -> tuple[str, str] | None:
        """Return language and dialect of a file; None if no wanted language reads it."""
        found = language_reading(path, first_bytes)
        return found if found is not None and found[0] in self.wanted else None

    def _fill(self) -> None:
        """Scan each file, from the known scans or by reading it."""
        blobs = ((path, self.tree.blob(path)) for path in self._dialects)
        self.keys |= {path: (self._dialects[path], blob) for path, blob in blobs if blob is not None}
        unknown = self._unknown(self.scans)
        fresh: dict[Key, Scan] = {}
        try:
            for start in range(0, len(unknown), _AT_ONCE):
                self._read(unknown[start : start + _AT_ONCE], fresh)
        finally:
            if self.store is not None and fresh:
                self.store.save(fresh)

    def _read(self, paths: list[str], fresh: dict[Key, Scan]) -> None:
        """Scan files with unknown content, and add the new scans to `fresh`."""
        contents: dict[str, bytes] = {}
        for path, content in self.tree.read_many(paths):
            self._check_time()
            if content is None:
                self.not_read.append(path)
                continue
            contents[path] = content
            if self._lent or self.store is not None:
                self.keys.setdefault(path, (self._dialects[path], object_id(content)))
        for path in self._unknown(contents):
            self._check_time()
            language, dialect = LANGUAGES[self.languages[path]], self._dialects[path]
            scan = self.scans[path] = language.scan(contents[path], dialect)
            if path in self.keys:
                fresh[self.keys[path]] = scan

    def _unknown(self, paths: Iterable[str]) -> list[str]:
        """Take the scans that are known; return the files without one."""
        keys = {path: self.keys.get(path) for path in paths}
        missing = {key for key in keys.values() if key is not None and key not in self._lent}
        if self.store is not None and missing:
            self._lent.update(self.store.load(missing))
        self.scans |= {path: self._lent[key] for path, key in keys.items() if key in self._lent}
        return [path for path, key in keys.items() if key not in self._lent]

    def _check_time(self) -> None:
        if self._deadline is not None:
            self._deadline.check("graph")


def object_id(content: bytes) -> str:
    """Return git's SHA-1 object id of this content; only speed depends on it."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
