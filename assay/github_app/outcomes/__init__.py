"""Outcomes of pull requests and tasks: recorded facts, log entries and metrics."""

from assay.github_app.outcomes.insights.insights import embed_insights, find_insights
from assay.github_app.outcomes.insights.themes import themes_of
from assay.github_app.outcomes.record.endings import ABANDONED_AFTER, Ending, ending, note_abandoned
from assay.github_app.outcomes.record.feedback import agent_notes, read_notes, take_feedback
from assay.github_app.outcomes.record.follow_up_fixes import FIX_WITHIN
from assay.github_app.outcomes.record.pull_life import see_pull
from assay.github_app.outcomes.record.recording import record
from assay.github_app.outcomes.record.review_rounds import Round, rounds
from assay.github_app.outcomes.record.sources import sources_seen
from assay.github_app.outcomes.record.validated import validation_completed
from assay.github_app.outcomes.tasks.evaluating import Evaluation, evaluate, evaluate_pull, evaluate_task, partial_work
from assay.github_app.outcomes.tasks.own_work import must_be_own
from assay.github_app.outcomes.tasks.reported_tasks import (
    REPORTED_KINDS,
    ReportedEvent,
    report_event,
    report_task,
)
from assay.github_app.outcomes.tasks.taken_traces import take_traces

__all__ = [
    "ABANDONED_AFTER",
    "FIX_WITHIN",
    "REPORTED_KINDS",
    "Ending",
    "Evaluation",
    "ReportedEvent",
    "Round",
    "agent_notes",
    "embed_insights",
    "ending",
    "evaluate",
    "evaluate_pull",
    "evaluate_task",
    "find_insights",
    "must_be_own",
    "note_abandoned",
    "partial_work",
    "read_notes",
    "record",
    "report_event",
    "report_task",
    "rounds",
    "see_pull",
    "sources_seen",
    "take_feedback",
    "take_traces",
    "themes_of",
    "validation_completed",
]
