"""The change to judge: which files, which lines, before and after; and the trees it stands between.

Paths are `str` decoded with `surrogateescape`, relative to the repository, with `/`. Lines are 1-based. Show a
path to a person or in a file with `shown`, which escapes what could forge or break a report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Protocol

from assay.validators.classify import Nature, nature_of

READ_LIMIT = 2 * 1024 * 1024
"""Bytes; a larger file is not source anybody wrote, and no analyzer reads it unless it says so."""


SOURCE_LIMIT = 1_000_000
"""Bytes; the scanners' limit. A larger source file counts as one that could not be read."""


class FileStatus(StrEnum):
    """What became of a file."""

    added = "added"
    deleted = "deleted"
    modified = "modified"
    renamed = "renamed"
    copied = "copied"
    type_changed = "type_changed"


class FileKind(StrEnum):
    """What a file is, as far as its content can be read line by line."""

    text = "text"
    binary = "binary"
    oversize = "oversize"
    symlink = "symlink"
    submodule = "submodule"


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place of a change: the lines taken out at `base_start` and the lines put in at `head_start`.

    Lines carry no line end. With no lines on a side, the start is the line *before* the place, as git counts.
    """

    base_start: int
    base_lines: tuple[str, ...]
    head_start: int
    head_lines: tuple[str, ...]


@dataclass(frozen=True)
class ChangedFile:
    """One file of the change. `base_path` differs from `path` for a rename; a deleted file keeps its old `path`.

    `nature` is what the base takes the file for; `claimed` is what only the change calls it (generated, a test …).
    `is_example` is set for examples, in a folder where the base keeps such files. `script_suffix` is the ending that a
    script without one would have (`.py`); `unreadable` says why no analyzer could read the head's content.
    """

    path: str
    base_path: str | None
    status: FileStatus
    kind: FileKind
    nature: Nature
    base_blob: str | None = None
    head_blob: str | None = None
    base_mode: str = "000000"
    head_mode: str = "000000"
    hunks: tuple[Hunk, ...] = ()
    claimed: Nature | None = None
    is_example: bool = False
    script_suffix: str = ""
    unreadable: str | None = None

    @property
    def typed_path(self) -> str:
        """The path with the ending that tells its language."""
        return self.path + self.script_suffix

    @cached_property
    def added(self) -> dict[int, str]:
        """Line number in the head -> the line, for every line the change puts in."""
        return {hunk.head_start + i: line for hunk in self.hunks for i, line in enumerate(hunk.head_lines)}

    @cached_property
    def removed(self) -> dict[int, str]:
        """Line number in the base -> the line, for every line the change takes out."""
        return {hunk.base_start + i: line for hunk in self.hunks for i, line in enumerate(hunk.base_lines)}

    def touches(self, start: int, end: int) -> bool:
        """Whether a line from `start` to `end` (head, inclusive) was put in, or lines were taken out between them."""
        for hunk in self.hunks:
            if hunk.head_lines:
                if hunk.head_start <= end and start <= hunk.head_start + len(hunk.head_lines) - 1:
                    return True
            elif start <= hunk.head_start < end:
                return True
        return False

    def replaced_at(self, start: int, end: int) -> int | None:
        """The line of the head where base lines `start` to `end` were taken out or changed; None where none was."""
        for hunk in self.hunks:
            if hunk.base_lines and hunk.base_start <= end and start < hunk.base_start + len(hunk.base_lines):
                return max(1, hunk.head_start)
        return None

    @property
    def exists(self) -> bool:
        return self.status is not FileStatus.deleted


NatureOf = Callable[[str, bytes], Nature]
"""A path and its first bytes -> what the file is for."""


class SourceTree(Protocol):
    """A tree of files to read: a commit's, or a folder's. Symlinks and submodules are listed by neither method."""

    @property
    def name(self) -> str:
        """What to call it in a message."""

    @property
    def paths(self) -> Sequence[str]:
        """Every regular file, sorted."""

    def __contains__(self, path: object) -> bool: ...

    def is_link(self, path: str) -> bool:
        """Whether a symbolic link stands at the path: it is never followed, so nothing of it is in the tree."""

    def blob(self, path: str) -> str | None:
        """An id of the content (equal ids, equal content), or None where there is none cheaply."""

    def read(self, path: str, limit: int = READ_LIMIT) -> bytes | None:
        """The content; None for what is absent, not a regular file, or larger than `limit` bytes."""

    def read_many(self, paths: Iterable[str], limit: int = READ_LIMIT) -> Iterator[tuple[str, bytes | None]]:
        """Each path with its content as `read` gives it, in order; much faster than one by one."""


@dataclass(frozen=True)
class CommitInfo:
    """A commit of the change, as its author wrote it."""

    sha: str
    author_name: str
    author_email: str
    message: str
    num_parents: int = 1


@dataclass(frozen=True)
class ChangeSet:
    """A change between two trees of one repository: `base` is the merge base's tree, `head` what is proposed.

    `root` is the repository's folder on this disk; nothing in it is the judged tree unless `head_is_worktree`.
    `settings` is the tree whose configuration and rule files are in force, the base's tip: a change that parted long
    ago cannot bring older ones. Without it, it is `base`. `kept_nature` tells what an unchanged file is for.
    """

    root: str
    base_sha: str
    base_name: str
    merge_base: str
    head_sha: str
    head_name: str
    base: SourceTree
    head: SourceTree
    files: tuple[ChangedFile, ...]
    commits: tuple[CommitInfo, ...] = ()
    head_is_worktree: bool = False
    branch: str | None = None
    checkout: Checkout | None = field(default=None, compare=False, repr=False)
    settings: SourceTree | None = field(default=None, compare=False, repr=False)
    kept_nature: NatureOf = field(default=nature_of, compare=False, repr=False)

    def nature_of(self, path: str, first_bytes: bytes = b"") -> Nature:
        """Return what a file is for, changed or not, as the base says."""
        file = self.by_path.get(path)
        return self.kept_nature(path, first_bytes) if file is None else file.nature

    @property
    def in_force(self) -> SourceTree:
        """The tree whose configuration and rule files are in force."""
        return self.base if self.settings is None else self.settings

    @cached_property
    def by_path(self) -> dict[str, ChangedFile]:
        return {file.path: file for file in self.files}

    def without(self, excluded: Callable[[str], bool]) -> ChangeSet:
        """The change without the files whose paths are excluded."""
        return replace(self, files=tuple(file for file in self.files if not excluded(file.path)))

    def existing(self, *natures: Nature) -> Iterator[ChangedFile]:
        """The text files of these natures that still exist in the head."""
        for file in self.files:
            if file.exists and file.kind is FileKind.text and (not natures or file.nature in natures):
                yield file


class Checkout(Protocol):
    """Gives a command a real tree to run in."""

    def __call__(self, side: str, target: str) -> None:
        """Write the tree of `side` ("base" or "head") into the new folder `target`, with a git directory of its own."""


def shown(path: str) -> str:
    """The path as it may be shown: printable as it is, else quoted with escapes, as git does."""
    if path.isprintable() and not any(0xDC80 <= ord(c) <= 0xDCFF for c in path) and '"' not in path:
        return path
    escapes = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
    out: list[str] = []
    for char in path:
        if char in escapes:
            out.append(escapes[char])
        elif char.isprintable() and not 0xDC80 <= ord(char) <= 0xDCFF:
            out.append(char)
        else:
            # A byte that was no UTF-8 is itself again; half a character can only come from a tool's own report.
            errors = "surrogateescape" if 0xDC80 <= ord(char) <= 0xDCFF else "surrogatepass"
            out.extend(f"\\{byte:03o}" for byte in char.encode("utf-8", errors))
    return '"' + "".join(out) + '"'


def decoded(data: bytes) -> str:
    """Source text from bytes: UTF-8 (a byte order mark dropped), any other byte kept as a surrogate."""
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def lines_of(text: str) -> list[str]:
    r"""Lines as git counts them: split at `\n` only, a last empty one dropped, a trailing `\r` taken off."""
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]
