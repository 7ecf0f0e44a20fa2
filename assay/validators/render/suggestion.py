"""Committable suggestions: the text that should be instead of a finding's lines."""

from __future__ import annotations

import re

from assay.validators.report.model import Finding

MOST_REPLACEMENT = 4_000
"""Chosen limit: characters of a suggested change; readers do not check longer ones before committing them."""


def committable(finding: Finding) -> str | None:
    """Return the replacement of a finding's lines if a reader can check all of it; None if there is none."""
    text = finding.replacement
    return text if text is not None and len(text) <= MOST_REPLACEMENT and is_visible(text) else None


def is_visible(text: str) -> bool:
    """Return whether the text contains only visible characters, so that the committed text equals the shown one."""
    return all(char.isprintable() or char in "\t\n" for char in text)


def suggestion_block(finding: Finding) -> str:
    """Return a committable suggestion, its fence longer than any fence inside; "" if there is none."""
    text = committable(finding)
    if text is None:
        return ""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}suggestion\n{text}\n{fence}"
