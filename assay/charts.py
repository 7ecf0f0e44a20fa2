"""The one place that draws: a chart goes in, SVG comes out, without a browser and without a network.

The picture takes its colours from whatever page holds it: they come out as CSS variables (`INKS`), so that the same
picture is right on a light page and on a dark one.
"""

from __future__ import annotations

import html
import re
from typing import Any

import altair as alt
import vl_convert

from assay.escape import visible

INKS = {
    "#010101": "var(--ink)",
    "#020202": "var(--faint)",
    "#030303": "var(--grid)",
    "#040404": "var(--first)",
    "#050505": "var(--second)",
    "#060606": "var(--third)",
    "#070707": "var(--fourth)",
    "#080808": "var(--fifth)",
    "#090909": "var(--bad)",
    "#0a0a0a": "var(--bar-low)",
    "#0b0b0b": "var(--bar-medium)",
    "#0c0c0c": "var(--bar-high)",
    "#0d0d0d": "var(--bar-critical)",
}
"""A colour no chart has by itself, for each variable a page sets: Vega checks colours and knows no variables."""
INK, FAINT, GRID, FIRST, SECOND, THIRD, FOURTH, FIFTH, BAD, LOW, MEDIUM, HIGH, CRITICAL = INKS
SERIES = (FIRST, SECOND, THIRD, FOURTH, FIFTH)
"""Colours of things side by side, in the order to use them."""
FONT = "system-ui, sans-serif"
PADDING = {"left": 36, "right": 12, "top": 6, "bottom": 6}
"""Room to the left: the page's letters may be wider than those the picture was measured with."""

_ROLES = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')
"""What Vega says of each part of a picture; in one that is described as a whole it would be noise."""


def svg(chart: Any, words: str | None = None) -> str:
    """The chart (Altair's) as an `<svg>` element that may stand in an HTML page. Texts in it are escaped.

    With `words` it is one picture for those who do not see it, and these are what they hear.
    """
    size = alt.Undefined if words is None else 13
    lines = alt.AxisConfig(
        labelColor=INK, titleColor=INK, gridColor=GRID, domainColor=FAINT, tickColor=FAINT, labelLimit=260,
        labelFontSize=size, titleFontSize=size, titleFontWeight=alt.Undefined if words is None else "normal",
    )  # fmt: skip
    legend = alt.LegendConfig(labelColor=INK, titleColor=INK, labelLimit=260, labelFontSize=size)
    dressed = chart.configure(background="transparent", font=FONT, axis=lines, legend=legend, padding=PADDING)
    dressed = dressed.configure_view(stroke=None)
    drawn: str = vl_convert.vegalite_to_svg(_printable(dressed.to_dict()))
    for colour, variable in INKS.items():
        drawn = drawn.replace(f'"{colour}"', f'"{variable}"')
    if words is not None:
        drawn = _ROLES.sub("", drawn)
        drawn = drawn.replace("<svg ", f'<svg role="img" aria-label="{html.escape(visible(words), quote=True)}" ', 1)
    return drawn


def _printable(value: Any) -> Any:
    """The same with every text in it as it can be drawn.

    Names on a chart are strangers' words, and a control character in one does not fail here: it ends the process.
    """
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {key: _printable(one) for key, one in value.items()}
    return [_printable(one) for one in value] if isinstance(value, list) else value
