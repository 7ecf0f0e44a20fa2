"""What a run printed beside what it reported: a report that knows less of failures than the output is not believed."""

from __future__ import annotations

from dataclasses import replace

from assay.validators.tools.tool import Reading


def agreed(reported: Reading | None, printed: Reading | None) -> Reading | None:
    """The report's reading, with the failures that only the output has; what was printed where there is no report."""
    if reported is None:
        return None if printed is None else replace(printed, is_reported=printed.is_reported or False)
    if printed is None or _num_bad(printed) <= _num_bad(reported):
        return reported
    return replace(
        reported,
        counts=printed.counts,
        findings=printed.findings,
        looked=printed.looked,
        reason=printed.reason or "its report has fewer failures than its output",
    )


def asked(reading: Reading) -> Reading:
    """The reading of a runner that was asked for a report: without one, its results come from its output alone."""
    return replace(reading, is_reported=False) if reading.is_reported is None else reading


def _num_bad(reading: Reading) -> int:
    return (reading.counts.failed or 0) + (reading.counts.errors or 0)
