"""Outcomes of pull requests and tasks: recorded facts, log entries and metrics."""

from assay.github_app.outcomes.insights.insights import embed_insights, find_insights
from assay.github_app.outcomes.insights.themes import Theme, proposal_of, themes_of
from assay.github_app.outcomes.record.endings import ABANDONED_AFTER, Ending, ending, note_abandoned
from assay.github_app.outcomes.record.feedback import agent_notes, read_notes, take_feedback, why_not_trusted
from assay.github_app.outcomes.record.follow_up_fixes import FIX_WITHIN
from assay.github_app.outcomes.record.pull_life import see_pull
from assay.github_app.outcomes.record.recording import record
from assay.github_app.outcomes.record.review_rounds import Round, rounds
from assay.github_app.outcomes.record.sources import sources_seen
from assay.github_app.outcomes.record.validated import validation_completed
from assay.github_app.outcomes.tasks.evaluating import Evaluation, evaluate, evaluate_pull, evaluate_task
from assay.github_app.outcomes.tasks.reported_tasks import TOLD_KINDS, ToldEvent, ToldTask, tell_event, tell_task
from assay.github_app.outcomes.tasks.taken_traces import take_traces

__all__ = [
    "ABANDONED_AFTER",
    "FIX_WITHIN",
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
