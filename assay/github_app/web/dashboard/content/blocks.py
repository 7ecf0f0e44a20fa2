"""Blocks of a page: facts, tables, figures, diffs, forms. They hold values only; templates render the markup."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib import import_module
from typing import Any, ClassVar, TypeAlias

from assay.github_app.web.http.csv_text import Value, csv_text

Scalar: TypeAlias = Value
MOST_ROWS = 500
"""Maximum table rows on a page; the CSV has all of them."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Table cell: the value for sorting and CSV, and its display if that differs."""

    value: Scalar
    text: str | None = None
    href: str | None = None
    kind: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """Column; `key` is its name in CSV and in the sort parameter."""

    key: str
    label: str


Row: TypeAlias = tuple[Cell | Scalar, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under sortable headings. `empty` says what to do if there are none.

    A table that `is_folded` is collapsed until it is opened or sorted.
    """

    shape: ClassVar[str] = "table"
    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    empty: str
    note: str = ""
    is_folded: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """Chart with a text summary and its data. `draw` returns an Altair chart when it is rendered."""

    shape: ClassVar[str] = "figure"
    key: str
    title: str
    words: str
    draw: Callable[[], Any] = field(repr=False)
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    empty: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Contents:
    """Links to the tables and figures of a long page: (title, key)."""

    shape: ClassVar[str] = "contents"
    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Pager:
    """Position in a list that is shown in pages, with links to the page before and after."""

    shape: ClassVar[str] = "pager"
    label: str
    words: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Fact:
    """Value with a label, such as "On hold: 3"."""

    label: str
    value: str
    note: str = ""
    href: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """Row of facts."""

    shape: ClassVar[str] = "facts"
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """Paragraphs, optionally with a heading."""

    shape: ClassVar[str] = "prose"
    paragraphs: tuple[str, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """Unified diff of two texts; each line starts with a blank, `+`, `-` or `@`."""

    shape: ClassVar[str] = "difference"
    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Option of a field."""

    value: str
    label: str
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """Form field: a select if it has `choices`, a checkbox if `is_tick`, else a text input."""

    name: str
    label: str
    choices: tuple[Choice, ...] = ()
    value: str = ""
    is_tick: bool = False
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """Form: a filter (`get`), or an action (`post`, with the form token)."""

    shape: ClassVar[str] = "form"
    title: str
    action: str
    button: str
    fields: tuple[Field, ...] = ()
    hidden: tuple[tuple[str, str], ...] = ()
    note: str = ""
    method: str = "post"
    is_grave: bool = False


Block: TypeAlias = Contents | Table | Figure | Pager | Facts | Prose | Difference | Form


@dataclass(frozen=True, slots=True)
class Sheet:
    """Content of a page. `choices` are selects next to those for repository and time.

    `template` and `more` are for the one page with its own layout.
    """

    title: str
    intro: str = ""
    blocks: tuple[Block, ...] = ()
    choices: tuple[Field, ...] = ()
    template: str = "sheet.html"
    more: dict[str, Any] = field(default_factory=dict)


def columns_of(*names: str) -> tuple[Column, ...]:
    """Return columns from their keys, such as `pull_request` or `at=When`; the label defaults to the key."""
    split = (
        (key, label or key.replace("_", " ").capitalize()) for key, _, label in (one.partition("=") for one in names)
    )
    return tuple(Column(key, label) for key, label in split)


def are_numbers(block: Table | Figure, place: int) -> bool:
    """Return whether the known values of a column are numbers, which are aligned right; marks such as chips are not."""
    cells = [cell(row[place]) for row in block.rows]
    known = {type(one.value) for one in cells if one.value is not None and not one.kind}
    return bool(known) and known <= {int, float}


def chart(name: str, *given: Any, **options: Any) -> Callable[[], Any]:
    """Return a function that draws a chart of `drawing`, whose import takes a third of a second."""
    return lambda: getattr(import_module("assay.github_app.web.dashboard.content.drawing"), name)(*given, **options)


def cell(given: Cell | Scalar) -> Cell:
    """Wrap a plain value in a cell."""
    return given if isinstance(given, Cell) else Cell(given)


def ordered(table: Table, sort: str) -> Table:
    """Return the table sorted by `COLUMN`, or descending by `-COLUMN`, with unknown values last.

    Any other `sort` returns it unchanged.
    """
    key = sort.removeprefix("-")
    place = next((place for place, column in enumerate(table.columns) if column.key == key), None)
    if place is None:
        return table
    known = [row for row in table.rows if cell(row[place]).value is not None]
    unknown = [row for row in table.rows if cell(row[place]).value is None]
    known.sort(key=lambda row: _rank(cell(row[place]).value), reverse=sort.startswith("-"))
    return replace(table, rows=(*known, *unknown))


def _rank(value: Scalar) -> tuple[int, float, str]:
    """Return the sort key: numbers by size, times by time, text case-insensitively; types are never mixed."""
    if isinstance(value, datetime):
        return (1, value.timestamp(), "")
    if isinstance(value, (bool, int, float)):
        return (0, float(value), "")
    return (2, 0.0, str(value).casefold())


def csv_of(block: Table | Figure) -> str:
    """Format a block as CSV with a header of column keys."""
    rows = ((cell(one).value for one in row) for row in block.rows)
    return csv_text((column.key for column in block.columns), rows)
