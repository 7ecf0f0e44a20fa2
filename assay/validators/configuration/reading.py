"""Configuration file as plain data, with the place of each value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from assay.validators.configuration.keys import SECTIONS
from assay.validators.errors import ConfigurationError, ConfigurationProblem
from assay.validators.io.structured_files import Fault, Node, Unreadable, yaml_document

MOST_BYTES = 256 * 1024
"""Bytes; a valid configuration is far smaller."""
Path: TypeAlias = tuple[str | int, ...]
"""Keys and indexes from the top of a file to a value."""

_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?")
# U+0085, U+2028 and U+2029 end a line in YAML 1.1 and in no editor; YAML allows none of the others.
_NOT_ALLOWED = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufeff\uff00-\ufffd\U00010000-\U0010ffff]")
_CODES = {"document": "invalid-syntax", "key": "unknown-key"}


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """File and line that set a key, or locked it."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Layer:
    """Configuration file, or several merged: plain data, the origin of each value, and what is wrong with its YAML.

    `is_named`: the repository's own file names it with `extends`.
    """

    name: str
    data: Any = field(default_factory=dict)
    origins: Mapping[Path, Origin] = field(default_factory=dict)
    problems: tuple[ConfigurationProblem, ...] = ()
    is_named: bool = False

    def problem(self, path: Path, message: str, code: str) -> ConfigurationProblem:
        """Return a problem at the value of a path."""
        origin = self.origins.get(path) or Origin(self.name, 1)
        return ConfigurationProblem(origin.file, origin.line, message, code)


def read_layer(name: str, data: bytes | None, *, is_named: bool = False) -> Layer:
    """Return a file as read; raise `ConfigurationError` if it is too large (None) or not YAML."""
    if data is None or len(data) > MOST_BYTES:
        why = f"larger than {MOST_BYTES // 1024} KiB; a configuration is shorter"
        raise _unusable(name, None, why, "config.too-large")
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        line = _line_at(error.object[: error.start].decode("latin-1"))
        raise _unusable(name, line, "not UTF-8 text", "config.not-text") from None
    refused = _NOT_ALLOWED.search(text)
    if refused:
        why = f"not YAML: the character U+{ord(refused[0]):04X} is not allowed"
        raise _unusable(name, _line_at(text[: refused.start()]), why, "config.invalid-syntax")
    faults: list[Fault] = []
    try:
        document = yaml_document(text, faults)
    except Unreadable as error:
        why = f"{error}".replace("not valid YAML", "not YAML")
        raise _unusable(name, error.line, why, "config.invalid-syntax") from None
    origins: dict[Path, Origin] = {}
    values = _plain(document, (), name, origins)
    problems = tuple(
        ConfigurationProblem(name, one.line, one.message, f"config.{_CODES.get(one.kind, one.kind)}") for one in faults
    )
    return Layer(name, {} if values is None else values, origins, problems, is_named)


def values_of(data: Any, above: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every value with its path; a list is one value, and so is each name of `tier2.severities`."""
    if isinstance(data, Mapping) and (data or not above):
        for name, value in data.items():
            yield from values_of(value, (*above, name))
    else:
        yield above, data


def dotted(path: Path) -> str:
    """Return a path as reports name it: `tier1.commands[0].run`."""
    name = ""
    for step in path:
        name += f"[{step}]" if isinstance(step, int) else f".{step}" if name else step
    return name


def _unusable(name: str, line: int | None, message: str, code: str) -> ConfigurationError:
    return ConfigurationError([ConfigurationProblem(name, line, message, code)])


def _line_at(before: str) -> int:
    return len(re.findall("\r\n?|\n", before)) + 1


def _plain(node: Node, path: Path, name: str, origins: dict[Path, Origin]) -> Any:
    """Return the value of a node; `tier1:` without a value, all of whose keys are commented out, is left out."""
    origins[path] = Origin(name, node.line)
    if isinstance(node.value, list):
        return [_plain(item, (*path, index), name, origins) for index, item in enumerate(node.value)]
    if isinstance(node.value, dict):
        kept = {key: one for key, one in node.value.items() if one.value is not None or not _is_section((*path, key))}
        return {key: _plain(one, (*path, key), name, origins) for key, one in kept.items()}
    return node.value if node.value is None or node.is_quoted else _typed(node.value)


def _is_section(path: Path) -> bool:
    return dotted(path) in SECTIONS


def _typed(text: str) -> str | bool | int | float:
    """Return the value of an unquoted scalar: `off` and `yes` are text, as YAML readers disagree about them."""
    number = _NUMBER.fullmatch(text)
    if number:
        return float(text) if number[1] else int(text)
    return _BOOLEANS.get(text, text)
