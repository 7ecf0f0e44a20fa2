"""Changes as values: what a commit puts at which path, and the repository they are made in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import PurePosixPath

from tests.repositories import AUTHOR, AUTHOR_EMAIL, RealRepository

FILE, EXECUTABLE, LINK, MODULE = "100644", "100755", "120000", "160000"
_WHEN = "1704200000 +0000"


@dataclass(frozen=True, slots=True)
class Entry:
    """What is at a path: the content, or a link's target, or a submodule's commit id."""

    data: bytes
    mode: str = FILE


Files = Mapping[str, Entry | None]
"""Path to entry; None deletes."""


@dataclass(frozen=True, slots=True)
class Program:
    """One dangerous call with what it needs: shapes of code are made from it."""

    imports: tuple[str, ...]
    callee: str
    arguments: str
    body: str


@dataclass(frozen=True)
class Change:
    """The files a change leaves behind. `carrier` is the path that holds the payload.

    `earlier` are commits before the last one, `side` is a branch merged into it.
    """

    files: Files
    carrier: str
    language: str
    program: Program | None = None
    earlier: tuple[Files, ...] = ()
    side: Files | None = None
    is_new: bool = field(default=True)

    @property
    def entry(self) -> Entry:
        """The carrier's entry."""
        entry = self.files[self.carrier]
        assert entry is not None
        return entry

    @property
    def text(self) -> str:
        """The carrier's text."""
        return self.entry.data.decode()

    @property
    def suffix(self) -> str:
        """The carrier's suffix with its dot."""
        return PurePosixPath(self.carrier).suffix

    def with_files(self, files: Files) -> Change:
        """The change with more files; those it has already win."""
        return replace(self, files={**files, **self.files})

    def with_data(self, data: bytes | str, mode: str | None = None) -> Change:
        """The change with other content at the carrier."""
        if isinstance(data, str):
            data = data.encode()
        return replace(self, files={**self.files, self.carrier: Entry(data, mode or self.entry.mode)})

    def moved(self, path: str) -> Change:
        """The change with the carrier at another path; an edited file is renamed."""
        files = {name: entry for name, entry in self.files.items() if name != self.carrier}
        if not self.is_new:
            files[self.carrier] = None
        return replace(self, files={**files, path: self.entry}, carrier=path)


def change_of(files: Mapping[str, str], carrier: str, language: str, *, is_new: bool) -> Change:
    """The change that leaves these texts behind."""
    return Change({path: Entry(text.encode()) for path, text in files.items()}, carrier, language, is_new=is_new)


def commit_all(repository: RealRepository, base: str, changes: Sequence[Change]) -> list[str]:
    """Write one head commit for each change, all by a single git process; gives their ids in order."""
    marks = count(1)
    stream = bytearray()
    for number, change in enumerate(changes):
        parent = base
        for files in change.earlier:
            parent = _commit(stream, next(marks), f"pair/{number}", parent, files)
        side = _commit(stream, next(marks), f"side/{number}", base, change.side) if change.side else None
        _commit(stream, next(marks), f"pair/{number}", parent, change.files, side)
    if not changes:
        return []
    repository.git("fast-import", "--quiet", "--force", "--date-format=raw", data=bytes(stream))
    told = repository.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/pair")
    ids = dict(line.split(" ") for line in told.splitlines())
    return [ids[f"refs/heads/pair/{number}"] for number in range(len(changes))]


def _commit(stream: bytearray, mark: int, branch: str, parent: str, files: Files, merged: str | None = None) -> str:
    """Append one commit to the stream; gives the name later commits call it by."""
    who = f"{AUTHOR} <{AUTHOR_EMAIL}> {_WHEN}"
    message = b"Change\n"
    stream += f"commit refs/heads/{branch}\nmark :{mark}\nauthor {who}\ncommitter {who}\n".encode()
    stream += b"data %d\n" % len(message) + message + f"from {parent}\n".encode()
    if merged is not None:
        stream += f"merge {merged}\n".encode()
    for path, entry in files.items():
        if entry is None:
            stream += b"D " + _quoted(path) + b"\n"
        elif entry.mode == MODULE:
            stream += b"M 160000 " + entry.data + b" " + _quoted(path) + b"\n"
        else:
            stream += b"M " + entry.mode.encode() + b" inline " + _quoted(path) + b"\n"
            stream += b"data %d\n" % len(entry.data) + entry.data + b"\n"
    stream += b"\n"
    return f":{mark}"


def _quoted(path: str) -> bytes:
    raw = path.encode("utf-8", "surrogateescape")
    return b'"' + raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'
