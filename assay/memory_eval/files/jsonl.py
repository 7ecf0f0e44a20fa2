"""JSON Lines files that a run appends to and reads back after a kill."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from assay.memory_eval.errors import WorldUnreadable


def lines_of(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (file:line, object) of each line; a partial last line is truncated."""
    if not os.path.lexists(path):
        return
    with opened(path, os.O_RDWR) as file:
        whole = 0
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                break
            whole += len(line)
            yield f"{path}:{number}", object_in(line, f"{path}:{number}", "not a line of a run")
        file.truncate(whole)


def object_in(text: bytes, where: str, what_else: str) -> dict[str, Any]:
    """Parse a JSON object; raises `WorldUnreadable` with these words if the text is not one."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise WorldUnreadable(f"{where}: {what_else}", code="file.not-an-object")
    return data


def opened(path: Path, flags: int, mode_if_new: int = 0o666) -> IO[bytes]:
    """Open a file of a run's folder, unbuffered for appending. Links are not followed: their target is unknown.

    Raises OSError, also for a link.
    """
    file = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode_if_new)
    mode = "ab" if flags & os.O_APPEND else "r+b" if flags & os.O_RDWR else "wb"
    return os.fdopen(file, mode, buffering=0 if flags & os.O_APPEND else -1)


def line_of(data: Mapping[str, Any]) -> bytes:
    """Serialize an object as a line."""
    return json.dumps(data).encode() + b"\n"
