"""Rendering of charts to SVG, without a browser or network.

Colours are CSS variables (`INKS`) that the page sets, so that one picture fits light and dark pages.
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
"""Placeholder colour -> CSS variable. Vega accepts only valid colours, so variables are inserted after rendering."""
INK, FAINT, GRID, FIRST, SECOND, THIRD, FOURTH, FIFTH, BAD, LOW, MEDIUM, HIGH, CRITICAL = INKS
SERIES = (FIRST, SECOND, THIRD, FOURTH, FIFTH)
"""Colours of series, in order of use."""
FONT = "system-ui, sans-serif"
PADDING = {"left": 36, "right": 12, "top": 6, "bottom": 6}
"""Extra space on the left: the page's font can be wider than the font used for layout."""

_ROLES = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')
"""ARIA attributes of single parts, removed from charts that have one description."""


def svg(chart: Any, words: str | None = None) -> str:
    """Render an Altair chart as an `<svg>` element for an HTML page, with escaped texts.

    With `words` the chart is a single image with this text as its accessible name.
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
    """Escape every text in the specification.

    Names on a chart are untrusted, and a control character in one crashes the renderer's process.
    """
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {key: _printable(one) for key, one in value.items()}
    return [_printable(one) for one in value] if isinstance(value, list) else value
