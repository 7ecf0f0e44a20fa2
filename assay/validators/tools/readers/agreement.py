"""Agreement of a report with the output: a report with fewer failures than the output is not trusted."""

from __future__ import annotations

from dataclasses import replace

from assay.validators.tools.tool import Reading


def agreed(reported: Reading | None, printed: Reading | None) -> Reading | None:
    """Return the report's reading plus failures only the output has; the output's where there is no report."""
    if reported is None:
        return None if printed is None else replace(printed, is_reported=printed.is_reported or False)
    if printed is None or printed.num_bad <= reported.num_bad:
        return reported
    return replace(
        reported,
        counts=printed.counts,
        findings=printed.findings,
        looked=printed.looked,
        reason=printed.reason or "its report has fewer failures than its output",
    )


def asked(reading: Reading) -> Reading:
    """Return the reading of a runner that was asked for a report; without one, the output's results."""
    return replace(reading, is_reported=False) if reading.is_reported is None else reading
