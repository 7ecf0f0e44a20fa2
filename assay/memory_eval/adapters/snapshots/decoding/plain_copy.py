"""Copies of untrusted files for libraries that open a file by its name."""

from __future__ import annotations

import os
from pathlib import Path

from assay.memory_eval.adapters.snapshots.reading import opened, shown
from assay.memory_eval.errors import WorldUnreadable

_COPY_BYTES = 2**20


def copied(source: Path, target: Path, most: int) -> int:
    """Copy a plain file of at most `most` bytes and return its size; raise WorldUnreadable for links and the like."""
    with opened(source) as reading, target.open("wb") as writing:
        size = os.fstat(reading.fileno()).st_size
        if size > most:
            raise WorldUnreadable(f"{shown(source)}: larger than {most >> 20} MB", code="snapshot.too-large")
        left = size  # the file may grow meanwhile
        while left > 0 and (data := reading.read(min(left, _COPY_BYTES))):
            writing.write(data)
            left -= len(data)
    return size
