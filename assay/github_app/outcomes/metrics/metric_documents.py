"""Metrics as JSON data and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

_ACTS = ("=", "+", "-", "@", "\t", "\r")
"""Prefixes that make a spreadsheet evaluate a cell; text in the rows is untrusted."""


def as_rows(rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Convert rows (dataclasses of plain values) to dictionaries, in field order."""
    return [asdict(row) for row in rows]


def as_csv(rows: Sequence[Any], kind: type) -> str:
    """Format rows as CSV with a header from the dataclass `kind`; unknown values are empty, booleans are 1 and 0."""
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
