"""SARIF file of the findings within the limits of code scanning; the least severe are dropped first."""

from __future__ import annotations

import gzip
import json
from typing import Any

from assay.github.client.limits import MOST_SARIF_BYTES
from assay.validators import ValidationReport, report_as


def sarif_within_limits(report: ValidationReport) -> bytes:
    """Return the file; it states how many results were dropped for its size. The renderer limits their number."""
    data = report_as(report, "sarif").encode()
    if _packed(data) <= MOST_SARIF_BYTES:
        return data
    document: dict[str, Any] = json.loads(data)
    run = document["runs"][0]
    notes = run["invocations"][0]["toolExecutionNotifications"]
    num_all = len(run["results"])
    while _packed(data) > MOST_SARIF_BYTES and run["results"]:
        # Results are sorted, the most severe first.
        del run["results"][len(run["results"]) * 3 // 4 :]
        left = (
            f"{num_all - len(run['results'])} results left out: the file would exceed the size limit of code scanning"
        )
        note = {"level": "warning", "message": {"text": left}}
        run["invocations"][0]["toolExecutionNotifications"] = [note, *notes]
        data = json.dumps(document, ensure_ascii=True, allow_nan=False).encode()
    return data


def _packed(data: bytes) -> int:
    return len(gzip.compress(data, 9, mtime=0))
