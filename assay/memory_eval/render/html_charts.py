"""Charts of the HTML report: category scores with baselines, calibration, latency; each optional."""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt

from assay.charts import BAD, FAINT, FIRST, SERIES, svg
from assay.escape import visible
from assay.memory_eval.render import figures
from assay.memory_eval.report.measures import answer_times_s
from assay.memory_eval.report.model import WEAK_BELOW, EvalReport
from assay.statistics import mean, percentile

WIDTH = 640
MOST_SERIES = len(SERIES)
MOST_CATEGORIES = 60
NUM_BINS = 10
MIN_POINTS = 3
"""Least number of confidences or times for a curve."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart as SVG, and its description for screen readers."""

    title: str
    caption: str
    words: str
    svg: str


def pictures(report: EvalReport) -> list[Picture]:
    """Return the charts this report has figures for."""
    return [one for one in (_categories(report), _calibration(report), _latency(report)) if one is not None]


def _categories(report: EvalReport) -> Picture | None:
    rows = [row for row in report.category_breakdown if row.avg_score is not None][:MOST_CATEGORIES]
    if not rows:
        return None
    others = figures.baselines(report)[: MOST_SERIES - 1]
    names = ["this agent", *(visible(other.name, 40) for other in others)]
    data = [{"category": visible(row.category, 60), "agent": names[0], "score": row.avg_score} for row in rows]
    for name, other in zip(names[1:], others, strict=True):
        scores = ((row.category, other.categories.get(row.category)) for row in rows)
        data += [
            {"category": visible(key, 60), "agent": name, "score": score} for key, score in scores if score is not None
        ]
    bars = (
        alt.Chart(alt.InlineData(values=data))
        .mark_bar()
        .encode(
            x=alt.X("score:Q", title="score", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("category:N", title=None),
            yOffset=alt.YOffset("agent:N", sort=names),
            color=alt.Color(
                "agent:N",
                title=None,
                sort=names,
                scale=alt.Scale(domain=names, range=list(SERIES[: len(names)])),
                legend=alt.Legend(orient="top") if others else None,
            ),
        )
    )
    weak = alt.Chart(alt.InlineData(values=[{"at": WEAK_BELOW}])).mark_rule(color=BAD, strokeDash=[4, 3])
    height = alt.Step(max(7, 20 // len(names)), **{"for": "offset"}) if others else alt.Step(20)
    chart = (bars + weak.encode(x="at:Q")).properties(width=WIDTH, height=height)
    said = ", ".join(f"{row.category} {figures.percent(row.avg_score, 0)}" for row in rows)
    caption = f"The dashed line is at {WEAK_BELOW:.0%}; the figures are in the table above."
    return Picture("Scores by category", caption, f"Bars. {said}.", svg(chart))


def _calibration(report: EvalReport) -> Picture | None:
    """Return the calibration chart: how often an agent is right at each confidence."""
    points = [
        (one.confidence, one.score) for one in report.results if one.confidence is not None and one.score is not None
    ]
    if len(points) < MIN_POINTS:
        return None
    bins: dict[int, list[tuple[float, float]]] = {}
    for confidence, score in points:
        bins.setdefault(min(NUM_BINS - 1, int(confidence * NUM_BINS)), []).append((confidence, score))
    data = [
        {"confidence": mean([one for one, _ in found]), "score": mean([two for _, two in found]), "num": len(found)}
        for _, found in sorted(bins.items())
    ]
    scale = alt.Scale(domain=[0, 1])
    x = alt.X("confidence:Q", title="confidence the agent gave", axis=alt.Axis(format="%"), scale=scale)
    y = alt.Y("score:Q", title="score it got", axis=alt.Axis(format="%"), scale=scale)
    curve = alt.Chart(alt.InlineData(values=data)).encode(x=x, y=y)
    size = alt.Size("num:Q", legend=None, scale=alt.Scale(range=[40, 400]))
    line = curve.mark_line(color=FIRST) + curve.mark_point(color=FIRST, filled=True, opacity=1).encode(size=size)
    ends = [{"confidence": 0, "score": 0}, {"confidence": 1, "score": 1}]
    right = alt.Chart(alt.InlineData(values=ends)).mark_line(color=FAINT, strokeDash=[4, 3]).encode(x=x, y=y)
    said = "; ".join(f"{one['confidence']:.0%} sure: {one['score']:.0%} right ({one['num']})" for one in data)
    chart = svg((right + line).properties(width=320, height=320))
    return Picture("Calibration", f"{said}. On the dashed line, confidence equals accuracy.", f"Curve. {said}.", chart)


def _latency(report: EvalReport) -> Picture | None:
    times = sorted(answer_times_s(report.results))
    middle, late = percentile(times, 50), percentile(times, 95)
    if middle is None or late is None or len(times) < MIN_POINTS:
        return None
    data = [{"share": (place + 1) / len(times), "s": time} for place, time in enumerate(times)]
    chart = (
        alt.Chart(alt.InlineData(values=data))
        .mark_line(color=FIRST, interpolate="step-after")
        .encode(
            x=alt.X("s:Q", title="seconds per answer"),
            y=alt.Y("share:Q", title="share of answers", axis=alt.Axis(format="%")),
        )
        .properties(width=WIDTH, height=200)
    )
    said = f"Half of the answers took at most {figures.seconds(middle)}, 95 % at most {figures.seconds(late)}."
    return Picture("Latency", said, said, svg(chart))
