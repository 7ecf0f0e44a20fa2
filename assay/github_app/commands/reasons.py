"""The reason a person gives: one line of their words, kept as they are, shown escaped."""

from __future__ import annotations

from assay.github.errors import CommandRefused
from assay.github_app.commands.grammar import MOST_REASON
from assay.validators import as_visible


def reason_in(text: str) -> str:
    """The reason, without anything unseen; "" where none is given. Refused where it is too long."""
    reason = as_visible(text)
    if len(reason) > MOST_REASON:
        raise CommandRefused(f"Please say it in {MOST_REASON} characters.")
    return reason


def needed_reason(text: str, usage: str) -> str:
    """The same, where a reason has to be given."""
    reason = reason_in(text)
    if sum(char.isalnum() for char in reason) < 3:
        raise CommandRefused(f"Please say why: `/assay {usage}`.")
    return reason
