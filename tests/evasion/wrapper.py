"""A wrapper: a way to make a payload look like something else, which must not give a better verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from tests.evasion.changes import Change


class Stage(IntEnum):
    """What a wrapper works on; of two wrappers the one with the lower stage comes first."""

    shape = 0
    text = 1
    container = 2
    place = 3
    data = 4
    around = 5
    history = 6


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A named way from one change to another. `apply` gives None where the wrapper does not fit the change."""

    name: str
    stage: Stage
    apply: Callable[[Change], Change | None]


COMMENTS = {
    "python": "#",
    "yaml": "#",
    "toml": "#",
    "shell": "#",
    "ruby": "#",
    "plain": "#",
    "typescript": "//",
    "tsx": "//",
    "go": "//",
    "java": "//",
    "php": "//",
    "sql": "--",
}
"""Language to the mark of a line comment; JSON has none."""
PROGRAMS = frozenset({"python", "typescript", "tsx", "go", "java", "php", "ruby", "sql"})
"""Languages of source files, which may lie anywhere; a workflow, a manifest or settings act at one path only."""


def prepended(change: Change, line: str) -> Change | None:
    """The change with one line before everything in the carrier but a `<?php` or `#!` line."""
    lines = change.text.split("\n")
    at = 1 if lines[0].startswith(("<?php", "#!")) else 0
    return change.with_data("\n".join([*lines[:at], line, *lines[at:]]))
