"""Changes that landed on a branch before the one that is validated, and their patches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

_MERGE = re.compile(r"Merge (?:pull request|branch|remote-tracking|tag|commit|changes|\")")


@dataclass(frozen=True, slots=True)
class TouchedFile:
    """File of a landed change; `base_path` is None for a new file, `exists` False for a deleted one."""

    path: str
    base_path: str | None
    exists: bool
    blobs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LandedChange:
    """One commit of the first-parent line, compared with its first parent.

    `time` is the commit time in seconds since 1970, `author` the author's address (of a merged branch, its tip's).
    """

    sha: str
    parents: tuple[str, ...]
    time: int
    author: str
    message: str
    files: tuple[TouchedFile, ...]

    @property
    def title(self) -> str:
        """First line of the message; for a merge that names its pull request in the body, that line."""
        first, _, rest = self.message.strip().partition("\n")
        if len(self.parents) > 1 and _MERGE.match(first) and rest.strip():
            first = rest.strip().partition("\n")[0]
        return first.strip()


@dataclass(frozen=True, slots=True)
class PatchHunk:
    """Place of a patch without context: 1-based first lines of both sides, and the lines."""

    base_start: int
    removed: tuple[bytes, ...]
    head_start: int
    added: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class FilePatch:
    """Lines of one source file that a change removes and adds; changes of white space alone are left out."""

    path: str
    base_path: str | None
    hunks: tuple[PatchHunk, ...]


@dataclass(frozen=True, slots=True)
class PastCommit:
    """Commit that changed a file or a line; `time` is in seconds since 1970."""

    sha: str
    time: int
    author: str
    title: str


class History(Protocol):
    """History of the branch that a change would land on."""

    @property
    def is_whole(self) -> bool:
        """Whether the clone has all commits."""

    def line(self, most: int, since: str | None = None) -> list[str]:
        """Return the ids of the newest `most` changes of the first-parent line, newest first.

        `since` is a date as in `git log --since`.
        """

    def changes(self, ids: Sequence[str]) -> list[LandedChange]:
        """Return the changes with these ids, in their order.

        A renamed file is recognised if its content is the same. A first commit has no files.
        """

    def patches(self, changes: Sequence[LandedChange]) -> Iterator[tuple[LandedChange, tuple[FilePatch, ...] | None]]:
        """Yield each change with its patches of source files; None if the clone lacks their contents."""

    def patch(self) -> tuple[FilePatch, ...] | None:
        """Return the patches of the validated change's source files; None if the clone lacks their contents."""

    def log(self, path: str, most: int) -> list[PastCommit]:
        """Return the newest commits before the change that changed a file."""

    def blame(self, path: str, start: int, end: int) -> list[tuple[int, PastCommit]]:
        """Return each line's number before the change with the commit that last changed it; empty if not there."""
