"""Upload of the merged report to the App; a failure never changes the exit code."""

from __future__ import annotations

from dataclasses import replace

from assay.action.environment.job import Job
from assay.action.handover.upload import post_memory
from assay.action.memory.changes_text import Changes
from assay.action.memory.text import Joined
from assay.github.errors import PostingFailed
from assay.github.external_results.memory_payload import body_of_changes, body_of_memory
from assay.validators import ReportUnreadable

POSTED = "The scores were posted to Assay's App."


def changes_posted_to_app(changes: Changes, name: str, app_url: str | None, job: Job) -> str:
    """Post the figures of a production memory to the App and return a line about it; empty without an App."""
    if app_url is None:
        return ""
    try:
        post_memory(app_url, body_of_changes(changes.drift, name, changes.regression, changes.run_id), job)
    except (PostingFailed, ReportUnreadable) as error:
        return f"Not posted to Assay's App: {error}"
    return POSTED


def posted_to_app(joined: Joined, name: str, app_url: str | None, job: Job) -> str:
    """Post the scores to the App and return a line about it; empty without an App."""
    if app_url is None:
        return ""
    report = joined.report
    if joined.missing:
        # Not all requested seeds: the App shows the run, but leaves it out of the chart's line.
        why = "; ".join(filter(None, (report.why_invalid, *joined.missing)))
        report = replace(report, valid=False, why_invalid=why)
    try:
        body = body_of_memory(report, name, joined.regression, joined.comparison, joined.compared.run_id)
        post_memory(app_url, body, job)
    except (PostingFailed, ReportUnreadable) as error:
        return f"Not posted to Assay's App: {error}"
    return POSTED
