"""A ranking as one HTML file, in the style of the report: no script, no external resources, light and dark."""

from __future__ import annotations

from assay.memory_eval.render.page import page_of, report_style
from assay.memory_eval.render.ranking_text import PARTS, exams_in_words, remarks_of, rows_of, titles_of
from assay.memory_eval.report.ranking import Ranking

MOST_TEXT = 300


def ranking_html(ranking: Ranking) -> str:
    """Return the whole page."""
    return page_of(
        "ranking.html.j2",
        MOST_TEXT,
        {},
        style=report_style(),
        exams=exams_in_words(ranking),
        parts=[(part.title, titles_of(part, ranking), rows_of(part, ranking)) for part in PARTS],
        remarks=remarks_of(ranking),
    )
