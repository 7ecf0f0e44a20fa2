"""Atomic replacement of files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path


def write_atomically(path: Path, chunks: Iterable[bytes]) -> str:
    """Write a file under another name, then replace `path` by it; return the SHA-256 of the content.

    Links are not followed, neither at `path` nor at the other name.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    digest = hashlib.sha256()
    try:
        partial.unlink(missing_ok=True)
        with partial.open("xb") as file:
            for chunk in chunks:
                digest.update(chunk)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return digest.hexdigest()
