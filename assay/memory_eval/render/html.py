"""The report as one HTML file: no script, no external resources, light and dark, with charts as SVG."""

from __future__ import annotations

from importlib import resources

from assay.escape import utf8, visible
from assay.memory_eval.render import figures, memory_figures
from assay.memory_eval.report.model import WEAK_BELOW, EvalReport

MOST_TEXT = 2000
MOST_RESULTS = 2000


def render(report: EvalReport) -> str:
    """Return the whole page; untrusted text is escaped, and a policy forbids scripts and external resources."""
    # Both are slow to import, and only this format needs them.
    from jinja2 import Environment, StrictUndefined

    from assay.memory_eval.render.html_charts import pictures

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"percent": figures.percent, "shown": lambda text, most=MOST_TEXT: visible(str(text), most)}
    source = resources.files("assay.memory_eval.render").joinpath("report.html.j2").read_text("utf-8")
    page = environment.from_string(source).render(
        report=report,
        figures=figures,
        memory=memory_figures,
        pictures=pictures(report),
        baselines=figures.baselines(report),
        results=report.results[:MOST_RESULTS],
        num_left_out=max(0, len(report.results) - MOST_RESULTS),
        weak_below=WEAK_BELOW,
    )
    return utf8(page)
