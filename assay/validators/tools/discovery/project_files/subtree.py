"""A folder of a tree as its own tree: how a project inside a monorepo looks to its tools."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.validators.changes.change import READ_LIMIT, SourceTree


@dataclass(frozen=True)
class Subtree:
    """The files below `directory` (relative to `whole`, no `/` at either end), with paths relative to that folder."""

    whole: SourceTree
    directory: str

    @property
    def name(self) -> str:
        return f"{self.whole.name}:{self.directory}"

    @cached_property
    def paths(self) -> Sequence[str]:
        prefix = self.directory + "/"
        every = self.whole.paths
        begin, end = bisect_left(every, prefix), bisect_left(every, self.directory + chr(ord("/") + 1))
        return [path.removeprefix(prefix) for path in every[begin:end]]

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and f"{self.directory}/{path}" in self.whole

    def is_link(self, path: str) -> bool:
        return self.whole.is_link(f"{self.directory}/{path}")

    def blob(self, path: str) -> str | None:
        return self.whole.blob(f"{self.directory}/{path}")

    def read(self, path: str, limit: int = READ_LIMIT) -> bytes | None:
        return self.whole.read(f"{self.directory}/{path}", limit)

    def read_many(self, paths: Iterable[str], limit: int = READ_LIMIT) -> Iterator[tuple[str, bytes | None]]:
        wanted = list(paths)
        found = self.whole.read_many([f"{self.directory}/{path}" for path in wanted], limit)
        for path, (_, content) in zip(wanted, found, strict=True):
            yield path, content


def below(tree: SourceTree, directory: str) -> SourceTree:
    """Return the tree seen from one of its folders; "." is the tree itself."""
    return tree if directory in (".", "") else Subtree(tree, directory)


def under(directory: str, path: str) -> str:
    """Return a path of a folder as a path of the whole tree."""
    if directory in (".", ""):
        return path
    return directory if path in (".", "") else f"{directory}/{path}"
