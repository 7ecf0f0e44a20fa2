"""Altair specifications of the dashboard's charts; `assay.charts` renders them. Imported when a chart is rendered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from assay.charts import BAD, CRITICAL, FIRST, HIGH, INK, LOW, MEDIUM, SERIES

WIDTH = 640
LEVELS = {"low": LOW, "medium": MEDIUM, "high": HIGH, "critical": CRITICAL}
"""Colour of each risk level."""


def stacked(
    data: Sequence[dict[str, Any]], x: str, y: str, by: str, good_and_bad: tuple[str, str] | None = None, *, title: str
) -> Any:
    """Draw stacked bars from rows `{x, y, by}`, by risk level or by two other layers."""
    colours = LEVELS if good_and_bad is None else dict(zip(good_and_bad, (FIRST, BAD), strict=True))
    return (
        alt.Chart(alt.InlineData(values=_ranked(data, by, colours)))
        .mark_bar()
        .encode(
            x=_steps(x),
            y=alt.Y(f"{y}:Q", title=title, axis=_whole(_longest_bar(data, x, y))),
            order=alt.Order("layer:Q"),
            color=_legend(by, colours),
        )
        .properties(width=WIDTH, height=220)
    )


def layers(data: Sequence[dict[str, Any]], y: str, x: str, by: str, *, title: str) -> Any:
    """Draw stacked horizontal bars by risk level, one per `y`, in the given order."""
    places = list(dict.fromkeys(row[y] for row in data))
    return (
        alt.Chart(alt.InlineData(values=_ranked(data, by, LEVELS)))
        .mark_bar()
        .encode(
            y=alt.Y(f"{y}:N", sort=places, title=None),
            x=alt.X(f"{x}:Q", title=title, axis=_whole(_longest_bar(data, y, x))),
            order=alt.Order("layer:Q"),
            color=_legend(by, LEVELS),
        )
        .properties(width=WIDTH - 150, height=alt.Step(22))
    )


def shares(data: Sequence[dict[str, Any]], *, title: str, is_by_level: bool = False, is_share: bool = True) -> Any:
    """Draw a bar per row `{name, value}`, with a line for its interval `{low, high}`."""
    names = [row["name"] for row in data]
    base = alt.Chart(alt.InlineData(values=list(data)))
    y = alt.Y("name:N", sort=names, title=None)
    scale = alt.Scale(domain=[0, 1]) if is_share else alt.Scale(zero=True)
    axis = alt.Axis(format="%") if is_share else alt.Axis()
    colour: Any = alt.value(FIRST)
    if is_by_level:
        colour = alt.Color("name:N", scale=alt.Scale(domain=names, range=[LEVELS[name] for name in names]), legend=None)
    bars = base.mark_bar(opacity=0.75).encode(
        x=alt.X("value:Q", title=title, axis=axis, scale=scale), y=y, color=colour
    )
    height = alt.Step(26)
    if not any(row.get("low") is not None for row in data):
        return bars.properties(width=WIDTH - 80, height=height)
    lines = base.mark_rule(strokeWidth=2, color=INK).encode(x=alt.X("low:Q", scale=scale), x2="high:Q", y=y)
    return (bars + lines).properties(width=WIDTH - 80, height=height)


def trend(data: Sequence[dict[str, Any]], *, title: str, is_share: bool = False) -> Any:
    """Draw lines over time from rows `{bucket, value, low, high, split}`; a single line has its interval shaded."""
    names = list(dict.fromkeys(row["split"] for row in data))[: len(SERIES)]
    rows = [row for row in data if row["split"] in names]
    axis = alt.Axis(format="%") if is_share else alt.Axis()
    scale = alt.Scale(domain=[0, 1]) if is_share else alt.Scale(zero=True)
    base = alt.Chart(alt.InlineData(values=rows)).encode(x=_steps("bucket"))
    colour = alt.Color(
        "split:N",
        title=None,
        sort=names,
        scale=alt.Scale(domain=names, range=list(SERIES[: len(names)])),
        legend=alt.Legend(orient="top") if len(names) > 1 else None,
    )
    y = alt.Y("value:Q", title=title, axis=axis, scale=scale)
    lines = base.mark_line(strokeWidth=2).encode(y=y, color=colour)
    points = base.mark_point(filled=True, size=36, opacity=1).encode(y=y, color=colour)
    if len(names) > 1 or not any(row.get("low") is not None for row in rows):
        return (lines + points).properties(width=WIDTH, height=220)
    band = base.mark_area(opacity=0.2, color=FIRST).encode(y=alt.Y("low:Q", title=title, scale=scale), y2="high:Q")
    return (band + lines + points).properties(width=WIDTH, height=220)


def counts(data: Sequence[dict[str, Any]], *, title: str) -> Any:
    """Draw a bar per row `{name, value}`, in the given order."""
    names = [row["name"] for row in data]
    return (
        alt.Chart(alt.InlineData(values=list(data)))
        .mark_bar(color=FIRST)
        .encode(
            x=alt.X("value:Q", title=title, axis=_whole(_longest_bar(data, "name", "value"))),
            y=alt.Y("name:N", sort=names, title=None),
        )
        .properties(width=WIDTH - 120, height=alt.Step(26))
    )


def _ranked(data: Sequence[dict[str, Any]], by: str, colours: dict[str, str]) -> list[dict[str, Any]]:
    """Add the index of its layer to each row."""
    names = list(colours)
    return [{**row, "layer": names.index(row[by])} for row in data]


def _legend(by: str, colours: dict[str, str]) -> Any:
    """Define the colours of the layers, with a legend above the chart."""
    names = list(colours)
    scale = alt.Scale(domain=names, range=list(colours.values()))
    return alt.Color(f"{by}:N", title=None, sort=names, scale=scale, legend=alt.Legend(orient="top"))


def _longest_bar(data: Sequence[dict[str, Any]], place: str, value: str) -> int:
    """Return the length of the longest stacked bar."""
    sums: dict[str, int] = {}
    for row in data:
        sums[row[place]] = sums.get(row[place], 0) + row[value]
    return max(sums.values(), default=0)


def _whole(most: int) -> Any:
    """Define an axis of counts with about ten integer ticks."""
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, max(1, most)) if most / step <= 10)
    return alt.Axis(values=list(range(0, most + step, step)), format="d")


def _steps(name: str) -> Any:
    """Define an axis of weeks or other ordered steps, without overlapping labels."""
    return alt.X(
        f"{name}:O", title=None, axis=alt.Axis(labelAngle=-40, labelOverlap="greedy", labelSeparation=6, grid=False)
    )
