"""The table of tools and of what they print, `formats.toml`, with its patterns compiled."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter

LINES = "lines"
"""Format of lines that no tool's format has."""

_GROUPS = {
    "{file}": r"(?P<file>[^\s:][^:]{0,400}?)",
    "{line}": r"(?P<line>\d{1,7})",
    "{column}": r"\d{1,7}",
    "{severity}": r"(?P<severity>[Ee]rror|[Ww]arning)",
    "{message}": r"(?P<message>.*)",
}


def _compiled(pattern: str) -> re.Pattern[str]:
    for name, group in _GROUPS.items():
        pattern = pattern.replace(name, group)
    return re.compile(pattern, re.MULTILINE)


Pattern = Annotated[re.Pattern[str], BeforeValidator(_compiled)]


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Place(_Row):
    """Line of one finding.

    `later` matches the end of a message that continues on the next lines, which `is_joined` appends to it.
    """

    pattern: Pattern
    rule: str
    said: str = ""
    suffixes: tuple[str, ...] = ("",)
    later: Pattern | None = None
    is_joined: bool = False


class Failures(_Row):
    """Failing tests of a runner; `frame` shows a test whose file is unknown, with `last` the last message counts."""

    needs: str
    title: Pattern
    end: Pattern = re.compile(r"\Z")
    said: Pattern = re.compile(r"^\s*(?P<said>\S.*)", re.MULTILINE)
    files: Pattern | None = None
    listed: Pattern | None = None
    above: bool = False
    frame: int = 0
    last: bool = False


class NotChecked(_Row):
    """Line that shows that a tool checked nothing, or not all; with `unless` only where the output lacks a text."""

    line: Pattern
    reason: str = "{line}"
    then: Pattern | None = None
    plain: bool = False
    unless: str | None = None


class Format(_Row):
    """Everything about one tool."""

    name: str
    kind: str = "test"
    programs: frozenset[str] = frozenset()
    only_with: Mapping[str, frozenset[str]] = {}
    variables: Mapping[str, str] = {}
    places: tuple[Place, ...] = ()
    below: tuple[Place, ...] = ()
    arrows: tuple[Place, ...] = ()
    totals: tuple[Pattern, ...] = ()
    needs: str = ""
    failures: Failures | None = None
    not_checked: tuple[NotChecked, ...] = ()
    unready: frozenset[str] = frozenset()


def formats(tools: Collection[str]) -> Iterator[Format]:
    """Yield the formats of the given tools, in the table's order."""
    return (one for one in FORMATS if one.name in tools)


_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
FORMATS = TypeAdapter(tuple[Format, ...]).validate_python([{"name": name, **entry} for name, entry in _TABLE.items()])
