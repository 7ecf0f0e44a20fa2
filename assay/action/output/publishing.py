"""Publication on GitHub with the job's own token, by the same code as the App; and the job's exit code.

A pull request gets what the App would publish. A merge group and a commit get only a Check Run. With a read-only token
nothing is written, which is noted and is not a failure. With an App (`app-url`), the App publishes instead.

Only the App can release a hold. With `fail-on: failure` a hold is shown
and does not block; otherwise it blocks. `never` affects only the exit code, which follows the Check Run:

    verdict                            mode: advisory                 mode: enforce
    success                            success          0             success          0
    failure                            neutral          0 (*)         failure          1; never: 0
    held, nothing else                 neutral          0 (*)         action_required  1; never: 0
    held, fail-on: failure             neutral          0             neutral          0
    configuration error                neutral          0 (*)         action_required  2
    … and no tier could run            action_required  2             action_required  2
    some checks could not run          failure          3             failure          3

(*) The input `fail-on: failure` or `hold` gives the exit code of `enforce` in advisory mode too; the configuration key
does not, because it is set together with the mode. The exit code is also 3 if the Check Run could not be written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from assay.action.environment.inputs import Inputs, Sarif
from assay.action.environment.job import Job
from assay.action.environment.subject import Subject, SubjectKind, shown_ref
from assay.action.handover.same_commit import SameCommit, external_id_of
from assay.github.client import Repo
from assay.github.errors import GithubRefused, GithubUnavailable, PermissionMissing
from assay.github.events.model import Person, PullFacts
from assay.github.publish import BLOCKS, Publication, PublishPolicy, RunFacts, State, publication_of, publish
from assay.validators import FailOn, ValidationReport, configuration_of, exit_code

FORKS = "docs/action/forks.md"
PERMISSIONS = "docs/action/permissions.md"
COULD_NOT_RUN = 3
_ADVISORY = "advisory"
_UNDERSCORED = re.compile(r"\b(pull|security)_(requests|events)\b")
NOT_WRITTEN = "Check Run not written: this job has no token."
LEFT_TO_APP = "Assay's App publishes the verdict, not this job."
OTHER_COMMIT = "the report is about another commit"
NEWER_HEAD = "has a newer head"
READ_ONLY_JOB = "this job's token may only read"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of publishing.

    `check_run_id` is the written Check Run, None without one; with `is_left_to_app` the App publishes. `notes` are
    lines for the summary; `error` is why the exit code is 3 despite a verdict, `why` is why there is no verdict.
    """

    exit_code: int
    publication: Publication
    check_run_id: int | None = None
    check_url: str | None = None
    incident: str | None = None
    is_left_to_app: bool = False
    notes: tuple[str, ...] = ()
    error: str | None = None
    why: str = ""


def publish_all(
    report: ValidationReport | None, subject: Subject, inputs: Inputs, job: Job, *, why: str = ""
) -> Outcome:
    """Publish a verdict as far as this job's token permits. Never raises for responses of GitHub.

    Without a report, validation failed; `why` says so in a line.
    """
    if report is not None and report.head.sha != subject.head_sha:
        why, report = f"{OTHER_COMMIT}, {report.head.sha[:12]!a}", None
    outcome = _worked_out(report, subject, inputs, job, why)
    if inputs.app_url is not None:
        return replace(outcome, is_left_to_app=True, notes=(LEFT_TO_APP,))
    if job.token is None:
        return replace(outcome, notes=(NOT_WRITTEN,))
    try:
        with job.repo() as repo:
            return _published(outcome, subject, inputs, job, repo)
    except GithubRefused as refused:
        if refused.status == 403:
            return replace(outcome, notes=(*outcome.notes, _may_not_write(subject, refused)))
        return _lost(outcome, refused)
    except GithubUnavailable as unavailable:
        return _lost(outcome, unavailable)


def exit_code_of(report: ValidationReport | None, inputs: Inputs) -> int:
    """Return the exit code of a verdict; see the table above."""
    if report is None:
        return COULD_NOT_RUN
    code = exit_code(
        report.conclusion,
        hold=report.hold,
        configuration_at_fault=report.configuration_at_fault,
        fail_on=inputs.fail_on or FailOn.hold,
    )
    is_validated = any(tier is not None for tier in (report.tools, report.quality, report.risk))
    is_advice = report.mode == _ADVISORY and inputs.fail_on in (None, FailOn.never)
    return 0 if is_advice and is_validated and code != COULD_NOT_RUN else code


def _worked_out(report: ValidationReport | None, subject: Subject, inputs: Inputs, job: Job, why: str) -> Outcome:
    """Return the publication, and the exit code if it can be written."""
    is_lost = report is None or exit_code_of(report, inputs) == COULD_NOT_RUN
    incident = f"{job.run_id}-{job.run_attempt}" if is_lost else None
    run = RunFacts(external_id_of(subject), completed_at=datetime.now(UTC), incident=incident, why=why)
    state = State.could_not_run if report is None else State.final
    publication = publication_of(report, _facts(subject), _policy(report, inputs, job), state=state, run=run)
    if publication.sarif is not None and subject.kind is not SubjectKind.pull:
        # The branch of a merge group is deleted soon, and its code scanning results with it.
        is_branch = subject.kind is SubjectKind.commit and bool(subject.head_ref)
        publication = replace(
            publication,
            sarif=publication.sarif if is_branch else None,
            sarif_ref=f"refs/heads/{subject.head_ref}" if is_branch else None,
        )
    return Outcome(exit_code_of(report, inputs), publication, incident=incident, why=why)


def _published(outcome: Outcome, subject: Subject, inputs: Inputs, job: Job, repo: Repo) -> Outcome:
    publication = outcome.publication
    notes: tuple[str, ...] = ()
    if subject.kind is not SubjectKind.pull:
        publication = _check_alone(publication)
    else:
        is_over, note = _as_it_stands(subject, inputs, repo)
        notes = (note,) if note else ()
        if is_over:
            return replace(outcome, notes=notes)
        if note:
            publication = replace(_check_alone(publication), sarif=None)
    same = SameCommit(subject, repo)
    publication = replace(publication, check=same.agreed(publication.check))
    done = publish(publication, repo)
    problems, error = list(done.problems), None
    if same.is_shared:
        same.look_again()
        try:
            publication = replace(publication, check=same.settle() or publication.check)
        except GithubRefused as refused:
            problems.append(str(refused))
        except GithubUnavailable as unavailable:
            error = f"the verdicts of other pull requests of this commit could not be updated: {unavailable}"
    code = _with_others(outcome, publication, inputs, same)
    return replace(
        outcome,
        exit_code=code if error is None else code or COULD_NOT_RUN,
        publication=publication,
        check_run_id=done.check_run_id,
        check_url=f"{job.web_url}/runs/{done.check_run_id}",
        notes=(*notes, *(f"Not published: {_as_in_workflows(one)}" for one in problems)),
        error=error,
    )


def _as_it_stands(subject: Subject, inputs: Inputs, repo: Repo) -> tuple[bool, str]:
    """Return whether publishing is obsolete, and a note on what is not published ("" if all is)."""
    try:
        pull = repo.pull(subject.number or 0)
    except GithubRefused as refused:
        return False, f"Only the Check Run was written. {_needed('pull-requests: write', refused)}"
    if pull.state != "open":
        return True, f"Nothing was published: #{pull.number} is closed."
    if _goes_elsewhere(pull, subject, inputs):
        validated = f"was validated against {subject.base_ref}, and its base is {shown_ref(pull.base_ref)} now"
        return True, f"Nothing was published: #{pull.number} {validated}."
    if pull.head_sha != subject.head_sha:
        newer = f"#{pull.number} {NEWER_HEAD}, {pull.head_sha[:12]}, which another run validates"
        return False, f"Only the Check Run of this commit was written: {newer}."
    return False, ""


def _goes_elsewhere(pull: PullFacts, subject: Subject, inputs: Inputs) -> bool:
    """Return whether the pull request has another base branch now, whose settings may be stricter.

    Its author can change the base at any time, and a re-run workflow has the earlier one.
    """
    return inputs.base is None and shown_ref(pull.base_ref) != subject.base_ref


def _check_alone(publication: Publication) -> Publication:
    return replace(publication, label=None, comment=None, comment_if_there=None, review=None, present=None)


def _with_others(outcome: Outcome, publication: Publication, inputs: Inputs, same: SameCommit) -> int:
    """Return exit code 1 for a blocking verdict of another pull request of this commit: its check is shown on both.

    One without a verdict yet does not count: its own job will correct the Check Run, but could not correct this job.
    """
    is_worse = publication.check.conclusion in BLOCKS and publication.check != outcome.publication.check
    counts = is_worse and inputs.fail_on is not FailOn.never and same.has_failed
    return max(outcome.exit_code, 1) if counts else outcome.exit_code


def _may_not_write(subject: Subject, refused: GithubRefused) -> str:
    if subject.is_fork and not subject.is_second_stage:
        return f"Check Run not written: {READ_ONLY_JOB}; the second stage does it ({FORKS})."
    return f"Check Run not written. {_needed('checks: write', refused)}"


def _needed(permission: str, refused: GithubRefused) -> str:
    """Return the permission to add to the workflow."""
    advice = f"The job needs `{permission}` ({PERMISSIONS}). " if isinstance(refused, PermissionMissing) else ""
    return advice + _as_in_workflows(f"{refused}.")


def _as_in_workflows(text: str) -> str:
    """Replace the API's names of permissions by those of workflows."""
    return _UNDERSCORED.sub(r"\1-\2", text)


def _lost(outcome: Outcome, error: Exception) -> Outcome:
    """Return an outcome with an error: the verdict is only in the summary, and the Check Run is missing."""
    said = f"the verdict could not be published: {error}"
    return replace(outcome, exit_code=outcome.exit_code or COULD_NOT_RUN, error=said)


def _policy(report: ValidationReport | None, inputs: Inputs, job: Job) -> PublishPolicy:
    policy = PublishPolicy(
        is_app=False,
        web_url=job.web_url,
        details_url=job.run_url,
        with_sarif=inputs.sarif is Sarif.upload,
    )
    if report is None:
        return policy
    return replace(policy, comments=configuration_of(report).comments, can_hold=inputs.fail_on is not FailOn.failure)


def _facts(subject: Subject) -> PullFacts:
    """Return the fields of a pull request that a publication needs."""
    return PullFacts(
        0,
        subject.number or 0,
        "",
        "",
        Person(""),
        subject.head_sha,
        subject.head_ref,
        subject.base_sha,
        subject.base_ref,
    )
