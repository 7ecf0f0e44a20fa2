"""Changes that landed on a branch: its first-parent history, and their patches of source files.

The list needs commits and trees only; patches need the contents of the changed source files. Contents that a partial
or damaged clone lacks cost their change, not the history.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice

from assay.validators.changes.change import decoded
from assay.validators.changes.landed import FilePatch, LandedChange, PastCommit, PatchHunk, TouchedFile
from assay.validators.changes.language_table import SOURCE_SUFFIXES
from assay.validators.errors import ObjectMissing
from assay.validators.vcs.line_history import blame_of, log_of
from assay.validators.vcs.repository import Repository

MOST_RENAMES = 400
"""Files compared for renames in one change (`-l`); beyond it a move counts as removal and addition."""
MOST_PAST = 2_000
MOST_PAST_CONTENTS = 20_000
"""Changes, and contents of their source files, that a partial clone fetches to compare a change with."""
LONGEST_LINE = 4_000
"""Bytes of a line of a patch that are read: a longer one is data, as in minified code."""
_AT_ONCE = 100
"""Changes whose patches one git process writes."""
_FORMAT = "--format=%x01%H%x02%P%x02%ct%x02%ae%x02%B"
HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
"""Header of one place of a patch."""


@dataclass(frozen=True, slots=True)
class RepositoryHistory:
    """First-parent history of `tip`; the validated change lies between two trees or commits, `base` and `head`."""

    repository: Repository
    tip: str
    base: str
    head: str

    @property
    def is_whole(self) -> bool:
        """Whether the clone has all commits."""
        return not self.repository.is_shallow

    def line(self, most: int, since: str | None = None) -> list[str]:
        """Return the ids of the newest `most` changes, newest first; `since` as in `git log --since`."""
        dates = () if since is None else (f"--since={since}",)
        listed = self.repository.good("rev-list", "--first-parent", f"--max-count={most}", *dates, self.tip, "--")
        return listed.decode().split()

    def changes(self, ids: Sequence[str]) -> list[LandedChange]:
        """Return the changes with these ids, in their order."""
        if not ids:
            return []
        settings = ("--first-parent", "--raw", "-r", "-z", "--no-abbrev", "-M100%", f"-l{MOST_RENAMES}", _FORMAT)
        names = "".join(f"{sha}\n" for sha in ids).encode()
        out = self.repository.good("log", "--no-walk=unsorted", "--stdin", *settings, stdin=names)
        found = list(_changes(out.split(b"\0")))
        merges = {change.parents[1]: change.sha for change in found if len(change.parents) > 1}
        authors = _authors(self.repository, merges)
        return [replace(change, author=authors.get(change.sha, change.author)) for change in found]

    def landed(self, most: int, since: str | None = None) -> list[LandedChange]:
        """Return the newest `most` changes, oldest first; `since` as in `git log --since`."""
        return self.changes(self.line(most, since)[::-1])

    def patches(self, changes: Sequence[LandedChange]) -> Iterator[tuple[LandedChange, tuple[FilePatch, ...] | None]]:
        """Yield each change with its patches of source files; None if the clone lacks their contents."""
        if not changes:
            return
        missing = frozenset(self.repository.missing(blob for change in changes for blob in source_blobs(change)))
        is_lost = [not missing.isdisjoint(source_blobs(change)) for change in changes]
        complete = [change for change, lost in zip(changes, is_lost, strict=True) if not lost]
        parts = [complete[at : at + _AT_ONCE] for at in range(0, len(complete), _AT_ONCE)]
        with ThreadPoolExecutor(2) as pool:
            patched = (pair for found in pool.map(self._patches, parts) for pair in found.items())
            for change, lost in zip(changes, is_lost, strict=True):
                yield change, None if lost else tuple(next(patched)[1])

    def patch(self) -> tuple[FilePatch, ...] | None:
        """Return the patches of the validated change's source files; None if the clone lacks their contents."""
        try:
            arguments = ("--no-literal-pathspecs", "diff-tree", *_PATCH, self.base, self.head, *_SOURCE)
            out = self.repository.good(*arguments, longest_line=LONGEST_LINE)
        except ObjectMissing:
            return None
        return tuple(_parsed(out))

    def log(self, path: str, most: int) -> list[PastCommit]:
        """Return the newest commits that changed a file."""
        return log_of(self.repository, self.tip, path, most)

    def blame(self, path: str, start: int, end: int) -> list[tuple[int, PastCommit]]:
        """Return each line's number with the commit that last changed it; empty if the lines are not there."""
        return blame_of(self.repository, self.tip, path, start, end)

    def _patches(self, changes: Sequence[LandedChange]) -> Mapping[str, Sequence[FilePatch]]:
        """Return the patches by commit, in the order of `changes`."""
        found: dict[str, list[FilePatch]] = {change.sha: [] for change in changes}
        pairs = "".join(f"{change.sha} {change.parents[0]}\n" for change in changes if change.parents).encode()
        arguments = ("--no-literal-pathspecs", "diff-tree", "--stdin", *_PATCH, *_SOURCE)
        out = self.repository.good(*arguments, stdin=pairs, longest_line=LONGEST_LINE)
        for part in re.split(rb"^(?=[0-9a-f]{40}(?:[0-9a-f]{24})?$)", out, flags=re.MULTILINE):
            sha, _, patch = part.partition(b"\n")
            if sha.decode("ascii", "replace") in found:
                found[sha.decode()] = list(_parsed(patch))
        return found


def _changes(tokens: Sequence[bytes]) -> Iterator[LandedChange]:
    header: list[str] | None = None
    files: list[TouchedFile] = []
    following = iter(tokens)
    for token in following:
        if token.startswith(b"\x01"):
            if header is not None:
                yield _change(header, files)
            header, files = decoded(token[1:]).split("\x02", 4), []
        elif token.lstrip(b"\n").startswith(b":"):
            files += _touched(token.lstrip(b"\n"), following)
    if header is not None:
        yield _change(header, files)


def _change(header: Sequence[str], files: Sequence[TouchedFile]) -> LandedChange:
    sha, parents, time, author, message = header
    # The first commit of a (shallow) history shows every file as new.
    shown = tuple(files) if parents else ()
    return LandedChange(sha, tuple(parents.split()), int(time), author.lower(), message, shown)


def _touched(record: bytes, following: Iterator[bytes]) -> Iterator[TouchedFile]:
    base_mode, head_mode, base, head, status = record[1:].decode().split()
    first = decoded(next(following))
    path = decoded(next(following)) if status[0] in "RC" else first
    if "160000" in (base_mode, head_mode):
        return
    blobs = tuple(blob for mode, blob in ((base_mode, base), (head_mode, head)) if mode.startswith("100"))
    yield TouchedFile(path, None if status[0] in "AC" else first, status[0] != "D", blobs)


def _authors(repository: Repository, merges: dict[str, str]) -> dict[str, str]:
    """Return merge commit -> author of the merged branch's tip."""
    if not merges:
        return {}
    names = "".join(f"{tip}\n" for tip in merges).encode()
    try:
        out = repository.good("log", "--no-walk=unsorted", "--stdin", "--format=%H %ae", stdin=names)
    except ObjectMissing:
        return {}
    lines = (line.partition(" ") for line in decoded(out).splitlines())
    return {merges[tip]: author.lower() for tip, _, author in lines if tip in merges}


_PATCH = ("-r", "-p", "-w", "-U0", "-M", f"-l{MOST_RENAMES}", "--no-ext-diff", "--no-textconv", "--no-color")
_SOURCE = ("--", *(f"*{suffix}" for suffix in sorted(SOURCE_SUFFIXES)))


def past_contents(repository: Repository, tip: str) -> Iterator[str]:
    """Yield the contents of source files that the newest changes before `tip` touch."""
    changes = reversed(RepositoryHistory(repository, tip, tip, tip).landed(MOST_PAST))
    blobs = dict.fromkeys(blob for change in changes for blob in source_blobs(change))
    return islice(blobs, MOST_PAST_CONTENTS)


def source_blobs(change: LandedChange) -> Iterator[str]:
    """Yield the contents that the patch of a change needs."""
    for file in change.files:
        if any(path.endswith(_SUFFIXES) for path in (file.path, file.base_path) if path):
            yield from file.blobs


_SUFFIXES = tuple(SOURCE_SUFFIXES)


def _parsed(patch: bytes) -> Iterator[FilePatch]:
    # A line of content begins with +, - or \: this header cannot be forged.
    for section in re.split(rb"^diff --git ", patch, flags=re.MULTILINE)[1:]:
        lines = section.split(b"\n")
        first = next((at for at, line in enumerate(lines) if line.startswith(b"@@ ")), len(lines))
        base, head = _paths(lines[1:first])
        if base is None and head is None:
            continue
        yield FilePatch(head or base or "", base, tuple(_hunks(lines[first:])))


def _paths(header: Iterable[bytes]) -> tuple[str | None, str | None]:
    base = head = None
    for line in header:
        if line.startswith((b"--- a/", b'--- "a/')):
            base = _unquoted(line[4:], b"a/")
        elif line.startswith((b"+++ b/", b'+++ "b/')):
            head = _unquoted(line[4:], b"b/")
        elif line.startswith(b"rename from "):
            base = _unquoted(line[12:], b"")
        elif line.startswith(b"rename to "):
            head = _unquoted(line[10:], b"")
    return base, head


def _unquoted(name: bytes, prefix: bytes) -> str:
    """Return a path of a header, which git quotes like a C string if it has control characters or quotes."""
    name = name.rstrip(b"\t")
    if name.startswith(b'"') and name.endswith(b'"'):
        name = _ESCAPE.sub(_character, name[1:-1])
    return decoded(name.removeprefix(prefix))


_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS = dict(zip(b"abtnvfr", b"\a\b\t\n\v\f\r", strict=True))


def _character(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    return bytes([int(code, 8) & 0xFF if len(code) == 3 else _LETTERS.get(code[0], code[0])])


def _hunks(lines: Sequence[bytes]) -> Iterator[PatchHunk]:
    place: re.Match[bytes] | None = None
    removed: list[bytes] = []
    added: list[bytes] = []
    for line in lines:
        mark = line[:1]
        if mark == b"+":
            added.append(line[1:])
        elif mark == b"-":
            removed.append(line[1:])
        elif mark == b"@" and (match := HUNK.match(line)):
            if place is not None:
                yield _hunk(place, removed, added)
            place, removed, added = match, [], []
    if place is not None:
        yield _hunk(place, removed, added)


def _hunk(place: re.Match[bytes], removed: Sequence[bytes], added: Sequence[bytes]) -> PatchHunk:
    base, head = hunk_starts(place)
    return PatchHunk(base, tuple(removed), head, tuple(added))


def hunk_starts(header: re.Match[bytes]) -> tuple[int, int]:
    """Return the first base and head line of a place; git gives the line before an empty side."""
    base, head = int(header[1]), int(header[3])
    return base + (header[2] == b"0"), head + (header[4] == b"0")
