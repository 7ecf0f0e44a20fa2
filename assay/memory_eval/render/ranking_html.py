"""A ranking as one HTML file, in the style of the report: no script, no external resources, light and dark."""

from __future__ import annotations

from importlib import resources

from assay.escape import utf8, visible
from assay.memory_eval.render.inspection_html import report_style
from assay.memory_eval.render.ranking_text import PARTS, exams_in_words, remarks_of, rows_of, titles_of
from assay.memory_eval.report.ranking import Ranking

MOST_TEXT = 300


def ranking_html(ranking: Ranking) -> str:
    """Return the whole page; untrusted text is escaped, and a policy forbids scripts and external resources."""
    from jinja2 import Environment, StrictUndefined  # slow to import, and only this format needs it

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["shown"] = lambda text, most=MOST_TEXT: visible(str(text), most)
    source = resources.files("assay.memory_eval.render").joinpath("ranking.html.j2").read_text("utf-8")
    page = environment.from_string(source).render(
        style=report_style(),
        exams=exams_in_words(ranking),
        parts=[(part.title, titles_of(part, ranking), rows_of(part, ranking)) for part in PARTS],
        remarks=remarks_of(ranking),
    )
    return utf8(page)
