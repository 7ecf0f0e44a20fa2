"""Search for typical phrases of people and programs; matches become evidence with their source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assay.github_app.ops.observability import redact
from assay.github_app.outcomes.tasks.failures.case import Case
from assay.github_app.outcomes.tasks.failures.failure import MOST_TEXT, Evidence
from assay.validators import as_visible

_AROUND = 90
"""Characters shown on each side of a match."""

Saying = tuple[re.Pattern[str], float]


def saying(pattern: str, weight: float) -> Saying:
    """Return a case-insensitive pattern with its weight as evidence."""
    return re.compile(pattern, re.IGNORECASE), weight


def said_by_reviewers(case: Case, sayings: Sequence[Saying]) -> Iterator[Evidence]:
    """Yield the strongest match in each text of the reviewers."""
    for source, ref, text in case.said():
        found = heaviest(text, sayings)
        if found is not None:
            yield Evidence(source, ref, found[0], found[1])


def heaviest(text: str | None, sayings: Sequence[Saying]) -> tuple[str, float] | None:
    """Return the excerpt and weight of the strongest match in a text, or None."""
    best: tuple[str, float] | None = None
    for pattern, weight in sayings:
        match = pattern.search(text or "")
        if match is not None and (best is None or weight > best[1]):
            best = (excerpt(text or "", match.start(), match.end()), weight)
    return best


def excerpt(text: str, start: int = 0, end: int = 0) -> str:
    """Return the words around a position on one line, without credentials."""
    first = max(0, start - _AROUND)
    return as_visible(redact(text[first : max(end, start) + _AROUND]), MOST_TEXT)
