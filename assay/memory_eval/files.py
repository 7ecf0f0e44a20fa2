"""Files of exams and runs: rows of JSON Lines or YAML with their line, lines of a run, and atomic writes.

Input that cannot be read raises `WorldUnreadable` with `file:line` and the reason.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

import yaml
from pydantic import ValidationError

from assay.memory_eval.errors import WorldUnreadable

MOST_LINE_BYTES = 32 * 1024 * 1024
"""Longest line. An agent's answer of ten megabytes is still graded; one of a gigabyte is not read."""

MOST_YAML_DEPTH = 20


@dataclass(frozen=True, slots=True)
class Row:
    """One entry of a file: plain data and its location."""

    file: str
    line: int
    data: Any

    def wrong(self, what: str) -> NoReturn:
        """Raise `WorldUnreadable` for this row."""
        raise WorldUnreadable(f"{self.file}:{self.line}: {what}", code="world.invalid-row")


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML in which all plain words are texts, but null, true, false and numbers as JSON writes them."""


_Loader.yaml_implicit_resolvers = {}
for _kind, _form, _firsts in (
    ("null", r"~|null|", ["~", "n", ""]),
    ("bool", "true|false", ["t", "f"]),
    ("int", r"-?(?:0|[1-9]\d*)", list("-0123456789")),
    ("float", r"-?(?:0|[1-9]\d*)\.\d+", list("-0123456789")),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_kind}", re.compile(rf"(?:{_form})\Z"), _firsts)


def rows_of(path: Path, name: str) -> Iterator[Row]:
    """Yield the rows of a `.jsonl`, `.yaml` or `.yml` file, in order; `name` is the list's key in a YAML file."""
    try:
        yield from _yaml(path, name) if path.suffix.lower() in (".yaml", ".yml") else _json_lines(path)
    except OSError as error:
        raise WorldUnreadable(f"{path}: cannot be read ({error.strerror or error})", code="file.not-read") from None


def plain_json(text: str | bytes) -> Any:
    """Parse JSON without NaN and infinities; raises ValueError with one line."""
    try:
        return json.loads(text, parse_constant=_finite, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def first_wrong(error: ValidationError) -> str:
    """Return the first problem of data that does not fit its shape: its key and what is wrong."""
    first = error.errors(include_url=False, include_input=False)[0]
    key = ".".join(str(part) for part in first["loc"])[:200]
    return f"{key + ': ' if key else ''}{first['msg'].removeprefix('Value error, ')}"


def _json_lines(path: Path) -> Iterator[Row]:
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MOST_LINE_BYTES + 1):
            number += 1
            row = Row(str(path), number, None)
            if len(line) > MOST_LINE_BYTES:
                row.wrong(f"a line of more than {MOST_LINE_BYTES // 1024 // 1024} MB")
            line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if line.strip():
                yield Row(str(path), number, _one_line(row, line))


def _one_line(row: Row, line: bytes) -> Any:
    try:
        return plain_json(line.decode("utf-8"))
    except UnicodeDecodeError:
        row.wrong("not UTF-8")
    except ValueError as error:
        row.wrong(f"not JSON: {' '.join(str(error).split())[:200]}")


def _finite(written: str) -> float:
    """Parse a number; reject NaN, and 1e999, which is valid JSON but infinite as a float."""
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"{written[:20]} is not a finite number")
    return number


def _yaml(path: Path, name: str) -> Iterator[Row]:
    try:
        text = path.read_text("utf-8-sig")
        depth = 0
        for event in yaml.parse(text, Loader=_Loader):  # building values nested too deeply crashes the C library
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MOST_YAML_DEPTH:
                raise WorldUnreadable(f"{path}: nested deeper than {MOST_YAML_DEPTH} levels", code="world.invalid-row")
        root = yaml.compose(text, Loader=_Loader)
        loader = _Loader("")
        for item in _items(str(path), name, root):
            yield Row(str(path), item.start_mark.line + 1, loader.construct_object(item, deep=True))
    except UnicodeDecodeError:
        raise WorldUnreadable(f"{path}: not UTF-8") from None
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else path
        why = getattr(error, "problem", None) or str(error)
        raise WorldUnreadable(f"{where}: not YAML: {' '.join(why.split())[:200]}") from None


def _items(file: str, name: str, root: yaml.Node | None) -> list[yaml.Node]:
    if root is None:
        return []
    row = Row(file, root.start_mark.line + 1, None)
    if isinstance(root, yaml.MappingNode):
        if [key.value for key, _ in root.value] != [name]:
            row.wrong(f"expected a list, or a mapping with the one key {name!r}")
        root = root.value[0][1]
    if not isinstance(root, yaml.SequenceNode):
        row.wrong("expected a list")
    return list(root.value)


# ------------------------------------------------------------------ files of a run


def lines_of(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (file:line, object) of each line that a run appended; a partial last line is truncated."""
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


def opened(path: Path, flags: int) -> IO[bytes]:
    """Open a file of a run's folder, unbuffered for appending. Links are not followed: their target is unknown.

    Raises OSError, also for a link.
    """
    file = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    return os.fdopen(file, "ab" if flags & os.O_APPEND else "r+b", buffering=0 if flags & os.O_APPEND else -1)


def line_of(data: Mapping[str, Any]) -> bytes:
    """Serialize an object as a line."""
    return json.dumps(data).encode() + b"\n"


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
