"""Rails migrations: the effect of `change` and `up`, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.change import lines_of
from assay.validators.risk.migrations.migration import Effect, Migration, Operation

_PLACE = re.compile(r"(^|/)db/[\w/]*migrate/[^/]+\.rb$")
_DEFINITION = re.compile(r"^(\s*)def\s+(?:self\.)?(\w+)")
_CALLS = (
    (
        Effect.destructive,
        re.compile(
            r"\s*(remove_columns?|drop_table|drop_join_table|rename_column|rename_table|change_column|remove_reference"
            r"|remove_belongs_to|remove_timestamps)\b"
        ),
    ),
    (Effect.destructive, re.compile(r"\s*change_column_null\b.*,\s*false\b")),
    (Effect.destructive, re.compile(r"\s*t\.(remove|rename|change)\b")),
    (Effect.destructive, re.compile(r"\s*add_(column|reference|belongs_to)\b(?!.*default:).*\bnull:\s*false\b")),
    (Effect.unclear, re.compile(r"\s*(execute|up_only|reversible)\b")),
    (
        Effect.other,
        re.compile(
            r"\s*(remove_index|remove_foreign_key|remove_check_constraint|change_column_default|change_column_null"
            r"|rename_index|disable_extension)\b"
        ),
    ),
    (Effect.additive, re.compile(r"\s*(add_|create_|enable_extension|change_table|change_column_comment)\w*")),
)
"""The first row that matches a line decides its effect."""


def _operations(text: str) -> Iterator[Operation]:
    is_down = False
    for number, line in enumerate(lines_of(text), 1):
        if definition := _DEFINITION.match(line):
            is_down = definition[2] == "down"
        elif not is_down and len(line) < 2000:
            for effect, pattern in _CALLS:
                if pattern.match(line):
                    yield Operation(effect, line.strip()[:100], number)
                    break


RAILS = Migration("rails", lambda path, _: _PLACE.search(path) is not None, lambda text, _: _operations(text))
