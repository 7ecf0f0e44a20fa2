"""A comparison of memory states as one HTML file: no script, no external resources, light and dark."""

from __future__ import annotations

import altair as alt

from assay.charts import BAD, FIRST, SECOND, svg
from assay.memory_eval.render import drift_figures as figures
from assay.memory_eval.render.figures import percent
from assay.memory_eval.render.page import page_of, report_style
from assay.memory_eval.report.drift import Drift, Point

MOST_TEXT = 400
WIDTH = 640


def drift_html(drift: Drift) -> str:
    """Return the whole page."""
    return page_of(
        "drift.html.j2",
        MOST_TEXT,
        {"share": figures.share, "day": figures.day},
        drift=drift,
        figures=figures,
        style=report_style(),
        chart=history_chart(drift.history) if len(drift.history) > 1 else "",
    )


def history_chart(points: tuple[Point, ...]) -> str:
    """Draw the share kept and recall@10 by run, with the runs that have findings marked, as SVG."""
    names = ["kept", "recall@10"]
    data = [
        {"run": one.at, "measure": name, "share": value, "findings": one.num_findings}
        for one in points
        for name, value in zip(names, (one.kept, one.recall), strict=True)
        if value is not None
    ]
    runs = [one.at for one in points]
    low = min((row["share"] for row in data if isinstance(row["share"], float)), default=0.0)
    days = alt.Axis(labelAngle=-35, labelOverlap=True, labelExpr="slice(datum.value, 0, 10)")
    base = alt.Chart(alt.InlineData(values=data)).encode(
        x=alt.X("run:O", title=None, sort=runs, axis=days),
        y=alt.Y(
            "share:Q", title=None, axis=alt.Axis(format="%"),
            scale=alt.Scale(domain=[max(0.0, min(0.9, low - 0.05)), 1], clamp=True),
        ),
    )  # fmt: skip
    colour = alt.Color(
        "measure:N", title=None, sort=names, scale=alt.Scale(domain=names, range=[FIRST, SECOND]),
        legend=alt.Legend(orient="top"),
    )  # fmt: skip
    line = base.mark_line(point=True).encode(color=colour)
    marked = base.transform_filter("datum.findings > 0 && datum.measure == 'kept'")
    marks = marked.mark_point(color=BAD, filled=True, size=110, opacity=1, shape="diamond")
    said = "; ".join(f"{figures.day(one.at)} {percent(one.kept, 1)} kept" for one in points if one.kept is not None)
    return svg((line + marks).properties(width=WIDTH, height=220), f"History. {said}.")
