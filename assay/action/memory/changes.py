"""The mode `memory-report` for a production memory: compares its record with an earlier one, and publishes.

The memory itself is not here: the job that read it stored a record without its text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.action.environment.job import Job, read_job
from assay.action.memory.artifacts import RECORD_ARTIFACT, Ours, earlier_reports, own_report, report_of_run
from assay.action.memory.changes_text import Changes, issue_text, log_lines, page_text
from assay.action.memory.inputs import MemoryInputs, read_memory_inputs
from assay.action.memory.issue import FINDINGS, Said, Standing
from assay.action.memory.publishing import leave_report, post_to_app, read_standing, update_issue
from assay.action.memory.text import percent
from assay.action.output.annotations import trouble
from assay.action.output.log import command, log_by_us, muted, say
from assay.github.client import Repo
from assay.github.errors import ActionMisused, ValidationFailed
from assay.github.external_results.memory_payload import body_of_changes
from assay.memory_eval import Drift, ExamUsageError, MemoryEvalError, drift_of, parsed_drift, rendered

MOST_BASELINE_BYTES = 64 * 1024 * 1024
_NAMED_IS_GONE = "the run it names has no such report (any more)"


@dataclass(frozen=True, slots=True)
class Before:
    """What the memory is compared with: the older report.

    `run_id` is the older report's run. `in_its_place` says why it replaces the baseline of the open issue.
    """

    old: Drift | None = None
    run_id: int | None = None
    in_its_place: str = ""


def memory_changes(env: Mapping[str, str]) -> int:
    """Compare and publish; return 0, 1 below `fail-under`, or 3 without a record of the memory."""
    log_by_us()
    inputs, job = read_memory_inputs(env), read_job(env)
    with muted(env), job.repo() as repo:
        new, why = own_report(repo, job.run_id, RECORD_ARTIFACT, parsed_drift)
        if new is None:
            raise ValidationFailed(f"the memory was not recorded: {why}")
        standing, trouble_with_issue = read_standing(repo, inputs.artifact)
        changes = _compared(new, _before(inputs, job, repo, standing))
        said = None
        if not trouble_with_issue:
            said, trouble_with_issue = _issue(changes, inputs, job, repo, standing)
        about_app = post_to_app(
            inputs.app_url,
            lambda: body_of_changes(changes.drift, inputs.artifact, changes.regression, changes.run_id),
            job,
        )
        text = page_text(changes, said, trouble_with_issue, about_app)
        _leave(changes, text, inputs, job)
        for line in log_lines(changes, said, trouble_with_issue, about_app):
            say(line)
    if _is_below(changes, inputs):
        least = percent(_least(inputs))
        command(trouble(f"{percent(changes.share)} of the memory was kept, below {least}"))
        return 1
    return 0


def _before(inputs: MemoryInputs, job: Job, repo: Repo, standing: Standing | None) -> Before:
    """Return the baseline of the inputs: a file, the one that the open issue names, or the last report."""
    if inputs.baseline is not None:
        return Before(_of_file(inputs.baseline))
    if not inputs.compares_with_last:
        return Before()
    ours = Ours(f"{inputs.artifact}-data", job.default_branch, job.repository_id, job.run_id)
    last = next(earlier_reports(repo, ours, parsed_drift), None)
    if standing is not None and standing.baseline_run is not None:
        named = report_of_run(repo, standing.baseline_run, ours, parsed_drift)
        if named is not None:
            return Before(named.report, named.run_id)
    if last is None:
        return Before()
    return Before(last.report, last.run_id, _NAMED_IS_GONE if standing is not None else "")


def _compared(new: Drift, before: Before) -> Changes:
    """Compare; a baseline with another key is reported, and a new series begins."""
    try:
        drift = drift_of(before.old.record if before.old is not None else None, new.record)
        return Changes(drift, before.run_id, before.in_its_place)
    except ExamUsageError as error:
        return Changes(drift_of(None, new.record), None, str(error))


def _issue(
    changes: Changes, inputs: MemoryInputs, job: Job, repo: Repo, standing: Standing | None
) -> tuple[Said | None, str]:
    """Update the issue, if enabled; return it, and a line if it could not be written."""
    if standing is None and not changes.drift.has_findings:
        return None, ""
    is_open = changes.drift.has_findings
    # A finding of the first record is its own baseline: losses are counted from here.
    baseline_run = changes.run_id or job.run_id
    if standing is not None and changes.in_its_place:
        is_open, baseline_run = True, standing.baseline_run or baseline_run
    text = issue_text(changes, job.run_url)
    return update_issue(
        repo, inputs.artifact, text, standing, is_open=is_open, baseline_run=baseline_run, title=FINDINGS
    )


def _leave(changes: Changes, text: str, inputs: MemoryInputs, job: Job) -> None:
    outputs = {
        "conclusion": "failure" if _is_below(changes, inputs) else "success",
        "score": "" if changes.share is None else f"{changes.share:.4f}",
        "regression": changes.regression,
    }
    files = {
        "json": ("report.json", rendered(changes.drift, "json")),
        "markdown": ("report.md", text),
        "html": ("report.html", rendered(changes.drift, "html")),
    }
    leave_report(job, files, outputs)


def _is_below(changes: Changes, inputs: MemoryInputs) -> bool:
    least = _least(inputs)
    return least is not None and changes.share is not None and changes.share < least


def _least(inputs: MemoryInputs) -> float | None:
    """Return the least share to keep: a bare number, or that of `kept`."""
    return inputs.fail_under.get("kept", inputs.fail_under.get("answers"))


def _of_file(path: Path) -> Drift:
    """Read a baseline from the workspace. Raises `ActionMisused`."""
    try:
        if path.is_symlink():
            raise ActionMisused("input baseline: the file is a link")
        with path.open("rb") as file:
            return parsed_drift(file.read(MOST_BASELINE_BYTES), "input baseline")
    except OSError as error:
        raise ActionMisused(f"input baseline: cannot be read ({error.strerror})") from None
    except MemoryEvalError as error:
        raise ActionMisused(str(error)) from None
