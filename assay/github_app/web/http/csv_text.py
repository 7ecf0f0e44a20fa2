"""CSV for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from datetime import datetime
from typing import TypeAlias

Value: TypeAlias = str | int | float | bool | datetime | None
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Prefixes that make a spreadsheet evaluate a cell."""


def csv_text(header: Iterable[str], rows: Iterable[Iterable[Value]]) -> str:
    """Format rows as CSV with a header.

    Times are ISO 8601 in UTC, and unknown values are empty. Untrusted text never becomes a formula.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([_written(value) for value in row] for row in rows)
    return out.getvalue()


def _written(value: Value) -> str | int | float:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return value
    return f"'{value}" if value.startswith(_FORMULA) else value
