"""YAML reader with line numbers that guesses no types and constructs no objects.

`true`, `false`, `null` and decimal numbers have their type; everything else is text. So `off` and `yes` stay words
(YAML 1.1 makes them booleans), and dates, octals and tags have no meaning. Aliases are refused: a few hundred bytes
of them expand to gigabytes, and a configuration is short enough without them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import yaml

from assay.validators.configuration.place import (
    Bounds,
    Entry,
    Lines,
    Mapping,
    Place,
    Problem,
    Scalar,
    Unusable,
)

_NULL = {"", "~", "null", "Null", "NULL"}
_BOOLEAN = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_DECIMAL = re.compile(r"[-+]?([0-9]{1,40}\.[0-9]{0,40}|\.[0-9]{1,40}|[0-9]{1,40})([eE][-+]?[0-9]{1,3})?")


def read_yaml(text: str) -> tuple[Place | None, list[Problem]]:
    """Return the document (None for an empty file) and its problems; raise `Unusable` for invalid YAML."""
    reader = _YamlReader(text)
    try:
        return reader.document(), reader.problems
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise Unusable(
            reader.lines.at(mark.index) if mark else None, f"not YAML: {_why(error)}", "config.invalid-syntax"
        ) from None
    except yaml.reader.ReaderError as error:
        line = reader.lines.at(error.position)
        raise Unusable(
            line, f"not YAML: the character U+{int(error.character):04X} is not allowed", "config.invalid-syntax"
        ) from None
    except (yaml.YAMLError, ValueError, IndexError) as error:
        # An unsupported `%YAML` line or escape raises inside the scanner.
        raise Unusable(None, f"not YAML: {type(error).__name__}", "config.invalid-syntax") from None


class _YamlReader:
    """Builder of places from the parser's events."""

    def __init__(self, text: str) -> None:
        self._events: Iterator[yaml.Event] = iter(yaml.parse(text, Loader=yaml.SafeLoader))
        self.lines = Lines(text)
        self._bounds = Bounds()
        self.problems: list[Problem] = []

    def document(self) -> Place | None:
        found: Place | None = None
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                if found is not None:
                    raise Unusable(
                        self._line(event),
                        "a second document begins here; one file holds one configuration",
                        "config.invalid-syntax",
                    )
                found = self._value(next(self._events), 0)
        return found

    def _value(self, event: yaml.Event, depth: int) -> Place:
        line = self._line(event)
        self._bounds.count(line, depth)
        if isinstance(event, yaml.AliasEvent):
            self._complain(line, f"`*{event.anchor}`: aliases are not read here; write the value out", "config.alias")
            return Place(line, None)
        tag = getattr(event, "tag", None)
        if tag is not None:
            self._complain(line, "tags (`!…`) are not read here; write the plain value", "config.tag")
        if isinstance(event, yaml.MappingStartEvent):
            return Place(line, Mapping(tuple(self._entries(depth))))
        if isinstance(event, yaml.SequenceStartEvent):
            return Place(line, tuple(self._items(depth)))
        return Place(line, self._scalar(event))

    def _scalar(self, event: yaml.Event) -> Scalar:
        text: str = getattr(event, "value", "")
        if any(0xD800 <= ord(char) <= 0xDFFF for char in text):
            self._complain(self._line(event), "holds a lone surrogate", "config.invalid-value")
            return ""
        return text if getattr(event, "style", None) else _plain(text)

    def _items(self, depth: int) -> Iterator[Place]:
        for event in self._events:
            if isinstance(event, yaml.SequenceEndEvent):
                return
            yield self._value(event, depth + 1)

    def _entries(self, depth: int) -> Iterator[Entry]:
        seen: dict[str, int] = {}
        for event in self._events:
            if isinstance(event, yaml.MappingEndEvent):
                return
            line = self._line(event)
            key = self._key(event, depth)
            place = self._value(next(self._events), depth + 1)
            if key is None:
                self._complain(line, "a key should be a word", "config.unknown-key")
            elif key in seen:
                self._complain(line, f"duplicate key `{key[:80]}`, first on line {seen[key]}", "config.duplicate-key")
            else:
                seen[key] = line
                yield Entry(key, line, place)

    def _key(self, event: yaml.Event, depth: int) -> str | None:
        """Return the key as written, or None if it cannot be a key."""
        if isinstance(event, yaml.ScalarEvent) and event.tag is None:
            return event.value if self._scalar(event) != "" else ""
        self._value(event, depth + 1)
        return None

    def _line(self, event: yaml.Event) -> int:
        mark: Any = event.start_mark
        return self.lines.at(mark.index)

    def _complain(self, line: int, message: str, code: str) -> None:
        self.problems.append(Problem(line, message, code))


def _plain(text: str) -> Scalar:
    """Return the value of an unquoted scalar."""
    if text in _NULL:
        return None
    if text in _BOOLEAN:
        return _BOOLEAN[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return text


def _why(error: yaml.MarkedYAMLError) -> str:
    if "'\\t'" in (error.problem or ""):
        return "a tab cannot indent a line; use spaces"
    words = [part for part in (error.problem, error.context) if part]
    return " ".join(", ".join(words).split())[:200]
