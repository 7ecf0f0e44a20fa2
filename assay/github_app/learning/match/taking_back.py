"""Withdraw replies that quote a purged rule."""

from __future__ import annotations

from assay.github_app.learning.match.alerting import Thread, take_back
from assay.github_app.runtime.context import Context

TAKEN_BACK = "reply_taken_back"
"""Event kind that records the withdrawal."""


def take_back_replies(context: Context, _turn: int) -> int:
    """Empty the replies that quote rules purged since the last call; return their number."""
    num_taken_back = 0
    for line in context.store.rules.purged_with_replies():
        if not context.store.alerts.once(TAKEN_BACK, str(line.id), context.clock()):
            continue
        try:
            with context.repo(line.repository_id) as repo:
                for number, thread in line.data["replies"]:
                    take_back(Thread(line.repository_id, int(number), str(thread)), repo)
                    num_taken_back += 1
        except Exception:
            context.store.alerts.take_back(TAKEN_BACK, str(line.id))
            raise
    return num_taken_back
