"""Copies what is in a bare git repository into the emulator, every object under its own id."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_IDENTITY = re.compile(r"(?P<name>.*?) ?<(?P<email>[^>]*)> (?P<seconds>-?\d+) [+-]\d{4}")
_TYPES = {"40000": "tree", "160000": "commit"}
_KNOWN: dict[tuple[str, ...], str] = {}
_OBJECTS: dict[tuple[str, ...], list[tuple[str, str, bytes]]] = {}
"""Objects by the commits they were asked for: an id names the same content everywhere, and tests make the same ones."""
MOST_KEPT = 1_000_000
"""Bytes of objects that are kept for the next test."""
MOST_WRITTEN = 300
"""Objects from which git's own processes are the quicker way."""


def git(folder: Path, *arguments: str, data: bytes | None = None, check: bool = True) -> bytes:
    """Run git, away from the machine's own settings."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.devnull,
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "GitHub",
        "GIT_AUTHOR_EMAIL": "noreply@github.com",
        "GIT_COMMITTER_NAME": "GitHub",
        "GIT_COMMITTER_EMAIL": "noreply@github.com",
    }
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, input=data, capture_output=True, check=False
    )
    assert done.returncode == 0 or not check, f"git {arguments}: {done.stderr.decode(errors='replace')}"
    return done.stdout


def take(source: Path, tip: str, bare: Path, known: list[str]) -> None:
    """Bring over what is reachable from `tip`, as a push does it.

    `known` are commits the bare repository has; those the source has too as files of their own are not sent again.
    """
    kept = source / ".git" if (source / ".git").is_dir() else source
    shared = [sha for sha in known if (kept / "objects" / sha[:2] / sha[2:]).is_file()]
    objects = _reachable(source, tip, shared)
    if len(objects) > MOST_WRITTEN:
        wanted = "".join(f"{line}\n" for line in (tip, *(f"^{sha}" for sha in shared))).encode()
        pack = git(source, "-c", "pack.threads=1", "pack-objects", "--quiet", "--revs", "--stdout", data=wanted)
        git(bare, "unpack-objects", "-q", data=pack)
        return
    for sha, kind, content in objects:
        place = bare / "objects" / sha[:2] / sha[2:]
        if not place.exists():
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(zlib.compress(f"{kind} {len(content)}\0".encode() + content, 1))


def point(bare: Path, name: str, sha: str) -> None:
    """Let a reference of the repository mean a commit; whoever reads it meanwhile sees the old one or the new."""
    place = bare / name
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = place.with_name(f"{place.name}.lock")
    beside.write_text(f"{sha}\n")
    beside.replace(place)


def said_of_commit(bare: Path, sha: str) -> str:
    """Tree, time, name, mail and message of a commit, with NUL between them."""
    return _known(bare, "show", "-s", "--format=%T%x00%cI%x00%an%x00%ae%x00%B", sha)


def changed_by_commit(bare: Path, sha: str) -> str:
    """Letter and path of each file a commit touches, each with NUL behind it."""
    return _known(bare, "diff-tree", "-r", "--root", "--no-commit-id", "--name-status", "-z", sha)


def _known(bare: Path, *arguments: str) -> str:
    """What git says of a commit. Its id names its content in whatever repository, and tests make the same ones."""
    if arguments not in _KNOWN:
        _KNOWN[arguments] = git(bare, *arguments).decode(errors="replace")
    return _KNOWN[arguments]


def commits_between(bare: Path, span: str) -> list[str]:
    """The newest twenty commits of a span, oldest first."""
    return _known(bare, "rev-list", "--reverse", "-n", "20", span).split()


def new_objects(bare: Path, tip: str, known: list[str]) -> dict[str, list[dict[str, Any]]]:
    """The rows for everything reachable from `tip` and not from `known`."""
    rows: dict[str, list[dict[str, Any]]] = {"blobs": [], "trees": [], "commits": []}
    for sha, kind, content in _reachable(bare, tip, known):
        if kind == "blob":
            rows["blobs"].append({"sha": sha, **_blob(content)})
        elif kind == "tree":
            rows["trees"].append({"sha": sha, "tree": list(_entries(content))})
        else:
            rows["commits"].append({"sha": sha, **_commit(content)})
    return rows


def _reachable(folder: Path, tip: str, known: list[str]) -> list[tuple[str, str, bytes]]:
    """Id, kind and content of each object reachable from `tip` and not from `known`."""
    key = (tip, *known)
    if key not in _OBJECTS:
        ids = git(folder, "rev-list", "--objects", "--no-object-names", tip, "--not", *known)
        found = list(_read(folder, ids))
        if sum(len(content) for _, _, content in found) > MOST_KEPT:
            return found
        _OBJECTS[key] = found
    return _OBJECTS[key]


def _read(bare: Path, ids: bytes) -> Iterator[tuple[str, str, bytes]]:
    stream = git(bare, "cat-file", "--batch", data=ids)
    position = 0
    while position < len(stream):
        end = stream.index(b"\n", position)
        sha, kind, size = stream[position:end].decode().split()
        yield sha, kind, stream[end + 1 : end + 1 + int(size)]
        position = end + 1 + int(size) + 1


def _blob(content: bytes) -> dict[str, Any]:
    try:
        text = content.decode()
        if "\0" not in text:
            return {"content": text, "encoding": "utf-8", "size": len(content)}
    except UnicodeDecodeError:
        pass
    return {"content": base64.b64encode(content).decode(), "encoding": "base64", "size": len(content)}


def _entries(content: bytes) -> Iterator[dict[str, Any]]:
    position = 0
    while position < len(content):
        end = content.index(b"\0", position)
        mode, _, path = content[position:end].partition(b" ")
        sha = content[end + 1 : end + 21].hex()
        kind = _TYPES.get(mode.decode(), "blob")
        yield {"path": path.decode(errors="replace"), "mode": mode.decode().zfill(6), "type": kind, "sha": sha}
        position = end + 21


def _commit(content: bytes) -> dict[str, Any]:
    head, _, message = content.decode(errors="replace").partition("\n\n")
    lines = [line.partition(" ")[::2] for line in head.split("\n")]
    fields = dict(lines)
    row: dict[str, Any] = {
        "message": message.removesuffix("\n"),
        "tree_sha": fields["tree"],
        "parent_shas": [value for name, value in lines if name == "parent"],
    }
    for role in ("author", "committer"):
        row |= {f"{role}_{name}": value for name, value in _identity(fields[role]).items()}
    return row


def _identity(line: str) -> dict[str, str]:
    match = _IDENTITY.fullmatch(line)
    assert match, line
    at = datetime.fromtimestamp(int(match["seconds"]), UTC)
    return {"name": match["name"], "email": match["email"], "date": at.strftime("%Y-%m-%dT%H:%M:%SZ")}
