"""Snapshot of the uncommitted work: the files on disk, with untracked and without ignored ones.

git's filters do not run (the repository configures them): contents are stored as they are on disk.
"""

from __future__ import annotations

import contextlib
import os

from assay.validators.vcs.repository import Repository
from assay.validators.vcs.trees import read_regular

LARGEST_FILE_BYTES = 512 * 1024 * 1024


def snapshot(repository: Repository) -> str:
    """Write the working tree as a tree object into the repository's shadow; return its id."""
    entries = _staged(repository)
    # Looking into a submodule would obey its configuration.
    touched = repository.listed("diff-files", "-z", "--name-only", "--ignore-submodules=all")
    untracked = repository.listed("ls-files", "-z", "--others", "--exclude-standard")
    for path in {*touched, *untracked}:
        entries.pop(path, None)
        stored = _stored(repository, path)
        if stored is not None:
            entries[path] = stored
    index = {"GIT_INDEX_FILE": str(repository.shadow / "snapshot-index")}
    with contextlib.suppress(FileNotFoundError):
        os.unlink(index["GIT_INDEX_FILE"])
    lines = "".join(f"{mode} {blob}\t{path}\0" for path, (mode, blob) in sorted(entries.items()))
    repository.good("update-index", "-z", "--index-info", stdin=os.fsencode(lines), extra=index)
    return repository.good("write-tree", "--missing-ok", extra=index).decode().strip()


def _staged(repository: Repository) -> dict[str, tuple[str, str]]:
    """Return path -> (mode, object id). `diff-files` lists an unmerged path too, so it is taken from disk."""
    entries: dict[str, tuple[str, str]] = {}
    for record in repository.listed("ls-files", "-z", "--stage"):
        meta, path = record.split("\t", 1)
        mode, blob, _stage = meta.split()
        entries[path] = (mode, blob)
    return entries


def _stored(repository: Repository, path: str) -> tuple[str, str] | None:
    """Return the (mode, object id) of the file on disk; None if it is missing, a folder, a pipe or a device."""
    full = os.path.join(repository.root, path)
    try:
        mode = os.lstat(full).st_mode
    except OSError:
        return None
    if os.path.islink(full):
        return "120000", _hashed(repository, os.fsencode(os.readlink(full)))
    content = read_regular(full, LARGEST_FILE_BYTES)
    if content is None:
        return None
    return ("100755" if mode & 0o100 else "100644"), _hashed(repository, content)


def _hashed(repository: Repository, content: bytes) -> str:
    return repository.good("hash-object", "-w", "--stdin", stdin=content).decode().strip()
