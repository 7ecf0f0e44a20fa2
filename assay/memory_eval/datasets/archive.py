"""Dataset archives: packed reproducibly, unpacked as untrusted input.

metadata.json           what was learned, by which agent: turns, seed, facts, versions
baseline_results.json   the report of an evaluation of this memory
memory_db/              the memory itself
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from assay.memory_eval.errors import ExamUsageError, UnknownDataset

METADATA, RESULTS, MEMORY = "metadata.json", "baseline_results.json", "memory_db"
SUFFIX = ".tar.gz"
MOST_FILES = 100_000
MOST_UNPACKED_BYTES = 64 * 1024 * 1024 * 1024
MOST_REMARK_BYTES = 64 * 1024
MOST_RATIO = 200
"""A memory compresses about tenfold; an archive of zeros a thousandfold."""
_CHUNK = 1024 * 1024


class _Entry(tarfile.TarInfo):
    """An archive's entry; names and comments are read into memory whole, so their length is limited."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Entry:
        """Parse a header like the parent class; raises `UnknownDataset` for headers that no dataset contains."""
        entry = super().frombuf(buf, encoding, errors)
        if not 0 <= entry.size <= MOST_UNPACKED_BYTES:
            raise UnknownDataset(f"the archive holds {entry.name[:100]!r} of {entry.size} bytes")
        if entry.type not in (*tarfile.REGULAR_TYPES, tarfile.DIRTYPE) and entry.size > MOST_REMARK_BYTES:
            raise UnknownDataset(
                f"the archive holds {entry.name[:100]!r}, which is not a plain file, and large",
                code="dataset.not-a-file",
            )
        return entry


def pack(archive: Path, metadata: Mapping[str, Any], results: str, memory: Path) -> str:
    """Write the archive atomically and return its SHA-256.

    `memory` is a file or a folder; raises `ExamUsageError` for a link or anything else that is not a plain file.
    """
    partial = archive.with_name(f".{archive.name}.{os.getpid()}.tmp")
    try:
        partial.unlink(missing_ok=True)  # an existing link must not be followed
        with (
            partial.open("xb") as file,
            gzip.GzipFile("", "wb", 9, file, mtime=0) as zipped,
            tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as tar,
        ):
            _add_text(tar, METADATA, json.dumps(metadata, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
            _add_text(tar, RESULTS, results)
            for name, path in _files(memory):
                with path.open("rb") as content:
                    tar.addfile(_entry(name, path.stat().st_size), content)
        with partial.open("rb") as written:
            digest = hashlib.file_digest(written, "sha256").hexdigest()
        partial.replace(archive)
    except OSError as error:
        raise ExamUsageError(f"{error.filename or archive}: {error.strerror or error}") from None
    finally:
        partial.unlink(missing_ok=True)
    return digest


def unpack(archive: Path, folder: Path) -> None:
    """Unpack into a new folder: only plain files below it, within size limits.

    Raises `UnknownDataset` for a link, a device, a path outside the folder, or too much data.
    """
    most = min(MOST_UNPACKED_BYTES, max(_CHUNK, archive.stat().st_size * MOST_RATIO))
    num_bytes = 0
    folder.mkdir()
    try:
        # Read as a stream: no seeking, and no more is read than is written.
        with tarfile.open(archive, mode="r|gz", tarinfo=_Entry) as tar:
            for num, member in enumerate(tar, start=1):
                path = folder / _safe(member)
                num_bytes += member.size
                if num > MOST_FILES or num_bytes > most:
                    raise UnknownDataset(
                        "the archive unpacks to more than a dataset may hold", code="dataset.too-large"
                    )
                if member.isdir():
                    path.mkdir(parents=True, exist_ok=True)
                else:
                    _write(tar, member, path)
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        raise UnknownDataset(
            f"the archive cannot be unpacked: {str(error)[:200]}", code="dataset.broken-archive"
        ) from None
    missing = [name for name in (METADATA, MEMORY) if not (folder / name).exists()]
    if missing:
        raise UnknownDataset(f"the archive is not a dataset: it lacks {' and '.join(missing)}")


def _safe(member: tarfile.TarInfo) -> PurePosixPath:
    path = PurePosixPath(member.name)
    if not (member.isreg() or member.isdir()):
        raise UnknownDataset(f"the archive holds {member.name[:100]!r}, which is not a plain file")
    if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in member.name:
        raise UnknownDataset(f"the archive holds {member.name[:100]!r}, which leads out of its folder")
    return path


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
    source = tar.extractfile(member)
    if source is None:
        raise UnknownDataset(f"the archive holds {member.name[:100]!r}, which cannot be read")
    path.parent.mkdir(parents=True, exist_ok=True)
    # Mode "x": a second member of the same name must not overwrite the checked one.
    with path.open("xb") as file:
        while chunk := source.read(_CHUNK):
            file.write(chunk)


def _files(memory: Path) -> Iterator[tuple[str, Path]]:
    """Yield (name in the archive, path) of each file, sorted by name."""
    if memory.is_symlink() or not memory.exists():
        raise ExamUsageError(f"{memory}: is {'a link' if memory.is_symlink() else 'not there'}")
    paths = [memory] if memory.is_file() else sorted(memory.rglob("*"))
    start = memory.parent if memory.is_file() else memory
    for path in paths:
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise ExamUsageError(
                f"{path}: is not a plain file; a dataset may contain only plain files", code="dataset.not-a-file"
            )
        if path.is_file():
            yield f"{MEMORY}/{path.relative_to(start).as_posix()}", path


def _add_text(tar: tarfile.TarFile, name: str, text: str) -> None:
    data = text.encode("utf-8")
    tar.addfile(_entry(name, len(data)), io.BytesIO(data))


def _entry(name: str, size: int) -> tarfile.TarInfo:
    """Return a header without owner and time, so that archives do not depend on the machine."""
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode, entry.mtime = size, 0o644, 0
    return entry
