"""Files of a commit through GitHub's API, with contents read on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.github.client.connection import Connection, RepositoryClient, quoted, understood
from assay.github.client.endpoints.branches import base64_content
from assay.github.client.limits import MOST_FILE_BYTES

_READ = "contents: read"
_REGULAR = frozenset(("100644", "100755"))


class PastTree:
    """Files of a commit. `known` caches contents by id across commits."""

    def __init__(
        self,
        connection: Connection,
        repository: str,
        sha: str,
        blobs: Mapping[str, str],
        links: frozenset[str],
        known: dict[str, bytes | None],
    ) -> None:
        self.name = sha
        self._connection = connection
        self._repository = repository
        self._blobs = blobs
        self._links = links
        self._known = known

    @property
    def paths(self) -> Sequence[str]:
        return sorted(self._blobs)

    def __contains__(self, path: object) -> bool:
        return path in self._blobs

    def is_link(self, path: str) -> bool:
        return path in self._links

    def blob(self, path: str) -> str | None:
        return self._blobs.get(path)

    def read(self, path: str, limit: int = MOST_FILE_BYTES) -> bytes | None:
        sha = self._blobs.get(path)
        if sha is None:
            return None
        if sha not in self._known:
            self._known[sha] = self._content(sha)
        content = self._known[sha]
        return content if content is not None and len(content) <= limit else None

    def read_many(self, paths: Iterable[str], limit: int = MOST_FILE_BYTES) -> Iterator[tuple[str, bytes | None]]:
        for path in paths:
            yield path, self.read(path, limit)

    def _content(self, sha: str) -> bytes | None:
        path = f"/repos/{self._repository}/git/blobs/{quoted(sha)}"
        return base64_content(self._connection.find(path, "read a file", _READ))


class PastTrees(RepositoryClient):
    """Files of commits."""

    def tree(self, sha: str, known: dict[str, bytes | None]) -> PastTree | None:
        """Return the files of a commit; None if it is gone, or if GitHub truncates the list."""
        what = "list the files of a commit"
        path = f"{self._path}/git/trees/{quoted(sha)}"
        data = self._connection.find(path, what, _READ, recursive="1")
        if data is None or (isinstance(data, dict) and data.get("truncated")):
            return None
        entries = understood(lambda given: [_entry(one) for one in given["tree"]], data, what)
        blobs = {path: blob for path, mode, blob in entries if mode in _REGULAR}
        links = frozenset(path for path, mode, _ in entries if mode == "120000")
        return PastTree(self._connection, self.full_name, sha, blobs, links, known)


def _entry(data: Mapping[str, Any]) -> tuple[str, str, str]:
    return str(data["path"]), str(data["mode"]), str(data["sha"])
