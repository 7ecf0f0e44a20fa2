"""The memory action's mode `report`: joins the reports of the exams' jobs, compares them with a baseline, publishes.

No code of the agent runs here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.action.environment.job import Job, read_job
from assay.action.memory.artifacts import Found, Ours, exam_reports
from assay.action.memory.baseline import compared
from assay.action.memory.changes import memory_changes
from assay.action.memory.inputs import MemoryInputs, is_record, read_memory_inputs
from assay.action.memory.issue import Said, Standing
from assay.action.memory.publishing import leave_report, post_to_app, read_standing, update_issue
from assay.action.memory.text import Joined, issue_text, log_lines, page_text
from assay.action.output.annotations import trouble
from assay.action.output.log import command, log_by_us, muted, say
from assay.github.client import Repo
from assay.github.errors import ValidationFailed
from assay.github.external_results.memory_payload import body_of_memory
from assay.memory_eval import REPORT_FILES, ExamUsageError, merge_reports, rendered


def memory_report(env: Mapping[str, str]) -> int:
    """Merge and publish the exams' reports; return 0, 1 below `fail-under`, or 3 without a valid score.

    A production memory has no exams: `memory_changes` publishes what became of it.
    """
    if is_record(env):
        return memory_changes(env)
    log_by_us()
    inputs, job = read_memory_inputs(env), read_job(env)
    with muted(env), job.repo() as repo:
        found = exam_reports(repo, job.run_id, inputs.exams)
        if not found.reports:
            raise ValidationFailed("no exam's job stored a report: " + "; ".join(found.missing))
        standing, trouble_with_issue = _standing(inputs, repo)
        joined = _joined(found, inputs, job, repo, standing)
        said = None
        if not trouble_with_issue:
            said, trouble_with_issue = _issue(joined, inputs, job, repo, standing)
        about_app = post_to_app(inputs.app_url, lambda: _body(joined, inputs.artifact), job)
        text = page_text(joined, said, trouble_with_issue, about_app)
        _leave(joined, text, inputs, job)
        for line in log_lines(joined, said, trouble_with_issue, about_app):
            say(line)
    return _ended(joined, inputs)


def _standing(inputs: MemoryInputs, repo: Repo) -> tuple[Standing | None, str]:
    """Return the open issue, if there is a baseline, and a line if it could not be read."""
    if not (inputs.baseline or inputs.compares_with_last):
        return None, ""
    return read_standing(repo, inputs.artifact)


def _joined(found: Found, inputs: MemoryInputs, job: Job, repo: Repo, standing: Standing | None) -> Joined:
    try:
        merged = merge_reports(found.reports)
    except ExamUsageError as error:
        raise ValidationFailed(f"the exams' reports cannot be merged: {error}") from None
    if found.missing:
        merged = replace(merged, notes=(*merged.notes, *found.missing))
    ours = Ours(f"{inputs.artifact}-data", job.default_branch, job.repository_id, job.run_id)
    return Joined(merged, compared(merged, inputs, repo, ours, standing), found.missing)


def _issue(
    joined: Joined, inputs: MemoryInputs, job: Job, repo: Repo, standing: Standing | None
) -> tuple[Said | None, str]:
    """Update the issue, if there is a comparison; return it, and a line if it could not be written."""
    if joined.comparison is None:
        return None, ""
    # The replacement of the better report may be as bad as this run: the issue stays open and keeps its baseline.
    is_open, baseline_run = joined.comparison.is_worse, joined.compared.run_id
    if standing is not None and joined.compared.in_its_place:
        is_open, baseline_run = True, standing.baseline_run
    text = issue_text(joined, job.run_url)
    return update_issue(repo, inputs.artifact, text, standing, is_open=is_open, baseline_run=baseline_run)


def _body(joined: Joined, name: str) -> bytes:
    """Serialize the scores for the App."""
    report = joined.report
    if joined.missing:
        # Not all requested exams: the App shows the run, but leaves it out of the chart's line.
        why = "; ".join(filter(None, (report.why_invalid, *joined.missing)))
        report = replace(report, valid=False, why_invalid=why)
    return body_of_memory(report, name, joined.regression, joined.comparison, joined.compared.run_id)


def _leave(joined: Joined, text: str, inputs: MemoryInputs, job: Job) -> None:
    score = joined.report.overall_score
    outputs = {
        "conclusion": _conclusion(joined, inputs),
        "score": "" if score is None else f"{score:.4f}",
        "regression": joined.regression,
    }
    files = {
        kind: (name, text if kind == "markdown" else rendered(joined.report, kind))
        for kind, name in REPORT_FILES.items()
    }
    leave_report(job, files, outputs)


def _conclusion(joined: Joined, inputs: MemoryInputs) -> str:
    if not joined.report.valid or joined.report.overall_score is None or joined.missing:
        return "could_not_run"
    return "failure" if joined.report.below(inputs.fail_under) else "success"


def _ended(joined: Joined, inputs: MemoryInputs) -> int:
    if not joined.report.valid or joined.report.overall_score is None:
        command(trouble(joined.report.why_invalid or "nothing could be graded"))
        return 3
    if joined.missing:
        command(trouble("; ".join(joined.missing)))
        return 3
    if missed := joined.report.below(inputs.fail_under):
        command(trouble("; ".join(missed)))
        return 1
    return 0
