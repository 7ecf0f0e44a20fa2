"""Tier 1 of the report, by whoever has run it: the tools job of this workflow, or else the head's own checks.

A job is paid by the minute and ends: nothing is waited for. What could not be read, and what still runs, is named.

A tools job of this run that died, or left what nobody can believe, is no silence: the change's code ran there, and may
have seen to it. Then Tier 1 could not be looked at, which is no success.
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
from assay.github.pull_request.validate import Settled, ToldByOthers, settle
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
"""The jobs of `validate.yml`, by their ids: what they say of Tier 1 is told by their results, not by their colour."""
LOST = "the tools job"
_DIED = frozenset(("failure", "timed_out", "cancelled", "startup_failure", "stale"))
CHECKS = "the head's own checks"
STATUSES = "the head's commit statuses"
_ACTIONS = "github-actions"


def settled(
    report: ValidationReport,
    subject: Subject,
    job: Job,
    posted: PostedTools | None,
    repo: Repo | None,
    notes: Sequence[NotChecked] = (),
) -> Settled:
    """The report with Tier 1 as others tell it; raises `GithubUnavailable` where GitHub does not answer.

    Args:
        report: as it was judged. Where Tier 1 is switched off, or was not asked for, it stays so.
        subject: what was judged.
        job: the job this is.
        posted: what the tools job wrote down. Then no check is looked at, but for the second stage, where it is the
            word of a stranger.
        repo: where the checks are read; None where there is no token to read them with.
        notes: what else could not be looked at, such as an artifact that was refused.
    """
    if report.tools is None or not configuration_of(report).tier1.enabled:
        told = Settled(report)
    elif posted is not None and not subject.is_second_stage:
        told = settle(report, ToldByOthers(posted=(posted,)))
    else:
        # A stranger's results must not keep anybody else's from being heard.
        told, more = _harvested(report, subject, job, repo, _as_untrusted(posted))
        notes = (*notes, *more)
    lines = tuple(dict.fromkeys((*told.report.not_checked, *notes)))
    return replace(told, report=replace(told.report, not_checked=lines), awaited=())


def lost(why: str, report: ValidationReport) -> PostedTools:
    """What to take for the results of a tools job that cannot be had. `why` is a line, in our words.

    They count as much as the base's configuration, which `report` was made under, lets commands count.
    """
    gate = configuration_of(report).tier1.gate
    run = ToolRun(LOST, ToolKind.test, LOST, "this workflow run", Outcome.infra_failed, gate, 0.0, reason=why)
    return PostedTools(ToolsResult((run,), reported_by=REPORTED_BY))


def _as_untrusted(posted: PostedTools | None) -> tuple[PostedTools, ...]:
    """In the second stage the change may have written every word of it, whoever read it and whatever it says."""
    if posted is None:
        return ()
    return (replace(posted, tools=replace(posted.tools, reported_by=UNTRUSTED_RUN)),)


def _harvested(
    report: ValidationReport, subject: Subject, job: Job, repo: Repo | None, posted: tuple[PostedTools, ...]
) -> tuple[Settled, tuple[NotChecked, ...]]:
    alone = ToldByOthers(posted=posted)
    if repo is None:
        return settle(report, alone), (NotChecked(CHECKS, "the job has no token to read them with"),)
    try:
        checks, notes = _checks(subject.head_sha, repo)
        posted = (*posted, *_died(checks, subject, job, report))
        others, num_beside = without_our_jobs(checks, subject, job)
        has_failed = any(check.conclusion in ("failure", "timed_out") for check in others)
        # A job of ours that the branch requires has begun, or we would not be here.
        ours = {one.name for one in checks} - {one.name for one in others}
        around = Around(
            required=(repo.required_checks(subject.base_ref) if subject.base_ref else frozenset()) - ours,
            base=repo.checks(report.merge_base, with_statuses=not notes) if has_failed else None,
            is_over=True,
        )
    except GithubRefused as refused:
        return settle(report, alone), (NotChecked(CHECKS, str(refused)),)
    return settle(report, ToldByOthers(others, around, posted)), (*notes, *_beside(num_beside))


def _died(
    checks: Iterable[CheckFacts], subject: Subject, job: Job, report: ValidationReport
) -> tuple[PostedTools, ...]:
    """The tools job of this very run, where it did not come to its end: no artifact was left, or we would not look."""
    if subject.is_second_stage:
        return ()
    found = [one for one in checks if _is_in(one, job.run_url) and one.name.rpartition(" / ")[2] == TOOLS_JOB]
    dead = [one for one in found if one.conclusion in _DIED]
    return tuple(lost(f"it ended {one.conclusion} and left no results", report) for one in dead[:1])


def _is_in(check: CheckFacts, run_url: str) -> bool:
    return check.app_slug == _ACTIONS and f"{check.url}/".startswith(f"{run_url}/")


def _checks(sha: str, repo: Repo) -> tuple[tuple[CheckFacts, ...], tuple[NotChecked, ...]]:
    """What stands on a commit. Few workflows may read statuses, which older CI systems send: then runs alone."""
    try:
        return repo.checks(sha), ()
    except PermissionMissing as missing:
        runs = repo.checks(sha, with_statuses=False)
        return runs, (NotChecked(STATUSES, str(missing)),)


def without_our_jobs(checks: Iterable[CheckFacts], subject: Subject, job: Job) -> tuple[tuple[CheckFacts, ...], int]:
    """The checks without the Action's own jobs, and how many jobs of this run still run beside ours.

    Ours are known by the run they belong to, and in it by their ids, which end the names of their checks; of a job that
    was given another name it is only known that it has not ended. The same workflow may have run on this commit
    before, so ours are left out by their names too: but not in the second stage, where the change has named them.
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
        yield NotChecked(f"{what} of this workflow run", "had not ended; `needs:` puts a job before Assay")
