"""An inspection as one HTML file, in the style of the report: no script, no external resources, light and dark."""

from __future__ import annotations

from assay.memory_eval.render.inspection_text import counted
from assay.memory_eval.render.page import page_of, report_style
from assay.memory_eval.report.inspection import Inspection, Month

MOST_TEXT = 600


def inspection_html(inspection: Inspection) -> str:
    """Return the whole page."""
    return page_of(
        "inspection.html.j2",
        MOST_TEXT,
        {"counted": counted},
        inspection=inspection,
        style=report_style(),
        shares=_shares(inspection),
        bars=_bars(inspection.months),
        num_found=sum(problem.count or 0 for problem in inspection.problems if problem.is_severe),
    )


def _shares(inspection: Inspection) -> list[tuple[str, int, float]]:
    """Return (state, entries, percent of all entries)."""
    whole = sum(inspection.states.values()) or 1
    return [(state, count, 100 * count / whole) for state, count in inspection.states.items()]


def _bars(months: tuple[Month, ...]) -> list[tuple[Month, float, float]]:
    """Return (month, height of live entries, height of others) in percent of the fullest month."""
    most = max((month.num_live + month.num_other for month in months), default=1) or 1
    return [(month, 100 * month.num_live / most, 100 * month.num_other / most) for month in months]
