"""Figures as JSON and CSV: the same rows for the command line, the API and the pages."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

_ACTS = ("=", "+", "-", "@", "\t", "\r")
"""A cell of text that begins so is a formula to a spreadsheet; names in our rows are strangers' words."""


def as_rows(rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Rows (dataclasses of plain values) as plain dictionaries, in the order of their fields."""
    return [asdict(row) for row in rows]


def as_json(rows: Sequence[Any]) -> str:
    """A JSON list of objects."""
    return json.dumps(as_rows(rows), indent=2)


def as_csv(rows: Sequence[Any], kind: type) -> str:
    """CSV with a line of names first, those of the dataclass `kind`; unknown is empty, yes and no are 1 and 0."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(field.name for field in fields(kind))
    for row in rows:
        writer.writerow([_cell(value) for value in asdict(row).values()])
    return text.getvalue()


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str) and value.startswith(_ACTS):
        return f"'{value}"
    return value
