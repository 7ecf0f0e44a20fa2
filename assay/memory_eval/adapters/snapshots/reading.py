"""Bounded, read-only access to untrusted files: links are not followed, only plain files are opened."""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from assay.escape import utf8, visible
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot
from assay.memory_eval.errors import WorldUnreadable

MOST_FILE_BYTES = 64 * 2**20
MOST_BYTES = 128 * 2**20
MOST_FILES = 5_000
MOST_SEEN = 50_000
MOST_DEPTH = 12
MOST_ENTRIES = 200_000
MOST_CHARACTERS = 20_000
"""Longest entry, in characters; longer ones are split."""
MOST_LEFT = 1_000_000
"""Parts that cannot be read; a file with more is not a memory, and the rest would only take time."""
MOST_UNREAD = 50
HEAD_BYTES = 65_536
"""Bytes read to detect a format."""

_MOST_SHOWN = 200
_MOST_HEADS = 256
"""Heads kept while each reader checks a memory: at most 16 MB of ASCII."""
_ODD = re.compile("[\ufffd\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_SKIPPED = frozenset(".git node_modules .venv venv __pycache__ .obsidian .trash".split())
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class Reading:
    """State of reading one snapshot: entries, and one line for each part that could not be read."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.num_bytes = 0
        self._entries: list[Entry] = []
        self._unread: list[str] = []
        self._num_unread = 0
        self._notes: list[str] = []

    def text(self, path: Path) -> str:
        """Return a file's text; replace bytes that are not UTF-8 and note that. WorldUnreadable if it is too large."""
        data = read_bytes(path, MOST_FILE_BYTES + 1)
        if len(data) > MOST_FILE_BYTES:
            raise WorldUnreadable(
                f"{shown(path)}: larger than {MOST_FILE_BYTES >> 20} MB, which no snapshot's file may be"
            )
        self.count(len(data))
        text, is_whole = decoded(data)
        if not is_whole:
            self.leave(path, 1, "some bytes are not UTF-8; they were replaced")
        return text

    def count(self, num_bytes: int) -> None:
        """Add to the bytes read. WorldUnreadable above the limit of a whole memory."""
        self.num_bytes += num_bytes
        if self.num_bytes > MOST_BYTES:
            raise WorldUnreadable(
                f"{shown(self.root)}: holds more than {MOST_BYTES >> 20} MB to read", code="snapshot.too-large"
            )

    def keep(self, entries: Iterable[Entry]) -> None:
        """Add entries. WorldUnreadable if there are more than an index can hold."""
        for entry in entries:
            self._entries.append(_clean(entry))
            if len(self._entries) > MOST_ENTRIES:
                raise WorldUnreadable(f"{shown(self.root)}: holds more than {MOST_ENTRIES:,} entries")

    def leave(self, path: Path, line: int, why: str) -> None:
        """Note that a part could not be read. WorldUnreadable if there are too many."""
        self._num_unread += 1
        if self._num_unread > MOST_LEFT:
            raise WorldUnreadable(f"{shown(self.root)}: holds more than {MOST_LEFT:,} parts that cannot be read")
        if len(self._unread) < MOST_UNREAD:
            self._unread.append(f"{shown(path)}:{line}: {why}")

    def note(self, text: str) -> None:
        """Add a note on the reading as a whole, once."""
        if text not in self._notes and len(self._notes) < MOST_UNREAD:
            self._notes.append(text)

    def snapshot(self, name: str, version: str | None = None) -> Snapshot:
        """Return what was read, with the first unread parts and the number of all."""
        entries, unread, notes = tuple(self._entries), tuple(self._unread), tuple(self._notes)
        return Snapshot(name, entries, self.num_bytes, unread, version, notes, self._num_unread)

    def files(self, suffixes: Collection[str], fits: Callable[[Path], bool] = lambda _: True) -> Iterator[Path]:
        """Yield the fitting files of the folder in a fixed order, or the file itself; note links and special files."""
        found = [self.root]
        if self.root.is_dir():
            every = walk(self.root, lambda path, why: self.leave(path, 1, why))
            found = sorted((one for one in every if has_suffix(one, suffixes) and fits(one)), key=lambda one: one.parts)
        if len(found) > MOST_FILES:
            raise WorldUnreadable(f"{shown(self.root)}: holds more than {MOST_FILES} files to read")
        yield from found


def walk(folder: Path, leave: Callable[[Path, str], None] = lambda _path, _why: None) -> Iterator[Path]:
    """Yield every plain file below a folder, within limits. WorldUnreadable if a folder cannot be listed."""
    folders, num_seen = [(folder, 0)], 0
    while folders:
        here, depth = folders.pop()
        for item in _listed(here):
            num_seen += 1
            if num_seen > MOST_SEEN:
                raise WorldUnreadable(
                    f"{shown(folder)}: holds more than {MOST_SEEN} files; name the memory's own folder",
                    code="snapshot.too-many-files",
                )
            path = Path(item.path)
            if item.is_symlink():
                leave(path, "a link, which is not followed")
            elif item.is_dir(follow_symlinks=False):
                if item.name in _SKIPPED:
                    continue
                if depth >= MOST_DEPTH:
                    leave(path, f"more than {MOST_DEPTH} folders deep")
                else:
                    folders.append((path, depth + 1))
            elif item.is_file(follow_symlinks=False):
                yield path


def candidates(path: Path, suffixes: Collection[str]) -> Iterator[Path]:
    """Yield the files of a folder with one of the suffixes, to detect a format; or the file itself."""
    return (item for item in walk(path) if has_suffix(item, suffixes)) if path.is_dir() else iter([path])


def read_bytes(path: Path, most: int) -> bytes:
    """Read at most `most` bytes of a plain file; raise WorldUnreadable for a link, a pipe or a device."""
    with opened(path) as file:
        return file.read(most)


def begins_with(path: Path, mark: bytes) -> bool:
    """Return whether a plain file begins with these bytes."""
    with suppress(WorldUnreadable):
        return read_bytes(path, len(mark)) == mark
    return False


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a plain file to read; raise WorldUnreadable for a link, a pipe or a device, and for errors in the block."""
    try:
        # O_NONBLOCK: a pipe must not block. O_NOFOLLOW: the file may have been replaced by a link meanwhile.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        raise WorldUnreadable(f"{shown(path)}: {_reason(path, error)}") from error
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise WorldUnreadable(f"{shown(path)}: not a plain file")
        try:
            yield file
        except OSError as error:
            raise WorldUnreadable(f"{shown(path)}: {_reason(path, error)}") from error


def decoded(data: bytes) -> tuple[str, bool]:
    """Decode UTF-8, or UTF-16 with a byte order mark; return False if bytes had to be replaced. Removes NULs."""
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text, is_whole = data.decode(encoding), True
    except UnicodeDecodeError:
        text, is_whole = data.decode(encoding, "replace"), False
    return text.replace("\0", ""), is_whole


def lines_of(text: str) -> Iterator[str]:
    """Yield a text's lines; a list of millions of them would be larger than the text."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end].removesuffix("\r")
        start = end + 1
    yield text[start:]


def head_of(path: Path) -> str | None:
    """Return the beginning of a file's text; None for unreadable files and for more than 1 % of odd bytes.

    Cached, as every reader asks.
    """
    try:
        status = path.lstat()
    except (OSError, ValueError):
        return None
    return _head_of(path, (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns))


@lru_cache(maxsize=_MOST_HEADS)
def _head_of(path: Path, marks: tuple[int, ...]) -> str | None:  # noqa: ARG001 - part of the key
    try:
        data = read_bytes(path, HEAD_BYTES)
    except WorldUnreadable:
        return None
    text, _ = decoded(data)
    num_odd = len(_ODD.findall(text)) + data.count(0)
    is_marked = any(data.startswith(mark) for mark, _ in _MARKS)
    return None if num_odd > max(1, len(text) // 100) and not is_marked else text


def has_suffix(path: Path, suffixes: Collection[str]) -> bool:
    """Return whether a file's name has one of the suffixes, ignoring case."""
    return path.suffix.lower() in suffixes


def pieces(text: str) -> list[str]:
    """Split a text into pieces of limited length, between words if possible."""
    found, start = [], 0
    while len(text) - start > MOST_CHARACTERS:  # by places: cutting the rest off each time takes quadratic time
        cut = text.rfind(" ", start + MOST_CHARACTERS // 2, start + MOST_CHARACTERS)
        cut = start + MOST_CHARACTERS if cut < 0 else cut
        found.append(text[start:cut].strip())
        start = cut
    return [piece for piece in (*found, text[start:].strip()) if piece]


def shown(path: Path) -> str:
    """Return a path as one visible line."""
    return visible(os.fspath(path).encode("utf-8", "backslashreplace").decode(), _MOST_SHOWN)


def _clean(entry: Entry) -> Entry:
    """Remove lone surrogates, which are legal only in JSON."""
    about = utf8(entry.about) if entry.about else entry.about
    speaker = utf8(entry.speaker) if entry.speaker else entry.speaker
    return replace(entry, text=utf8(entry.text), id=utf8(entry.id), about=about, speaker=speaker)


def _listed(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as items:
            return sorted(items, key=lambda item: item.name, reverse=True)
    except OSError as error:
        raise WorldUnreadable(f"{shown(folder)}: {_reason(folder, error)}") from error


def _reason(path: Path, error: Exception) -> str:
    if path.is_symlink():
        return "a link, which is not followed; give its target"
    return (getattr(error, "strerror", None) or "not a path").lower()
