"""An inspection as one HTML file, in the style of the report: no script, no external resources, light and dark."""

from __future__ import annotations

import re
from importlib import resources

from assay.escape import utf8, visible
from assay.memory_eval.render.inspection_text import counted
from assay.memory_eval.report.inspection import Inspection, Month

MOST_TEXT = 600
_STYLE = re.compile(r"<style>\n(.*?)</style>", re.DOTALL)


def inspection_html(inspection: Inspection) -> str:
    """Return the whole page; untrusted text is escaped, and a policy forbids scripts and external resources."""
    from jinja2 import Environment, StrictUndefined  # slow to import, and only this format needs it

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["shown"] = lambda text, most=MOST_TEXT: visible(str(text), most)
    environment.filters["counted"] = counted
    folder = resources.files("assay.memory_eval.render")
    page = environment.from_string(folder.joinpath("inspection.html.j2").read_text("utf-8")).render(
        inspection=inspection,
        style=report_style(),
        shares=_shares(inspection),
        bars=_bars(inspection.months),
        num_found=sum(problem.count or 0 for problem in inspection.problems if problem.is_severe),
    )
    return utf8(page)


def report_style() -> str:
    """Return the style sheet of the report, which all pages share."""
    style = _STYLE.search(resources.files("assay.memory_eval.render").joinpath("report.html.j2").read_text("utf-8"))
    return style[1] if style else ""


def _shares(inspection: Inspection) -> list[tuple[str, int, float]]:
    """Return (state, entries, percent of all entries)."""
    whole = sum(inspection.states.values()) or 1
    return [(state, count, 100 * count / whole) for state, count in inspection.states.items()]


def _bars(months: tuple[Month, ...]) -> list[tuple[Month, float, float]]:
    """Return (month, height of live entries, height of others) in percent of the fullest month."""
    most = max((month.num_live + month.num_other for month in months), default=1) or 1
    return [(month, 100 * month.num_live / most, 100 * month.num_other / most) for month in months]
