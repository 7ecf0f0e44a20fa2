"""Transfer of Tier 1: from the tools job to this one, and from this one to the App."""

from __future__ import annotations

from dataclasses import replace

from assay.action.environment.inputs import Inputs
from assay.action.environment.job import Job
from assay.action.environment.subject import Subject
from assay.action.handover.artifact import read_tools_artifact
from assay.action.handover.second_stage import SecondStage, tools_of
from assay.action.handover.upload import post_results
from assay.action.steps.complete import lost
from assay.action.steps.isolated import bounded_body
from assay.github.client import Repo
from assay.github.errors import ArtifactRefused, GithubRefused, PostingFailed
from assay.github.external_results.tools_payload import REPORTED_BY, PostedTools
from assay.validators import NotChecked, Tier, ToolsResult, ValidationReport

WHAT = "results of the tools job"
_SCANNERS = "tier1.scanners."


def taken_over(
    subject: Subject,
    stage: SecondStage | None,
    report: ValidationReport,
    inputs: Inputs,
    job: Job,
    repo: Repo | None,
) -> tuple[PostedTools | None, tuple[NotChecked, ...]]:
    """Return the results of a tools job, of this run or of the first stage's (`stage`), and notes.

    None if there are none, or none that may be used from an untrusted run; a note gives the reason. Forged results of
    this run's own tools job give `lost`. `report` is the subject's report. Raises `GithubUnavailable`.
    """
    if inputs.runs_commands or repo is None or Tier.tools not in inputs.tiers:
        return None, ()
    try:
        if stage is not None:
            return tools_of(stage, subject, repo), ()
        return read_tools_artifact(repo, job.run_id, reported_by=REPORTED_BY), ()
    except (ArtifactRefused, GithubRefused) as error:
        is_forged = stage is None and isinstance(error, ArtifactRefused)
        return lost(str(error), report) if is_forged else None, (NotChecked(WHAT, str(error)),)


def passed_on(tools: ToolsResult | None, posted: PostedTools | None, subject: Subject, app_url: str, job: Job) -> str:
    """Post the results of Tier 1 to the App and return a line about it; the verdict never changes.

    `tools` are the results of this job, `posted` those of a tools job.
    """
    own = _commands_of(tools) if posted is None else posted.tools
    if own is None:
        return "Nothing was posted to Assay's App: no command of the repository ran, so it uses the head's checks."
    body = bounded_body(own, posted.job if posted is not None else job.name, subject.source_run_id)
    try:
        post_results(app_url, body, job)
    except PostingFailed as error:
        return f"Not posted to Assay's App: {error}"
    return "The results of the repository's commands were posted to Assay's App."


def _commands_of(tools: ToolsResult | None) -> ToolsResult | None:
    """Return results without those of scanners, which the App runs itself; None if nothing is left."""
    if tools is None:
        return None
    scanners = {run.name for run in tools.runs if run.found_in.startswith(_SCANNERS)}
    runs = tuple(run for run in tools.runs if not run.found_in.startswith(_SCANNERS))
    findings = tuple(one for one in tools.findings if one.tool not in scanners)
    return replace(tools, runs=runs, findings=findings, line_coverage=None, coverage_source=None) if runs else None
