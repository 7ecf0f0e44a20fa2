"""Tier 1 of the report, from the tools job of this workflow or from the head's own checks.

A job is billed by the minute, so it waits for nothing: unreadable and unfinished results are listed as not checked.

A tools job of this run that died, or left untrustworthy results, does not count as missing: the change's code ran there
and may have caused it. Tier 1 could not be checked then, which is not a success.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from assay.action.environment.job import Job
from assay.action.environment.subject import Subject
from assay.action.handover.artifact import TOOLS_JOB
from assay.github.client import Repo
from assay.github.errors import GithubRefused, PermissionMissing
from assay.github.events.model import CheckFacts
from assay.github.external_results.github_checks import Around
from assay.github.external_results.tools_payload import REPORTED_BY, PostedTools
from assay.github.pull_request.validate import CompletedReport, ExternalResults, complete
from assay.validators import (
    UNTRUSTED_RUN,
    NotChecked,
    Outcome,
    ToolKind,
    ToolRun,
    ToolsResult,
    ValidationReport,
    configuration_of,
)

OUR_JOBS = frozenset((TOOLS_JOB, "publish"))
"""Ids of the jobs of `validate.yml`: their results count in Tier 1, not the conclusion of their checks."""
LOST = "the tools job"
_DIED = frozenset(("failure", "timed_out", "cancelled", "startup_failure", "stale"))
CHECKS = "the head's own checks"
STATUSES = "the head's commit statuses"
_ACTIONS = "github-actions"
CHECKS_UNREADABLE = "the job has no token to read them with"


def complete_in_job(
    report: ValidationReport,
    subject: Subject,
    job: Job,
    posted: PostedTools | None,
    repo: Repo | None,
    notes: Sequence[NotChecked] = (),
) -> CompletedReport:
    """Complete the report with external results of Tier 1. Raises `GithubUnavailable` if GitHub does not answer.

    Args:
        report: the validation's report. A Tier 1 that is disabled stays so.
        subject: what was validated.
        job: this job.
        posted: results of the tools job. The head's checks are not read then, except in the second stage, where these
            results are untrusted.
        repo: for reading the checks; None without a token.
        notes: what else could not be checked, such as a refused artifact.
    """
    if report.tools is None or not configuration_of(report).tier1.enabled:
        completed = CompletedReport(report)
    elif posted is not None and not subject.is_second_stage:
        completed = complete(report, ExternalResults(posted=(posted,)))
    else:
        # Untrusted results must not replace those of the head's checks.
        completed, more = _harvested(report, subject, job, repo, _as_untrusted(posted))
        notes = (*notes, *more)
    lines = tuple(dict.fromkeys((*completed.report.not_checked, *notes)))
    return replace(completed, report=replace(completed.report, not_checked=lines), awaited=())


def lost(why: str, report: ValidationReport) -> PostedTools:
    """Return results that stand for those of a tools job that are missing; `why` is a line.

    They gate as the base's configuration, in force for `report`, lets commands gate.
    """
    gate = configuration_of(report).tier1.gate
    run = ToolRun(LOST, ToolKind.test, LOST, "this workflow run", Outcome.infra_failed, gate, 0.0, reason=why)
    return PostedTools(ToolsResult((run,), reported_by=REPORTED_BY))


def _as_untrusted(posted: PostedTools | None) -> tuple[PostedTools, ...]:
    """Mark results as untrusted: in the second stage the change may have written all of them."""
    if posted is None:
        return ()
    return (replace(posted, tools=replace(posted.tools, reported_by=UNTRUSTED_RUN)),)


def _harvested(
    report: ValidationReport, subject: Subject, job: Job, repo: Repo | None, posted: tuple[PostedTools, ...]
) -> tuple[CompletedReport, tuple[NotChecked, ...]]:
    alone = ExternalResults(posted=posted)
    if repo is None:
        return complete(report, alone), (NotChecked(CHECKS, CHECKS_UNREADABLE),)
    try:
        checks, notes = _checks(subject.head_sha, repo)
        posted = (*posted, *_died(checks, subject, job, report))
        others, num_beside = without_our_jobs(checks, subject, job)
        has_failed = any(check.conclusion in ("failure", "timed_out") for check in others)
        # A job of this Action that the branch requires has started, or this code would not run.
        ours = {one.name for one in checks} - {one.name for one in others}
        around = Around(
            required=(repo.required_checks(subject.base_ref) if subject.base_ref else frozenset()) - ours,
            base=repo.checks(report.merge_base, with_statuses=not notes) if has_failed else None,
            is_over=True,
        )
    except GithubRefused as refused:
        return complete(report, alone), (NotChecked(CHECKS, str(refused)),)
    return complete(report, ExternalResults(others, around, posted)), (*notes, *_beside(num_beside))


def _died(
    checks: Iterable[CheckFacts], subject: Subject, job: Job, report: ValidationReport
) -> tuple[PostedTools, ...]:
    """Return results for the tools job of this run if it ended without an artifact."""
    if subject.is_second_stage:
        return ()
    found = [one for one in checks if _is_in(one, job.run_url) and one.name.rpartition(" / ")[2] == TOOLS_JOB]
    dead = [one for one in found if one.conclusion in _DIED]
    return tuple(lost(f"it ended {one.conclusion} and left no results", report) for one in dead[:1])


def _is_in(check: CheckFacts, run_url: str) -> bool:
    return check.app_slug == _ACTIONS and f"{check.url}/".startswith(f"{run_url}/")


def _checks(sha: str, repo: Repo) -> tuple[tuple[CheckFacts, ...], tuple[NotChecked, ...]]:
    """Return the checks of a commit, without commit statuses (of older CI systems) if the token may not read them."""
    try:
        return repo.checks(sha), ()
    except PermissionMissing as missing:
        runs = repo.checks(sha, with_statuses=False)
        return runs, (NotChecked(STATUSES, str(missing)),)


def without_our_jobs(checks: Iterable[CheckFacts], subject: Subject, job: Job) -> tuple[tuple[CheckFacts, ...], int]:
    """Return the checks without the Action's own jobs, and the number of other unfinished jobs of this run.

    Own jobs are recognized by their run and by their ids, which end the names of their checks; a renamed job is only
    known to be unfinished. The same workflow may have run on this commit before, so own jobs are also left out by name,
    except in the second stage, where the change chose the names.
    """
    checks = tuple(checks)
    run = job.url_of_run(subject.source_run_id) if subject.source_run_id else job.run_url
    in_run = [one for one in checks if _is_in(one, run)]
    ours = [one for one in in_run if one.name.rpartition(" / ")[2] in {*OUR_JOBS, job.name}]
    beside = [one for one in in_run if one.status != "completed" and one not in ours]
    names: frozenset[str] = frozenset() if subject.is_second_stage else frozenset(one.name for one in ours)
    others = tuple(
        one
        for one in checks
        if one not in ours and one not in beside and (one.app_slug != _ACTIONS or one.name not in names)
    )
    is_among_them = not subject.is_second_stage and all(one.status == "completed" for one in ours)
    return others, len(beside) - (1 if beside and is_among_them else 0)


def _beside(num_jobs: int) -> Iterable[NotChecked]:
    if num_jobs > 0:
        what = "another job" if num_jobs == 1 else f"{num_jobs} other jobs"
        yield NotChecked(f"{what} of this workflow run", "was not finished; `needs:` runs a job before Assay")
