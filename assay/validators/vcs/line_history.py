"""History of one file and of its lines, as git has it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.landed import PastCommit
from assay.validators.errors import GitFailed
from assay.validators.vcs.repository import Repository

_HEADER = re.compile(r"([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?")


def log_of(repository: Repository, tip: str, path: str, most: int) -> list[PastCommit]:
    """Return the newest commits that changed a file; empty for a file without history."""
    out = repository.good("log", f"--max-count={most}", "-z", "--format=%H%x01%ct%x01%an%x01%s", tip, "--", path)
    records = out.decode("utf-8", "replace").split("\0")
    return [
        PastCommit(sha, int(time), author, title)
        for record in records
        if record.count("\x01") == 3
        for sha, time, author, title in (record.strip("\n").split("\x01"),)
    ]


def blame_of(repository: Repository, tip: str, path: str, start: int, end: int) -> list[tuple[int, PastCommit]]:
    """Return the commit that last changed each line; empty if the file or the lines are not there."""
    try:
        out = repository.good("blame", "--porcelain", f"-L{start},{end}", tip, "--", path)
    except GitFailed:
        return []
    return list(_blamed(out.decode("utf-8", "replace").split("\n")))


def _blamed(lines: list[str]) -> Iterator[tuple[int, PastCommit]]:
    """Parse the porcelain form: a commit's fields come with its first line alone."""
    known: dict[str, dict[str, str]] = {}
    sha, number = "", 0
    for line in lines:
        header = _HEADER.fullmatch(line)
        if line.startswith("\t"):
            found = known.get(sha, {})
            time = found.get("committer-time", "0")
            yield (
                number,
                PastCommit(sha, int(time) if time.isdigit() else 0, found.get("author", ""), found.get("summary", "")),
            )
        elif header is not None:
            sha, number = header[1], int(header[2])
            known.setdefault(sha, {})
        elif sha:
            name, _, value = line.partition(" ")
            known[sha].setdefault(name, value)
