"""Bounded, read-only access to the files of a memory; links are not followed, only plain files are opened."""

from __future__ import annotations

import codecs
import io
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from assay.escape import utf8, visible
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot
from assay.memory_eval.errors import WorldUnreadable

MOST_BYTES = 128 * 2**20
MOST_SEEN = 50_000
MOST_ENTRIES = 200_000
MOST_UNREAD = 50
HEAD_BYTES = 65_536
"""Bytes read to detect a format."""

_MOST_SHOWN = 200
_ODD = re.compile("[\ufffd\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_SKIPPED = frozenset(".git node_modules .venv venv __pycache__ .obsidian .trash".split())
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class Reading:
    """State of reading one memory: entries, and one line for each part that could not be read."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.num_bytes = 0
        self._entries: list[Entry] = []
        self._unread: list[str] = []
        self._num_unread = 0
        self._notes: dict[str, None] = {}

    def text(self, path: Path) -> str:
        """Return a file's text; bytes that are not UTF-8 are replaced, and noted."""
        data = read_bytes(path, MOST_BYTES + 1 - self.num_bytes)
        self.num_bytes += len(data)
        if self.num_bytes > MOST_BYTES:
            raise WorldUnreadable(
                f"{shown(self.root)}: holds more than {MOST_BYTES >> 20} MB to read", code="snapshot.too-large"
            )
        text = decoded(data)
        if "\ufffd" in text:
            self.leave(path, 1, "some bytes are not UTF-8; they were replaced")
        return text

    def keep(self, entries: Iterable[Entry]) -> None:
        """Add entries. WorldUnreadable if there are more than an index can hold."""
        for entry in entries:
            self._entries.append(_clean(entry))
            if len(self._entries) > MOST_ENTRIES:
                raise WorldUnreadable(f"{shown(self.root)}: holds more than {MOST_ENTRIES:,} entries")

    def leave(self, path: Path, line: int, why: str) -> None:
        """Note that a part could not be read."""
        self._num_unread += 1
        if len(self._unread) < MOST_UNREAD:
            self._unread.append(f"{shown(path)}:{line}: {why}")

    def note(self, text: str) -> None:
        """Add a note on the reading as a whole, once."""
        if len(self._notes) < MOST_UNREAD:
            self._notes[text] = None

    def snapshot(self, name: str) -> Snapshot:
        """Return what was read, with the first unread parts and the number of all."""
        return Snapshot(
            name, tuple(self._entries), self.num_bytes, tuple(self._unread), tuple(self._notes), self._num_unread
        )

    def files(self, suffixes: Collection[str], fits: Callable[[Path], bool] = lambda _: True) -> list[Path]:
        """Return the fitting files of the folder in a fixed order, or the file itself; note links."""
        if not self.root.is_dir():
            return [self.root]
        every = walk(self.root, lambda path, why: self.leave(path, 1, why))
        return sorted((one for one in every if has_suffix(one, suffixes) and fits(one)), key=lambda one: one.parts)


class Reader(NamedTuple):
    """Reader of a memory format. It opens no link, runs nothing, and unpickles nothing.

    `detects` returns whether a file or folder has the format, by its content. `read` adds all entries and returns the
    format's name; it raises WorldUnreadable if that is impossible.
    """

    detects: Callable[[Path], bool]
    read: Callable[[Reading], str]


def walk(folder: Path, leave: Callable[[Path, str], None] = lambda _path, _why: None) -> Iterator[Path]:
    """Yield every plain file below a folder, within limits. WorldUnreadable if a folder cannot be listed."""
    num_seen = 0
    for here, folders, names in os.walk(folder, onerror=_raise):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in [*folders, *names]:
            num_seen += 1
            if num_seen > MOST_SEEN:
                raise WorldUnreadable(
                    f"{shown(folder)}: holds more than {MOST_SEEN} files; name the memory's own folder",
                    code="snapshot.too-many-files",
                )
            path = Path(here, name)
            if path.is_symlink():
                leave(path, "a link, which is not followed")
            elif path.is_file():
                yield path


def candidates(path: Path, suffixes: Collection[str]) -> Iterator[Path]:
    """Yield the files of a folder with one of the suffixes, to detect a format; or the file itself."""
    return (item for item in walk(path) if has_suffix(item, suffixes)) if path.is_dir() else iter([path])


def read_bytes(path: Path, most: int) -> bytes:
    """Read at most `most` bytes of a plain file; raise WorldUnreadable for a link, a pipe or a device."""
    try:
        if path.is_symlink():
            raise WorldUnreadable(f"{shown(path)}: a link, which is not followed; give its target")
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would block
            raise WorldUnreadable(f"{shown(path)}: not a plain file")
        with path.open("rb") as file:
            return file.read(most)
    except (OSError, ValueError) as error:
        raise WorldUnreadable(f"{shown(path)}: {_reason(error)}") from error


def decoded(data: bytes) -> str:
    """Decode UTF-8, or UTF-16 with a byte order mark; other bytes are replaced, and NULs removed."""
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    return data.decode(encoding, "replace").replace("\0", "")


def lines_of(text: str) -> Iterator[str]:
    """Yield a text's lines, by line feeds alone; a list of millions of them would be larger than the text."""
    return (line.rstrip("\r\n") for line in io.StringIO(text))


def head_of(path: Path) -> str | None:
    """Return the beginning of a file's text; None for unreadable files and for more than 1 % of odd bytes."""
    try:
        data = read_bytes(path, HEAD_BYTES)
    except WorldUnreadable:
        return None
    text = decoded(data)
    num_odd = len(_ODD.findall(text)) + data.count(0)
    is_marked = any(data.startswith(mark) for mark, _ in _MARKS)
    return None if num_odd > max(1, len(text) // 100) and not is_marked else text


def has_suffix(path: Path, suffixes: Collection[str]) -> bool:
    """Return whether a file's name has one of the suffixes, ignoring case."""
    return path.suffix.lower() in suffixes


def shown(path: Path) -> str:
    """Return a path as one visible line."""
    return visible(os.fspath(path).encode("utf-8", "backslashreplace").decode(), _MOST_SHOWN)


def _clean(entry: Entry) -> Entry:
    """Remove lone surrogates, which are legal only in JSON."""
    about, speaker = (utf8(one) if one else one for one in (entry.about, entry.speaker))
    return replace(entry, text=utf8(entry.text), id=utf8(entry.id), about=about, speaker=speaker)


def _raise(error: OSError) -> None:
    raise WorldUnreadable(f"{shown(Path(error.filename))}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or "not a path").lower()
