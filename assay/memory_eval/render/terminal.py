"""A document on a terminal or as plain text: no control characters, only characters of the terminal's encoding."""

from __future__ import annotations

import io
from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from assay.escape import visible
from assay.memory_eval.render.document import EMPTY, FULL, Bar, Cards, Cell, Document, Line, Part, Table, Tone

PLAIN_WIDTH = 110
MOST_SHOWN = 400
_PLAIN_BARS = str.maketrans({FULL: "#", EMPTY: "."})
_STYLES: dict[Tone, str] = {"good": "green", "bad": "red", "doubtful": "yellow", "faint": "dim", "plain": ""}


def show(document: Document, console: Console) -> None:
    """Print a document in the console's width and colours, without trailing blanks in a file."""
    if console.is_terminal:
        _print(document, console)
        return
    with console.capture() as shown:
        _print(document, console)
    console.file.write(_without_trailing_blanks(shown.get()))


def text(document: Document) -> str:
    """Return a document without colour, for a file."""
    file = io.StringIO()
    _print(document, Console(file=file, width=PLAIN_WIDTH, color_system=None, legacy_windows=False))
    return _without_trailing_blanks(file.getvalue())


def _without_trailing_blanks(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def _print(document: Document, console: Console) -> None:
    words = _Words(console.encoding)
    console.print(Text(words(document.headline), f"bold {_STYLES[document.tone]}".strip()), highlight=False)
    for part in document.parts:
        for shown in _part(part, words):
            console.print(shown, highlight=False)


class _Words:
    """Text that is safe on this terminal."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._is_plain = not encoding.lower().startswith("utf")

    def __call__(self, cell: Cell, most: int = MOST_SHOWN) -> str:
        shown = cell.drawn() if isinstance(cell, Bar) else visible(cell, most)
        shown = shown.translate(_PLAIN_BARS) if self._is_plain else shown
        return shown.encode(self._encoding, "replace").decode(self._encoding)


def _part(part: Part, words: _Words) -> Iterator[RenderableType]:
    if isinstance(part, Line):
        yield Text(words(part.text), _STYLES[part.tone])
        return
    if part.title:
        yield Text(words(f"\n{part.title.upper()}"[1:]), "bold")
    if isinstance(part, Cards):
        yield from _cards(part, words)
    else:
        yield _table(part, words)


def _table(part: Table, words: _Words) -> RenderableType:
    has_head = any(part.columns)
    table = RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, show_header=has_head)
    for place, name in enumerate(part.columns):
        is_figures = part.is_figures(place)
        table.add_column(words(name), justify="right" if is_figures else "left", overflow="fold")
    for row in part.rows:
        table.add_row(*(Text(words(cell)) for cell in row))
    return Padding(table, (0, 0, 1, 0))


def _cards(part: Cards, words: _Words) -> Iterator[RenderableType]:
    for head, rows in part.items:
        lines = [words(head), *(f"  {words(name)}: {words(value)}" for name, value in rows)]
        yield Padding(Text("\n".join(lines)), (0, 0, 0, 2))
