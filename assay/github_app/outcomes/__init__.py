"""What became of pull requests: events turned into facts and log entries, and what those facts add up to."""

from assay.github_app.outcomes.endings import ABANDONED_AFTER, Ending, ending, note_abandoned
from assay.github_app.outcomes.follow_up_fixes import FIX_WITHIN
from assay.github_app.outcomes.pull_life import see_pull
from assay.github_app.outcomes.recording import record
from assay.github_app.outcomes.review_rounds import Round, rounds
from assay.github_app.outcomes.sources import sources_seen
from assay.github_app.outcomes.validated import validation_completed

__all__ = [
    "ABANDONED_AFTER",
    "FIX_WITHIN",
    "Ending",
    "Round",
    "ending",
    "note_abandoned",
    "record",
    "rounds",
    "see_pull",
    "sources_seen",
    "validation_completed",
]
