"""CSV of a table or chart, for spreadsheets; untrusted text never becomes a formula."""

from __future__ import annotations

import csv
import io
from datetime import datetime

from assay.github_app.dashboard.blocks import Figure, Scalar, Table, cell

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_of(block: Table | Figure) -> str:
    """Format a block as CSV with a header of column keys. Times are ISO 8601 in UTC; unknown values are empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([column.key for column in block.columns])
    writer.writerows([_written(cell(one).value) for one in row] for row in block.rows)
    return out.getvalue()


def _written(value: Scalar) -> str | int | float:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return value
    return f"'{value}" if value.startswith(_FORMULA) else value
