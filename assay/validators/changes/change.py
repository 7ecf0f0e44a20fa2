"""Change to validate: files, changed lines, and the two trees it is between.

Paths are `str` decoded with `surrogateescape`, relative to the repository, with `/`. Lines are 1-based. Print a
path with `shown`, which escapes characters that could forge or break a report.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Protocol

from assay.validators.changes.classify import Nature, nature_of
from assay.validators.changes.inherited import Inherited
from assay.validators.changes.landed import History

READ_LIMIT = 2 * 1024 * 1024
"""Bytes; a larger file is not handwritten source, and no analyzer reads it without a larger limit."""


SOURCE_LIMIT = 1_000_000
"""Bytes; the scanners' limit. A larger source file counts as unreadable."""

_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}


class FileStatus(StrEnum):
    """How a file changed."""

    added = "added"
    deleted = "deleted"
    modified = "modified"
    renamed = "renamed"
    copied = "copied"
    type_changed = "type_changed"


class FileKind(StrEnum):
    """Whether a file's content can be read line by line, and why not."""

    text = "text"
    binary = "binary"
    oversize = "oversize"
    symlink = "symlink"
    submodule = "submodule"


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place of a change: the lines removed at `base_start` and the lines added at `head_start`.

    Lines have no line end. If a side has no lines, its start is the line *before* the place, as in git.
    """

    base_start: int
    base_lines: tuple[str, ...]
    head_start: int
    head_lines: tuple[str, ...]


@dataclass(frozen=True)
class ChangedFile:
    """One file of the change. `base_path` differs from `path` for a rename; a deleted file keeps its old `path`.

    `nature` is the base's classification; `claimed` is what only the change claims (generated, a test …). `is_example`
    is set in a folder where the base keeps examples. `script_suffix` is the missing suffix of a script (`.py`);
    `unreadable` is the reason why no analyzer could read the head's content. `is_converted`: what analyzers read of
    either side is not the stored text, for its encoding or line ends. The blobs of a submodule are commits.
    """

    path: str
    base_path: str | None
    status: FileStatus
    kind: FileKind
    nature: Nature
    base_blob: str | None = None
    head_blob: str | None = None
    hunks: tuple[Hunk, ...] = ()
    claimed: Nature | None = None
    is_example: bool = False
    script_suffix: str = ""
    unreadable: str | None = None
    is_mode_changed: bool = False
    is_converted: bool = False

    @property
    def typed_path(self) -> str:
        """The path with the suffix of its language."""
        return self.path + self.script_suffix

    @cached_property
    def added(self) -> dict[int, str]:
        """Line number in the head -> the line, for every added line."""
        return {hunk.head_start + i: line for hunk in self.hunks for i, line in enumerate(hunk.head_lines)}

    @cached_property
    def removed(self) -> dict[int, str]:
        """Line number in the base -> the line, for every removed line."""
        return {hunk.base_start + i: line for hunk in self.hunks for i, line in enumerate(hunk.base_lines)}

    def touches(self, start: int, end: int) -> bool:
        """Return whether lines were added between `start` and `end` (head, inclusive), or removed between them."""
        for hunk in self.hunks:
            if hunk.head_lines:
                if hunk.head_start <= end and start <= hunk.head_start + len(hunk.head_lines) - 1:
                    return True
            elif start <= hunk.head_start < end:
                return True
        return False

    def replaced_at(self, start: int, end: int) -> int | None:
        """Return the head line where base lines `start` to `end` were removed or changed; None if unchanged."""
        for hunk in self.hunks:
            if hunk.base_lines and hunk.base_start <= end and start < hunk.base_start + len(hunk.base_lines):
                return max(1, hunk.head_start)
        return None

    @property
    def exists(self) -> bool:
        return self.status is not FileStatus.deleted


NatureOf = Callable[[str, bytes], Nature]
"""Classification of a file by its path and first bytes."""


class SourceTree(Protocol):
    """A tree of files to read: a commit's, or a folder's. Symlinks and submodules are listed by neither method."""

    @property
    def name(self) -> str:
        """The tree's name in messages."""

    @property
    def paths(self) -> Sequence[str]:
        """Every regular file, sorted."""

    def __contains__(self, path: object) -> bool: ...

    def is_link(self, path: str) -> bool:
        """Return whether the path is a symbolic link; links are never followed."""

    def blob(self, path: str) -> str | None:
        """Return an id of the content (equal ids, equal content), or None if there is none at hand."""

    def read(self, path: str, limit: int = READ_LIMIT) -> bytes | None:
        """Return the content; None if absent, not a regular file, or larger than `limit` bytes."""

    def read_many(self, paths: Iterable[str], limit: int = READ_LIMIT) -> Iterator[tuple[str, bytes | None]]:
        """Yield each path with its content as `read` returns it, in order; much faster than single reads."""


@dataclass(frozen=True)
class CommitInfo:
    """Commit of the change, as its author wrote it; `time` is the commit time in seconds since 1970, 0 if unknown."""

    sha: str
    author_name: str
    author_email: str
    message: str
    num_parents: int = 1
    time: int = 0


@dataclass(frozen=True)
class ChangeSet:
    """Change between two trees of one repository: `base` is the merge base's tree, `head` the proposed one.

    `root` is the repository's folder on disk; it holds the head only if `head_is_worktree`. `settings` is the tree
    whose configuration and rule files are in force, the base branch's tip: an old branch cannot bring back older ones.
    Without it, it is `base`. `inherited` has what that configuration builds on. `kept_nature` classifies unchanged
    files. `history` is that of the merge base. `base_why` says why the base was chosen, "" where the caller named it.
    `pull_text` are the pull request's title and description.
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
    base_why: str = ""
    pull_text: str = ""
    checkout: Checkout | None = field(default=None, compare=False, repr=False)
    settings: SourceTree | None = field(default=None, compare=False, repr=False)
    inherited: Inherited = field(default_factory=Inherited, compare=False, repr=False)
    kept_nature: NatureOf = field(default=nature_of, compare=False, repr=False)
    history: History | None = field(default=None, compare=False, repr=False)

    def nature_of(self, path: str, first_bytes: bytes = b"") -> Nature:
        """Return the classification of a file, changed or not, by the base."""
        file = self.by_path.get(path)
        return self.kept_nature(path, first_bytes) if file is None else file.nature

    @property
    def in_force(self) -> SourceTree:
        """Tree whose configuration and rule files are in force."""
        return self.base if self.settings is None else self.settings

    @cached_property
    def by_path(self) -> dict[str, ChangedFile]:
        return {file.path: file for file in self.files}

    def without(self, excluded: Callable[[str], bool]) -> ChangeSet:
        """Return the change without the files whose paths are excluded."""
        return replace(self, files=tuple(file for file in self.files if not excluded(file.path)))

    def existing(self, *natures: Nature) -> Iterator[ChangedFile]:
        """Yield the text files of these natures that exist in the head."""
        for file in self.files:
            if file.exists and file.kind is FileKind.text and (not natures or file.nature in natures):
                yield file


class Checkout(Protocol):
    """Function that writes a real tree for commands to run in."""

    def __call__(self, side: str, target: str) -> None:
        """Write the tree of `side` ("base" or "head") into the new folder `target`, with a separate git directory."""


def shown(path: str) -> str:
    """Return a printable path as it is; quote and escape any other, as git does."""
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
            # A byte that is not UTF-8 decodes to a low surrogate; any other surrogate comes from a tool's report.
            errors = "surrogateescape" if 0xDC80 <= ord(char) <= 0xDCFF else "surrogatepass"
            out.extend(f"\\{byte:03o}" for byte in char.encode("utf-8", errors))
    return '"' + "".join(out) + '"'


def path_of(text: str) -> str:
    """Return the path that `shown` writes as this text; return other text unchanged."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    raw = _ESCAPE.sub(_unescaped, text[1:-1].encode("utf-8", "surrogatepass"))
    path = raw.decode("utf-8", "surrogateescape")
    return path if shown(path) == text else text


def _unescaped(found: re.Match[bytes]) -> bytes:
    return bytes((int(found[1], 8) & 0xFF,)) if len(found[1]) == 3 else _ESCAPED.get(found[1], found[1])


def decoded(data: bytes) -> str:
    """Return source text from bytes: UTF-8 without a byte order mark, any other byte kept as a surrogate."""
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def text_at(tree: SourceTree, path: str | None) -> str:
    """Return the text of a file; "" if there is no path, or `read` gives no content."""
    return decoded(tree.read(path) or b"") if path is not None else ""


def lines_of(text: str) -> list[str]:
    r"""Return lines as git counts them: split at `\n` only, without an empty last line or a trailing `\r`."""
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]
