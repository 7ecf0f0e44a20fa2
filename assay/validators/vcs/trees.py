"""Trees to read files from: a commit's objects, or a folder on disk. Neither follows a link."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from assay.validators.changes.change import READ_LIMIT
from assay.validators.errors import ObjectMissing
from assay.validators.io.decoding import readable

ReadBlobs = Callable[[Sequence[str], int], Iterator[bytes | ObjectMissing | None]]
"""Object ids and a limit in bytes -> each object's content, None where it is larger than the limit."""


@dataclass(frozen=True)
class ObjectTree:
    """A tree of git objects; text is read as UTF-8 (`decoding`).

    `blobs` maps each regular file to its object id; `links` are the symbolic links.

    A partial clone may lack contents. Reading one raises `ObjectMissing` if `needed` names its path (None: every
    path); another one reads as None, and its path is added to `absent`.
    """

    name: str
    blobs: Mapping[str, str]
    read_blobs: ReadBlobs
    links: frozenset[str] = frozenset()
    needed: Collection[str] | None = None
    absent: set[str] = field(default_factory=set, compare=False)

    @cached_property
    def paths(self) -> Sequence[str]:
        return sorted(self.blobs)

    def __contains__(self, path: object) -> bool:
        return path in self.blobs

    def is_link(self, path: str) -> bool:
        return path in self.links

    def blob(self, path: str) -> str | None:
        return self.blobs.get(path)

    def read(self, path: str, limit: int = READ_LIMIT) -> bytes | None:
        return next(self.read_many([path], limit))[1]

    def read_many(self, paths: Iterable[str], limit: int = READ_LIMIT) -> Iterator[tuple[str, bytes | None]]:
        wanted = list(paths)
        known = [blob for path in wanted if (blob := self.blobs.get(path)) is not None]
        contents = iter(self.read_blobs(known, limit))
        for path in wanted:
            yield path, self._present(path, next(contents)) if path in self.blobs else None

    def _present(self, path: str, content: bytes | ObjectMissing | None) -> bytes | None:
        if not isinstance(content, ObjectMissing):
            return None if content is None else readable(path, content)
        if self.needed is None or path in self.needed:
            raise content
        self.absent.add(path)
        return None


@dataclass(frozen=True)
class FolderTree:
    """Files of a folder on disk, as they are now; `listed` says which (relative, any order)."""

    name: str
    root: str
    listed: Sequence[str]

    @cached_property
    def paths(self) -> Sequence[str]:
        return sorted(path for path in set(self.listed) if self._is_regular(path))

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.paths)

    def __contains__(self, path: object) -> bool:
        return path in self._known

    def is_link(self, path: str) -> bool:
        return os.path.islink(os.path.join(self.root, path))

    def blob(self, path: str) -> str | None:  # noqa: ARG002 - a folder has no content ids
        return None

    def read(self, path: str, limit: int = READ_LIMIT) -> bytes | None:
        if path not in self._known:
            return None
        return read_regular(os.path.join(self.root, path), limit)

    def read_many(self, paths: Iterable[str], limit: int = READ_LIMIT) -> Iterator[tuple[str, bytes | None]]:
        for path in paths:
            yield path, self.read(path, limit)

    def _is_regular(self, path: str) -> bool:
        try:
            return stat.S_ISREG(os.lstat(os.path.join(self.root, path)).st_mode)
        except (OSError, ValueError):
            return False


def read_regular(path: str, limit: int = READ_LIMIT) -> bytes | None:
    """Return the content of a regular file of at most `limit` bytes, else None; never read a link, pipe or device."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        data = file.read(limit + 1)
    return data if len(data) <= limit else None


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder; files that are deleted meanwhile do not count."""
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(where, name)).st_size
    return total
