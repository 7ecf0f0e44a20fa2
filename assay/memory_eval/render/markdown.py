"""A document as Markdown, for a job summary and for reading; untrusted text cannot create links, mentions or markup."""

from __future__ import annotations

from collections.abc import Iterator

from assay.escape import prose
from assay.memory_eval.render.document import Bar, Cards, Cell, Document, Line, Table

MOST_TEXT = 600
MOST_CELL = 300
MOST_ROWS = 100


def markdown(document: Document) -> str:
    """Return a document as Markdown, well below GitHub's limit of 1 MiB for a job summary."""
    lines = [f"# {prose(document.title)}", "", f"**{prose(document.headline, MOST_TEXT)}**", ""]
    for part in document.parts:
        if isinstance(part, Line):
            lines += [prose(part.text, MOST_TEXT), ""]
        else:
            lines += _titled(part)
    return "\n".join(lines).rstrip() + "\n"


def markdown_table(table: Table) -> str:
    """Return a table alone, without its title."""
    return "\n".join(_rows(table))


def _titled(part: Table | Cards) -> Iterator[str]:
    body = _cards(part) if isinstance(part, Cards) else _rows(part)
    is_folded = isinstance(part, Table) and part.is_folded
    title = prose(part.title, 80)
    if is_folded:
        yield from (f"<details><summary>{title}</summary>", "")
    elif title:
        yield from (f"## {title}", "")
    yield from body
    yield ""
    if is_folded:
        yield from ("</details>", "")


def _rows(table: Table) -> Iterator[str]:
    yield f"| {' | '.join(prose(name, 80, cell=True) for name in table.columns)} |"
    yield "|" + "".join("---:|" if table.is_figures(place) else "---|" for place in range(len(table.columns)))
    yield from (f"| {' | '.join(map(_cell, row))} |" for row in table.rows[:MOST_ROWS])


def _cell(cell: Cell) -> str:
    if isinstance(cell, Bar):
        return f"`{cell.drawn()}`" if cell.drawn() else ""
    return prose(cell, MOST_CELL, cell=True)


def _cards(part: Cards) -> Iterator[str]:
    for head, rows in part.items:
        yield f"- {prose(head, MOST_TEXT)}"
        yield from (f"  - {prose(name, 80)}: {prose(value, MOST_TEXT)}" for name, value in rows)
