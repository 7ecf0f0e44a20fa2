"""View of a report: rows and sections. Formats lay them out; they decide nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from assay.validators.report.model import Finding

MOST_LISTED = 30
MOST_REPLACEMENT = 4_000
"""Chosen limit: characters of a suggested change; readers do not check longer ones before committing them."""


class Ours(str):
    """Text that holds Assay's own words alone, as Markdown."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Row:
    """Row of a list: what it is, where, and what to do. Text may have code in backticks.

    `label` says why it matters, `rule` is a rule or a command. `details` are other places, or what a command found.
    `output` is a block below the row. The lines of `finding` may have a committable replacement.
    """

    text: str
    label: str = ""
    place: str = ""
    rule: str = ""
    advice: str = ""
    details: tuple[Row, ...] = ()
    output: tuple[str, ...] = ()
    finding: Finding | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """Section with a title, which holds no untrusted text; the rows of one without a title are paragraphs."""

    title: str
    rows: tuple[Row, ...]
    is_numbered: bool = False

    def bulleted(self) -> list[tuple[str, Row]]:
        """Return the rows, each with its bullet."""
        bullet = "- " if self.title else ""
        return [(f"{number}. " if self.is_numbered else bullet, row) for number, row in enumerate(self.rows, 1)]


def cut(rows: Iterable[Row], most: int = MOST_LISTED, num_more: int = 0) -> tuple[Row, ...]:
    """Return the first rows, and one with the number of the others; `num_more` are known by number only."""
    found = tuple(rows)
    left = max(0, len(found) - most) + num_more
    return (*found[:most], *([Row(f"and {left} more")] if left else []))


def committable(finding: Finding | None) -> str | None:
    """Return the replacement of a finding's lines if a reader can check all of it; None if there is none."""
    text = finding.replacement if finding is not None else None
    return text if text is not None and len(text) <= MOST_REPLACEMENT and is_visible(text) else None


def is_visible(text: str) -> bool:
    """Return whether the text contains only visible characters, so that the committed text equals the shown one."""
    return all(char.isprintable() or char in "\t\n" for char in text)


def suggestion_block(finding: Finding | None) -> str:
    """Return a committable suggestion, its fence longer than any fence inside; "" if there is none."""
    text = committable(finding)
    if text is None:
        return ""
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall(r"`+", text))])
    return f"{fence}suggestion\n{text}\n{fence}"
