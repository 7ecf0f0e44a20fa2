"""Snapshot of the uncommitted work: the files on disk, with untracked and without ignored ones.

git's filters do not run (the repository configures them): contents are stored as they are on disk.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence

from assay.validators.vcs.repository import Repository
from assay.validators.vcs.trees import read_regular

LARGEST_FILE_BYTES = 512 * 1024 * 1024
BATCH_BYTES = 16 * 1024 * 1024
"""Bytes from which files are written to the object database, before more are read."""


def snapshot(repository: Repository) -> str:
    """Write the working tree as a tree object into the repository's shadow; return its id."""
    entries = _staged(repository)
    # Looking into a submodule would obey its configuration.
    touched = repository.listed("diff-files", "-z", "--name-only", "--ignore-submodules=all")
    untracked = repository.listed("ls-files", "-z", "--others", "--exclude-standard")
    for path in {*touched, *untracked}:
        entries.pop(path, None)
    entries.update(_stored(repository, sorted({*touched, *untracked})))
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


def _stored(repository: Repository, paths: Iterable[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Write the files on disk as objects; yield (path, (mode, object id)) of those that can be read."""
    batch: list[tuple[str, str, bytes]] = []
    size = 0
    for path in paths:
        read = _read(os.path.join(repository.root, path))
        if read is not None:
            batch.append((path, *read))
            size += len(batch[-1][2])
        if size >= BATCH_BYTES:
            yield from _written(repository, batch)
            batch, size = [], 0
    yield from _written(repository, batch)


def _read(full: str) -> tuple[str, bytes] | None:
    """Return the mode and content of a file on disk; None if it is missing, a folder, a pipe or a device."""
    try:
        mode = os.lstat(full).st_mode
    except OSError:
        return None
    if os.path.islink(full):
        return "120000", os.fsencode(os.readlink(full))
    content = read_regular(full, LARGEST_FILE_BYTES)
    return None if content is None else ("100755" if mode & 0o100 else "100644", content)


def _written(repository: Repository, batch: Sequence[tuple[str, str, bytes]]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Write contents in one process, and yield their paths with mode and object id."""
    if not batch:
        return
    marks = repository.shadow / "snapshot-marks"
    blobs = (b"blob\nmark :%d\ndata %d\n%s\n" % (at, len(one[2]), one[2]) for at, one in enumerate(batch, 1))
    repository.good("fast-import", "--quiet", f"--export-marks={marks}", stdin=b"".join(blobs))
    found = dict(line.split() for line in marks.read_text("ascii").splitlines())
    for at, (path, mode, _) in enumerate(batch, 1):
        yield path, (mode, found[f":{at}"])
