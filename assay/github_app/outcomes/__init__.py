"""What became of pull requests: events turned into facts and log entries, and what those facts add up to."""

from assay.github_app.outcomes.endings import ABANDONED_AFTER, Ending, ending, note_abandoned
from assay.github_app.outcomes.evaluating import Evaluation, evaluate, evaluate_pull, evaluate_task
from assay.github_app.outcomes.feedback import QUESTION, agent_notes, read_notes, take_feedback, why_not_trusted
from assay.github_app.outcomes.follow_up_fixes import FIX_WITHIN
from assay.github_app.outcomes.insights import embed_insights, find_insights
from assay.github_app.outcomes.pull_life import see_pull
from assay.github_app.outcomes.recording import record
from assay.github_app.outcomes.review_rounds import Round, rounds
from assay.github_app.outcomes.sources import sources_seen
from assay.github_app.outcomes.taken_traces import take_traces
from assay.github_app.outcomes.themes import Theme, proposal_of, themes_of
from assay.github_app.outcomes.told_tasks import TOLD_KINDS, ToldEvent, ToldTask, tell_event, tell_task
from assay.github_app.outcomes.validated import validation_completed

__all__ = [
    "ABANDONED_AFTER",
    "FIX_WITHIN",
    "QUESTION",
    "TOLD_KINDS",
    "Ending",
    "Evaluation",
    "Round",
    "Theme",
    "ToldEvent",
    "ToldTask",
    "agent_notes",
    "embed_insights",
    "ending",
    "evaluate",
    "evaluate_pull",
    "evaluate_task",
    "find_insights",
    "note_abandoned",
    "proposal_of",
    "read_notes",
    "record",
    "rounds",
    "see_pull",
    "sources_seen",
    "take_feedback",
    "take_traces",
    "tell_event",
    "tell_task",
    "themes_of",
    "validation_completed",
    "why_not_trusted",
]
