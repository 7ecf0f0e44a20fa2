"""Rows of JSON Lines or YAML files with their line numbers; bounded, never executed.

The files are untrusted: a line of a gigabyte, deeply nested lists, aliases of aliases. Input that cannot be read safely
raises `WorldUnreadable` with `file:line` and the reason.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import yaml
from pydantic import ValidationError

from assay.memory_eval.errors import WorldUnreadable

MOST_LINE_BYTES = 32 * 1024 * 1024
"""Longest line. An agent's answer of ten megabytes is still graded; one of a gigabyte is not read."""
MOST_ROWS = 200_000
MOST_DIGITS = 4_300
MOST_YAML_BYTES = 16 * 1024 * 1024
MOST_YAML_NODES = 1_000_000
MOST_YAML_DEPTH = 20
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Row:
    """One entry of a file: plain data and its location. `lines` has the line of each key, if known."""

    file: str
    line: int
    data: Any
    lines: Mapping[str, int] = field(default_factory=dict)

    def wrong(self, what: str, key: str = "") -> NoReturn:
        """Raise `WorldUnreadable` for this row."""
        raise WorldUnreadable(f"{self.file}:{self.lines.get(key, self.line)}: {what}", code="world.invalid-row")


def rows_of(path: Path, name: str, texts: frozenset[str] = frozenset()) -> Iterator[Row]:
    """Yield the rows of a `.jsonl`, `.yaml` or `.yml` file, in order.

    `name` is the list's key in a YAML file; `texts` are the keys whose values stay text: `expected_answer: yes` is a
    word, not a boolean.
    """
    try:
        yield from _yaml(path, name, texts) if path.suffix.lower() in (".yaml", ".yml") else _json_lines(path)
    except OSError as error:
        raise WorldUnreadable(f"{path}: cannot be read ({error.strerror or error})", code="file.not-read") from None


def plain_json(text: str | bytes) -> Any:
    """Parse JSON without NaN and infinities; raises ValueError with one line."""
    try:
        return json.loads(text, **_STRICT)
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
            if number > MOST_ROWS:
                row.wrong(f"more than {MOST_ROWS} lines")
            line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if line.strip():
                yield Row(str(path), number, _one_line(row, line))


def _one_line(row: Row, line: bytes) -> Any:
    try:
        return plain_json(line.decode("utf-8"))
    except UnicodeDecodeError:
        row.wrong("not UTF-8")
    except json.JSONDecodeError as error:
        row.wrong(f"not JSON: {error.msg[:1].lower()}{error.msg[1:]} at sign {error.pos + 1} of the line")
    except ValueError as error:
        row.wrong(f"not JSON: {' '.join(str(error).split())[:200]}")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not valid JSON")


def _whole(written: str) -> int:
    if len(written) > MOST_DIGITS:
        raise ValueError(f"a whole number of more than {MOST_DIGITS:,} digits")
    return int(written)


def _finite(written: str) -> float:
    """Parse a number; reject 1e999, which is valid JSON but infinite as a float."""
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"{written[:20]} is too large a number")
    return number


_STRICT: dict[str, Any] = {"parse_constant": _no_constant, "parse_float": _finite, "parse_int": _whole}


def _yaml(path: Path, name: str, texts: frozenset[str]) -> Iterator[Row]:
    file = str(path)
    with path.open("rb") as opened:
        data = opened.read(MOST_YAML_BYTES + 1)
    if len(data) > MOST_YAML_BYTES:
        raise WorldUnreadable(f"{file}: larger than {MOST_YAML_BYTES // 1024 // 1024} MB; write it as JSON lines")
    try:
        text = data.decode("utf-8-sig")
        _bounded(file, text)
        root = yaml.compose(text, Loader=_LOADER)
    except UnicodeDecodeError:
        raise WorldUnreadable(f"{file}: not UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{file}:{mark.line + 1}" if mark else file
        why = getattr(error, "problem", None) or str(error)
        raise WorldUnreadable(f"{where}: not YAML: {' '.join(why.split())[:200]}") from None
    for item in _items(file, name, root):
        line = item.start_mark.line + 1
        if not isinstance(item, yaml.MappingNode):
            yield Row(file, line, _value(item, as_text=True))
            continue
        entries = [(str(key.value), key.start_mark.line + 1, value) for key, value in item.value]
        read = {key: _value(value, as_text=key in texts) for key, _, value in entries}
        yield Row(file, line, read, {key: at for key, at, _ in entries})


def _bounded(file: str, text: str) -> None:
    """Reject documents that expand too far, before building them: a few nested aliases can stand for gigabytes."""
    depth = 0
    for num, event in enumerate(yaml.parse(text, Loader=_LOADER), start=1):
        opens = isinstance(event, yaml.CollectionStartEvent)
        depth += opens - isinstance(event, yaml.CollectionEndEvent)
        mark: Any = event.start_mark
        row = Row(file, mark.line + 1, None)
        if isinstance(event, yaml.AliasEvent):
            row.wrong(f"aliases (*{event.anchor}) are not read here; write the value out")
        if depth > MOST_YAML_DEPTH:
            row.wrong(f"nested deeper than {MOST_YAML_DEPTH} levels")
        if num > MOST_YAML_NODES:
            row.wrong(f"more than {MOST_YAML_NODES} values")


def _items(file: str, name: str, root: yaml.Node | None) -> list[yaml.Node]:
    if isinstance(root, yaml.MappingNode):
        named = [value for key, value in root.value if key.value == name]
        if len(root.value) != 1 or not named:
            Row(file, root.start_mark.line + 1, None).wrong(f"expected a list, or a mapping with the one key {name!r}")
        root = named[0]
    if root is None:
        return []
    if not isinstance(root, yaml.SequenceNode):
        Row(file, root.start_mark.line + 1, None).wrong("expected a list")
    return list(root.value)


def _value(node: yaml.Node, *, as_text: bool = False) -> Any:
    """Return a node as plain data; scalars that YAML reads as a date, 12:30 or 0x1F stay text."""
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, as_text=as_text) for item in node.value]
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): _value(value) for key, value in node.value}
    text = str(node.value)
    kind = str(node.tag).rpartition(":")[2]
    if kind == "null":
        return None
    if as_text or kind not in ("bool", "int", "float"):
        return text
    if kind == "bool":
        return text.lower() in ("true", "yes", "on")
    return _number(text)


def _number(text: str) -> int | float | str:
    for number in (int, _finite):
        try:
            return number(text)
        except ValueError:
            continue
    return text
