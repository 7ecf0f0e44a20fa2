"""The report as one HTML file: no script, no external resources, light and dark, with charts as SVG."""

from __future__ import annotations

from assay.memory_eval.render import figures, memory_figures
from assay.memory_eval.render.page import page_of
from assay.memory_eval.report.model import WEAK_BELOW, EvalReport

MOST_TEXT = 2000
MOST_RESULTS = 2000


def render(report: EvalReport) -> str:
    """Return the whole page."""
    from assay.memory_eval.render.html_charts import pictures  # slow to import, and only this format needs it

    return page_of(
        "report.html.j2",
        MOST_TEXT,
        {"percent": figures.percent},
        report=report,
        figures=figures,
        memory=memory_figures,
        pictures=pictures(report),
        baselines=figures.baselines(report),
        results=report.results[:MOST_RESULTS],
        num_left_out=max(0, len(report.results) - MOST_RESULTS),
        weak_below=WEAK_BELOW,
    )
