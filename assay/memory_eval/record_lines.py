"""Lines of JSON that are appended while a run goes on, and read back after a kill."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.memory_eval.errors import WorldUnreadable


def lines_of(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """(file:line, object) of each line; the half of a line at the end is cut off."""
    if not path.exists():
        return
    with path.open("r+b") as file:
        whole = 0
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                break
            whole += len(line)
            yield f"{path}:{number}", _object(line, f"{path}:{number}")
        file.truncate(whole)


def _object(line: bytes, where: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise WorldUnreadable(f"{where}: not a line of a run")
    return data


def line_of(data: Mapping[str, Any]) -> bytes:
    """An object as a line."""
    return json.dumps(data).encode() + b"\n"


def replaced(path: Path, data: bytes) -> None:
    """Put a file into place whole: whoever looks finds the old one or the new one."""
    beside = path.with_name(path.name + ".new")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
