"""What pages are made of: facts, tables, figures, differences, forms. Values alone; templates make markup of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, ClassVar, TypeAlias

Scalar: TypeAlias = str | int | float | bool | datetime | None
MOST_ROWS = 500
"""Rows a page shows of one table; its CSV has all of them."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One place in a table: the value it sorts by and has in CSV, and how it looks where that is something else."""

    value: Scalar
    text: str | None = None
    href: str | None = None
    kind: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `key` is its name in CSV and in the address that sorts by it."""

    key: str
    label: str
    is_number: bool = False


Row: TypeAlias = tuple[Cell | Scalar, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings that sort. `empty` says what to do where there are none.

    A long one that `is_folded` is shown when somebody opens it, or has sorted it.
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
    """A chart, what it shows in words, and its data. `draw` gives an Altair chart, when it is shown."""

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
    """What stands on a long page, as links to its tables and figures: (title, key)."""

    shape: ClassVar[str] = "contents"
    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure with its name, such as "Held now: 3"."""

    label: str
    value: str
    note: str = ""
    href: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """A row of figures."""

    shape: ClassVar[str] = "facts"
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """Sentences, with a heading or without."""

    shape: ClassVar[str] = "prose"
    paragraphs: tuple[str, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """Two texts compared: unified lines, each beginning with a blank, `+`, `-` or `@`."""

    shape: ClassVar[str] = "difference"
    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the options of a field."""

    value: str
    label: str
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """Something to fill in: a choice where there are `choices`, a box to tick where `is_tick`, else a line of text."""

    name: str
    label: str
    choices: tuple[Choice, ...] = ()
    value: str = ""
    is_tick: bool = False
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """Something to send: to look elsewhere (`get`), or to change something (`post`, which carries the form token)."""

    shape: ClassVar[str] = "form"
    title: str
    action: str
    button: str
    fields: tuple[Field, ...] = ()
    hidden: tuple[tuple[str, str], ...] = ()
    note: str = ""
    method: str = "post"
    is_grave: bool = False


Block: TypeAlias = Contents | Table | Figure | Facts | Prose | Difference | Form


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a page shows. `choices` stand beside the repository and the time that one can choose.

    `template` and `more` are for the one page that is laid out by itself.
    """

    title: str
    intro: str = ""
    blocks: tuple[Block, ...] = ()
    choices: tuple[Field, ...] = ()
    template: str = "sheet.html"
    more: dict[str, Any] = field(default_factory=dict)


def cell(given: Cell | Scalar) -> Cell:
    """A plain value as a cell."""
    return given if isinstance(given, Cell) else Cell(given)


def ordered(table: Table, sort: str) -> Table:
    """The table in the order `COLUMN`, or `-COLUMN` from the highest; what is not known stands last. Else as it is."""
    key = sort.removeprefix("-")
    place = next((place for place, column in enumerate(table.columns) if column.key == key), None)
    if place is None:
        return table
    known = [row for row in table.rows if cell(row[place]).value is not None]
    unknown = [row for row in table.rows if cell(row[place]).value is None]
    known.sort(key=lambda row: _rank(cell(row[place]).value), reverse=sort.startswith("-"))
    return replace(table, rows=(*known, *unknown))


def _rank(value: Scalar) -> tuple[int, float, str]:
    """Numbers by size, times by time, words without regard to capitals; never compared with each other."""
    if isinstance(value, datetime):
        return (1, value.timestamp(), "")
    if isinstance(value, (bool, int, float)):
        return (0, float(value), "")
    return (2, 0.0, str(value).casefold())
