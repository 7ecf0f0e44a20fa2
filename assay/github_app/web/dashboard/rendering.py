"""Rendering of pages: templates that escape everything, with a policy that allows no scripts."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi import Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from assay.github_app.web.dashboard.content.blocks import MOST_ROWS, Cell, Figure, are_numbers, cell
from assay.github_app.web.dashboard.content.figures import UNKNOWN, number
from assay.validators import as_visible_lines

_BETWEEN_BACKTICKS = re.compile(r"`([^`\n]+)`")
HERE = Path(__file__).parent / "templates"
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)


class Pages:
    """Templates rendered to responses without scripts or untrusted markup."""

    def __init__(self, github_url: str) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(HERE),
            autoescape=select_autoescape(default=True),
            undefined=StrictUndefined,
            finalize=visible,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters |= {
            "ago": ago,
            "cell": cell,
            "coded": coded,
            "drawn": drawn,
            "moment": is_moment,
            "shown": shown,
        }
        self._environment.tests["numeric"] = are_numbers
        self._environment.globals |= {"github_url": github_url, "most_rows": MOST_ROWS}

    def show(self, name: str, status: int = 200, **given: Any) -> Response:
        """Render one page."""
        text = self._environment.get_template(name).render(**given)
        return HTMLResponse(text, status, {"content-security-policy": POLICY})

    def style(self) -> Response:
        """Return the style sheet."""
        return Response((HERE / "style.css").read_text("utf-8"), media_type="text/css")


def visible(value: Any) -> Any:
    """Return a text with control and bidi characters as escapes; other values, and what is escaped already, as is."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return "\n".join(as_visible_lines(value.split("\n"), most=0))


def drawn(figure: Figure) -> Markup:
    """Render the chart of a figure as SVG; `assay.charts` escapes all text in it."""
    # Imported here because charts take a third of a second to load, which other pages do not need.
    from assay.charts import svg

    return Markup(svg(figure.draw(), figure.words))  # noqa: S704 - generated SVG with escaped text


def coded(text: str) -> Markup:
    """Escape a text, and mark what it has between backticks as code."""
    return Markup(_BETWEEN_BACKTICKS.sub(r"<code>\1</code>", str(escape(visible(text)))))  # noqa: S704 - escaped


def shown(given: Cell) -> str:
    """Format a cell's value for display."""
    if given.text is not None:
        return given.text
    value = given.value
    if value is None:
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return ago(value)
    if isinstance(value, float):
        return number(value)
    return str(value)


def is_moment(given: Cell) -> bool:
    """Return whether a cell's value is a time."""
    return isinstance(given.value, datetime)


def ago(then: datetime | None) -> str:
    """Format the time passed since then."""
    if then is None:
        return "never"
    seconds = max(0, int((datetime.now(UTC) - then).total_seconds()))
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            num = seconds // size
            return f"{num} {unit}{'s' if num > 1 else ''} ago"
    return "just now"


class Addresses:
    """Links of a page to itself: with another sort order, or one block as CSV; other parameters stay."""

    def __init__(self, path: str, query: dict[str, str]) -> None:
        self._path = path
        self._query = {name: value for name, value in query.items() if name not in ("csv", "sort")}
        self._sort = query.get("sort", "")

    def csv(self, key: str) -> str:
        """Return the URL of a block's CSV."""
        return self._url({"csv": key})

    def sorting(self, key: str, column: str) -> dict[str, str]:
        """Return the URL of a column heading, and the table's current sort direction by it."""
        wanted = f"{key}.{column}"
        direction = {wanted: "ascending", f"-{wanted}": "descending"}.get(self._sort, "")
        return {
            "href": self._url({"sort": f"-{wanted}" if direction == "ascending" else wanted}),
            "direction": direction,
        }

    def _url(self, more: dict[str, str]) -> str:
        return f"{self._path}?{urlencode({**self._query, **more})}" + (
            f"#{_table(more['sort'])}" if "sort" in more else ""
        )


def _table(sort: str) -> str:
    return sort.removeprefix("-").partition(".")[0]
