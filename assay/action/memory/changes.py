"""The mode `memory-report` for a production memory: compares its record with an earlier one, and publishes.

The memory itself is not here: the job that read it stored a record without its text.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.action.environment.job import read_job
from assay.action.memory.artifacts import RECORD_ARTIFACT, own_report
from assay.action.memory.baseline import NO_EARLIER_REPORT, NOT_REQUESTED, Compared, compared
from assay.action.memory.inputs import MemoryInputs, read_memory_inputs
from assay.action.memory.issue import FINDINGS
from assay.action.memory.publishing import (
    MOST_LINE,
    Published,
    Regression,
    leave_report,
    page_of,
    post_to_app,
    read_standing,
    update_issue,
)
from assay.action.output.annotations import trouble
from assay.action.output.log import command, log_by_us, muted, say
from assay.escape import prose
from assay.github.errors import ValidationFailed
from assay.github.external_results.memory_payload import body_of_changes
from assay.memory_eval import Drift, ExamUsageError, drift_of, markdown_table, parsed_drift, rendered, signs_table


def memory_changes(env: Mapping[str, str]) -> int:
    """Compare and publish; return 0, 1 below `fail-under`, or 3 without a record of the memory."""
    log_by_us()
    inputs, job = read_memory_inputs(env), read_job(env)
    with muted(env), job.repo() as repo:
        new, why = own_report(repo, job.run_id, RECORD_ARTIFACT, parsed_drift)
        if new is None:
            raise ValidationFailed(f"the memory was not recorded: {why}")
        record = new.record

        def compare(old: Drift, _name: str) -> tuple[Drift | None, str]:
            try:
                return drift_of(old.record, record), ""
            except ExamUsageError as error:
                return None, str(error)

        standing, why_no_issue = read_standing(repo, inputs.artifact)
        found = compared(inputs, job, repo, standing, parsed_drift, compare)
        drift = found.comparison or drift_of(None, record)
        regression, instead = _regression(drift, found), _instead(found)
        said = None
        if not why_no_issue and (standing is not None or drift.has_findings):
            is_open = drift.has_findings or (standing is not None and bool(found.in_its_place))
            # A finding of the first record is its own baseline: losses are counted from here.
            run = found.run_id or job.run_id
            run = standing.baseline_run or run if standing is not None and found.in_its_place else run
            text = _issue_text(drift, instead, job.run_url)
            said, why_no_issue = update_issue(
                repo, inputs.artifact, text, standing, is_open=is_open, run=run, title=FINDINGS
            )
        about_app = post_to_app(
            inputs.app_url, lambda: body_of_changes(drift, inputs.artifact, regression, found.run_id), job
        )
        published = Published(said, why_no_issue, about_app)
        is_below = _is_below(drift, inputs)
        share = drift.share_kept
        leave_report(
            job,
            {
                "json": rendered(drift, "json"),
                "markdown": page_of([rendered(drift, "markdown").rstrip(), instead], published),
                "html": rendered(drift, "html"),
            },
            {
                "conclusion": "failure" if is_below else "success",
                "score": "" if share is None else f"{share:.4f}",
                "regression": regression,
            },
        )
        for line in (f"{drift.verdict}: {drift.why}", *filter(None, [instead]), *published.log_lines()):
            say(line)
    if is_below:
        command(trouble(f"{share:.1%} of the memory was kept, below {_least(inputs):.1%}"))
    return int(is_below)


def _regression(drift: Drift, found: Compared[Drift]) -> Regression:
    """Return whether there are findings; `unknown` without a verdict, or with a baseline that may have them too."""
    if drift.has_findings:
        return "true"
    return "unknown" if found.in_its_place or drift.verdict == "no verdict" else "false"


def _instead(found: Compared[Drift]) -> str:
    """Return why another report, or none, replaced the baseline; empty where none was to be expected."""
    why = found.in_its_place or found.why_not
    if not why or (why in (NOT_REQUESTED, NO_EARLIER_REPORT) and not found.in_its_place):
        return ""
    why = prose(why, MOST_LINE)
    return f"The baseline is not available: {why}. An open issue stays open until a maintainer closes it."


def _issue_text(drift: Drift, instead: str, run_url: str) -> str:
    """Return the text of the issue: the verdict, the findings, and where to read more."""
    parts = [
        f"**{prose(drift.verdict.capitalize())}: {prose(drift.why, MOST_LINE)}.**",
        markdown_table(signs_table(drift)),
        instead,
        f"Entries are named by hash; [the run]({run_url}) has the report.",
    ]
    return "\n\n".join(filter(None, parts))


def _is_below(drift: Drift, inputs: MemoryInputs) -> bool:
    share, least = drift.share_kept, _least(inputs)
    return least is not None and share is not None and share < least


def _least(inputs: MemoryInputs) -> float | None:
    """Return the least share to keep: a bare number, or that of `kept`."""
    return inputs.fail_under.get("kept", inputs.fail_under.get("answers"))
