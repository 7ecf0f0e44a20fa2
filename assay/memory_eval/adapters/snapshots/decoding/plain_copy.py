"""Copies of untrusted files for libraries that open a file by its name."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from assay.memory_eval.adapters.snapshots.reading import read_bytes, shown
from assay.memory_eval.errors import WorldUnreadable

_COPY_BYTES = 2**20


def copied(source: Path, target: Path, most: int) -> int:
    """Copy a plain file of at most `most` bytes and return its size; raise WorldUnreadable for links and the like."""
    read_bytes(source, 1)  # raises for what is not a plain file, with the reason
    try:
        descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise WorldUnreadable(f"{shown(source)}: {(error.strerror or 'unreadable').lower()}") from error
    with os.fdopen(descriptor, "rb") as reading, target.open("wb") as writing:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise WorldUnreadable(f"{shown(source)}: not a plain file")
        if status.st_size > most:
            raise WorldUnreadable(f"{shown(source)}: larger than {most >> 20} MB", code="snapshot.too-large")
        left = status.st_size  # the file may grow meanwhile
        while left > 0 and (data := reading.read(min(left, _COPY_BYTES))):
            writing.write(data)
            left -= len(data)
    return status.st_size
