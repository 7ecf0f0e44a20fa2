"""The joined report handed to the App, where there is one. That it could not be told never changes the run's end."""

from __future__ import annotations

from dataclasses import replace

from assay.action.environment.job import Job
from assay.action.handover.upload import post_memory
from assay.action.memory.text import Joined
from assay.github.errors import PostingFailed
from assay.github.external_results.memory_payload import body_of_memory
from assay.validators import ReportUnreadable


def posted_to_app(joined: Joined, name: str, app_url: str | None, job: Job) -> str:
    """Give the App the scores, and say in a line what became of it; empty where no App was named."""
    if app_url is None:
        return ""
    report = joined.report
    if joined.missing:
        # Over other seeds than asked for: the App shows it, and draws no line through it.
        why = "; ".join(filter(None, (report.why_invalid, *joined.missing)))
        report = replace(report, valid=False, why_invalid=why)
    try:
        body = body_of_memory(report, name, joined.regression, joined.comparison, joined.compared.run_id)
        post_memory(app_url, body, job)
    except (PostingFailed, ReportUnreadable) as error:
        return f"Not posted to Assay's App: {error}"
    return "The scores were posted to Assay's App."
