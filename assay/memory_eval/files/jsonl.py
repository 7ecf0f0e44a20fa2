"""Lines of JSON that are appended while a run goes on, and read back after a kill."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from assay.memory_eval.errors import WorldUnreadable


def lines_of(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(file:line, object) of each line; the half of a line at the end is cut off."""
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
    """The object a text holds; raises `WorldUnreadable`, with these words, where it holds none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise WorldUnreadable(f"{where}: {what_else}")
    return data


def opened(path: Path, flags: int) -> IO[bytes]:
    """A file of a run's folder, unbuffered where it is appended to. A link is not followed: who knows where it leads.

    Raises OSError, for a link as well.
    """
    file = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    mode = "ab" if flags & os.O_APPEND else "r+b" if flags & os.O_RDWR else "wb"
    return os.fdopen(file, mode, buffering=0 if flags & os.O_APPEND else -1)


def line_of(data: Mapping[str, Any]) -> bytes:
    """An object as a line."""
    return json.dumps(data).encode() + b"\n"


def replaced(path: Path, data: bytes) -> None:
    """Put a file into place whole: whoever looks finds the old one or the new one."""
    beside = path.with_name(path.name + ".new")
    beside.unlink(missing_ok=True)
    with opened(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
