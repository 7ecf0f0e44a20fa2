"""Saying it on GitHub with the job's own token, by the same code as the App; and what the job's end is to be.

A pull request gets what the App gives it. A merge group and a commit get their Check Run alone. A token that may only
read writes nothing: that is told, and is nobody's fault. With an App at hand (`app-url`) it publishes, not we.

Nobody can let go of a hold without the App. With `fail-on: failure` (the input, or `failOn` of the configuration) it is
said and blocks nothing; else it blocks all the same. `never` is about the job's end alone. That follows the Check Run:

    verdict                            mode: advisory                 mode: enforce
    success                            success          0             success          0
    failure                            neutral          0 (*)         failure          1; never: 0
    held, nothing else                 neutral          0 (*)         action_required  1; never: 0
    held, fail-on: failure             neutral          0             neutral          0
    configuration error                neutral          0 (*)         action_required  2
    … nothing could be judged by it    action_required  2             action_required  2
    some checks could not run          failure          3             failure          3

(*) An input `fail-on: failure` or `hold` asks for the exit code of `enforce` in advisory mode too; one in the
configuration does not, for there it stands beside the mode. 3 also where GitHub could not take the Check Run.
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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of it.

    `publication` is what was to be said, `check_run_id` where it stands, None where nothing was written; where
    `is_left_to_app` the App says it. `notes` are what whoever reads the summary should know, a line each; `error` is
    why the job ends with 3 although there is a verdict, `why` there is none.
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
    """Say how a change was judged, where this job's token may. Never raises for what GitHub answers.

    Args:
        report: settled; None where there is none, since judging broke off.
        subject: what was judged, both ends known.
        inputs: how it is to be said.
        job: where, and by which token.
        why: why there is no report, in a line.
    """
    if report is not None and report.head.sha != subject.head_sha:
        why, report = f"the report is about another commit, {report.head.sha[:12]!a}", None
    outcome = _worked_out(report, subject, inputs, job, why)
    if inputs.app_url is not None:
        return replace(outcome, is_left_to_app=True, notes=("Assay's App publishes the verdict, not this job.",))
    if job.token is None:
        return replace(outcome, notes=("Check Run not written: this job was given no token.",))
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
    """How the job ends for its verdict: see the table above."""
    if report is None:
        return COULD_NOT_RUN
    code = exit_code(
        report.conclusion,
        hold=report.hold,
        configuration_at_fault=report.configuration_at_fault,
        fail_on=_fail_on(report, inputs),
    )
    is_judged = any(tier is not None for tier in (report.tools, report.quality, report.risk))
    is_advice = report.mode == _ADVISORY and inputs.fail_on in (None, FailOn.never)
    return 0 if is_advice and is_judged and code != COULD_NOT_RUN else code


def _worked_out(report: ValidationReport | None, subject: Subject, inputs: Inputs, job: Job, why: str) -> Outcome:
    """What is to be said, and the end of a job that can say it."""
    is_lost = report is None or exit_code_of(report, inputs) == COULD_NOT_RUN
    incident = f"{job.run_id}-{job.run_attempt}" if is_lost else None
    run = RunFacts(external_id_of(subject), completed_at=datetime.now(UTC), incident=incident, why=why)
    state = State.could_not_run if report is None else State.final
    publication = publication_of(report, _facts(subject), _policy(report, inputs, job), state=state, run=run)
    if publication.sarif is not None and subject.kind is not SubjectKind.pull:
        # A group's branch is gone in a minute, and code scanning with it.
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
            error = f"the verdicts of other pull requests of this commit were not set right: {unavailable}"
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
    """Whether nothing is to be written by now, and why not all of it is; "" where all is."""
    try:
        pull = repo.pull(subject.number or 0)
    except GithubRefused as refused:
        return False, f"Only the Check Run was written. {_needed('pull-requests: write', refused)}"
    if pull.state != "open":
        return True, f"Nothing was published: #{pull.number} is closed."
    if _goes_elsewhere(pull, subject, inputs):
        judged = f"was judged as a change of {subject.base_ref}, and goes to {shown_ref(pull.base_ref)} by now"
        return True, f"Nothing was published: #{pull.number} {judged}."
    if pull.head_sha != subject.head_sha:
        newer = f"#{pull.number} has a newer head, {pull.head_sha[:12]}, which is judged by a run of its own"
        return False, f"Only the Check Run of this commit was written: {newer}."
    return False, ""


def _goes_elsewhere(pull: PullFacts, subject: Subject, inputs: Inputs) -> bool:
    """Whether the pull request has another base branch by now, whose settings may be stricter. Its author can choose
    it at any time, and a run that is run again has the base of back then.
    """
    return inputs.base is None and shown_ref(pull.base_ref) != subject.base_ref


def _check_alone(publication: Publication) -> Publication:
    return replace(publication, label=None, comment=None, comment_if_there=None, review=None, present=None)


def _with_others(outcome: Outcome, publication: Publication, inputs: Inputs, same: SameCommit) -> int:
    """A failing verdict of another pull request of this commit ends our job too: its check is shown for both.

    One that is not judged yet does not: its own job puts the Check Run right, and nobody could do that for this job.
    """
    is_worse = publication.check.conclusion in BLOCKS and publication.check != outcome.publication.check
    counts = is_worse and inputs.fail_on is not FailOn.never and same.has_failed
    return max(outcome.exit_code, 1) if counts else outcome.exit_code


def _may_not_write(subject: Subject, refused: GithubRefused) -> str:
    if subject.is_fork and not subject.is_second_stage:
        return f"Check Run not written: this job's token may only read; the second stage does it ({FORKS})."
    return f"Check Run not written. {_needed('checks: write', refused)}"


def _needed(permission: str, refused: GithubRefused) -> str:
    """What to write into the workflow, so that it is not refused again."""
    advice = f"The job needs `{permission}` ({PERMISSIONS}). " if isinstance(refused, PermissionMissing) else ""
    return advice + _as_in_workflows(f"{refused}.")


def _as_in_workflows(text: str) -> str:
    """GitHub's API calls some permissions otherwise than its workflows do."""
    return _UNDERSCORED.sub(r"\1-\2", text)


def _lost(outcome: Outcome, error: Exception) -> Outcome:
    """The verdict stands in the summary, and whoever waits for the Check Run waits in vain."""
    said = f"the verdict is known and could not be published: {error}"
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
    comments = inputs.comment or configuration_of(report).comments
    return replace(policy, comments=comments, can_hold=_can_hold(report, inputs))


def _fail_on(report: ValidationReport, inputs: Inputs) -> FailOn:
    return inputs.fail_on or configuration_of(report).fail_on


def _can_hold(report: ValidationReport, inputs: Inputs) -> bool:
    """Whether a hold blocks. A second stage says `never` for its job, which must not make forks the freer ones."""
    asked = inputs.fail_on if inputs.fail_on is not FailOn.never else None
    return (asked or configuration_of(report).fail_on) is not FailOn.failure


def _facts(subject: Subject) -> PullFacts:
    """As much of a pull request as a publication needs."""
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
