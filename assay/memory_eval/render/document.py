"""The document that every result becomes; the writers of this folder lay it out for terminals, Markdown and HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

FULL, EMPTY = "█", "░"
BAR_WIDTH = 10

Tone = Literal["good", "bad", "doubtful", "plain", "faint"]


class Bar(NamedTuple):
    """A share from 0 to 1, drawn as a bar; None draws nothing."""

    share: float | None

    def drawn(self) -> str:
        """Return the bar as blocks."""
        if self.share is None:
            return ""
        filled = round(min(1.0, max(0.0, self.share)) * BAR_WIDTH)
        return FULL * filled + EMPTY * (BAR_WIDTH - filled)


Cell = str | Bar


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text below the headline."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Table:
    """A table; columns of figures are aligned to the right. A folded one is closed at first where that can be."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    is_folded: bool = False

    def is_figures(self, column: int) -> bool:
        """Return whether every cell of a column is a figure or empty."""
        cells = [row[column] for row in self.rows]
        return all(isinstance(cell, str) and (not cell or cell[0] in "0123456789-+$") for cell in cells)


@dataclass(frozen=True, slots=True)
class Cards:
    """Examples: a head, and labelled texts below it."""

    title: str
    items: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


Part = Line | Table | Cards


@dataclass(frozen=True, slots=True)
class Document:
    """A result for people: title, headline with its tone, and parts in order. Texts are untrusted."""

    title: str
    headline: str
    tone: Tone
    parts: tuple[Part, ...]


def percent(score: float | None, digits: int = 2) -> str:
    """Return 0.85 as "85.00%"; a dash if there is none."""
    return "-" if score is None else f"{score:.{digits}%}"
