"""Histories of many commits, written by one `git fast-import`."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.validators.vcs.landed import RepositoryHistory
from assay.validators.vcs.repository import Repository

START = 1_600_000_000
DAY = 86_400


@dataclass(frozen=True)
class Commit:
    """One commit on top of the one before it; a content of None deletes the file."""

    files: Mapping[str, str | None]
    message: str = "Change"
    day: float = 0.0
    author: str = "ada@example.org"
    parents: Sequence[int] = field(default=())
    """Indices of further parents."""


def write_history(path: Path, commits: Sequence[Commit]) -> list[str]:
    """Create a bare repository with these commits on `main`; return their ids."""
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(path)], check=True)
    out: list[bytes] = []
    for at, commit in enumerate(commits):
        when = f"{START + int(commit.day * DAY)} +0000"
        message = commit.message.encode()
        out.append(f"commit refs/heads/main\nmark :{at + 1}\n".encode())
        out += [f"{role} A <{commit.author}> {when}\n".encode() for role in ("author", "committer")]
        out.append(b"data %d\n%s\n" % (len(message), message))
        if at:
            out.append(f"from :{at}\n".encode())
        out += [f"merge :{parent + 1}\n".encode() for parent in commit.parents]
        for name, content in commit.files.items():
            if content is None:
                out.append(f"D {name}\n".encode())
            else:
                data = content.encode("utf-8", "surrogateescape")
                out.append(f"M 100644 inline {name}\ndata {len(data)}\n".encode() + data + b"\n")
    marks = path / "marks"
    command = ["git", "-C", str(path), "fast-import", "--quiet", f"--export-marks={marks}"]
    subprocess.run(command, input=b"".join(out), check=True)
    found = dict(line.split() for line in marks.read_text().splitlines())
    return [found[f":{at + 1}"] for at in range(len(commits))]


def history_of(repository: Repository, tip: str = "main") -> RepositoryHistory:
    """Return the history of a branch."""
    sha = repository.resolve(tip)
    return RepositoryHistory(repository, sha, sha, sha)


def steady(count: int) -> list[Commit]:
    """Return commits that add functions of one to nine lines to ten modules, in turn."""
    contents: dict[str, str] = {}
    commits = []
    for at in range(count):
        name = f"shop/part{at % 10}.py"
        body = "".join(f"    x{line} = call({line})\n" for line in range(at % 9 + 1))
        contents[name] = contents.get(name, "") + f"\n\ndef f{at}(call):\n{body}"
        commits.append(Commit({name: contents[name]}, f"Add f{at}", day=at))
    return commits
