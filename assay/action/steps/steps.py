"""The Action's three steps, each a separate process that gets `env` and returns the exit code.

fetch    has the token: finds the changes to validate, and fetches their commits
validate    has no token: may run the change's commands, and stores the report
publish  has the token: completes the report with external results of Tier 1, and publishes it

Each step with access determines the changes again from the event and GitHub, not from a file of an earlier step.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace

from assay.action.environment import state
from assay.action.environment.inputs import Inputs, Mode, read_inputs
from assay.action.environment.job import Job, read_job
from assay.action.environment.state import Fetched, Validated
from assay.action.environment.subject import NeedsLookup, Subject, SubjectKind, subject_of
from assay.action.handover.artifact import TOOLS_FILE
from assay.action.handover.second_stage import SecondStage, subjects_of
from assay.action.output.log import command, log_by_us, muted, say
from assay.action.output.outputs import write_outputs
from assay.action.output.publishing import Outcome, publish_all
from assay.action.output.run_report import leave_behind, leave_tools_behind, ready_folder
from assay.action.output.summary import in_words, write_summary
from assay.action.steps.commits import commits_of
from assay.action.steps.complete import complete_in_job
from assay.action.steps.inheriting import inherited_by
from assay.action.steps.isolated import tools_body, validate_subject, wanted_tests
from assay.action.steps.scanners import asked_by
from assay.action.steps.tool_results import passed_on, taken_over
from assay.github.errors import ActionMisused, CheckoutFailed, GithubAppError, GithubRefused, ValidationFailed
from assay.github.external_results.tools_payload import MOST_BODY_BYTES, read_posted
from assay.validators import ReportUnreadable, Tier, ValidationReport, as_prose

NOTHING_TO_VALIDATE = "nothing to validate"
BRANCH_GONE = "no longer exists"


def fetch(env: Mapping[str, str]) -> int:
    """Find the changes to validate, and fetch their commits."""
    inputs, job = _begun(env)
    with muted(env):
        ready_folder(inputs.report_path)
        target = _target(inputs, job, env)
        fetched = [_fetched(subject, inputs, job) for subject in target.subjects]
        fetched = [one for one in fetched if not _is_nothing(one.subject, inputs, job)]
        state.keep_fetched(fetched, job)
        if target.why_none:
            say(f"{NOTHING_TO_VALIDATE}: {target.why_none}")
        if scanners := asked_by(fetched, inputs):
            write_outputs(job.output, {"scanners": " ".join(scanners)})
    return 0


def validate(env: Mapping[str, str]) -> int:
    """Validate what was fetched. Failures are stored too, for the last step to publish."""
    inputs, job = _begun(env)
    with muted(env):
        for one in _to_validate(inputs, job, env):
            if inputs.mode is Mode.tools:
                state.keep(job.work / TOOLS_FILE, _tools(one, inputs, job))
            else:
                state.keep_validated(one.place, _validated(one, inputs), job)
    return 0


def publish(env: Mapping[str, str]) -> int:
    """Complete and publish each report; the worst verdict gives the exit code."""
    inputs, job = _begun(env)
    with muted(env):
        ready_folder(inputs.report_path)
        target = _target(inputs, job, env)
        fetched = _fetched_of(target.subjects, job)
        if not fetched:
            return _nothing(target.why_none or _why_nothing(target.subjects), job)
        if inputs.mode is Mode.tools:
            return _tools_left(inputs, job)
        published = [_published(one, target.stage, inputs, job) for one in fetched]
    # The outputs are those of the last one, so the worst comes last.
    published.sort(key=lambda one: one.outcome.exit_code)
    for one in published:
        leave_behind(one.report, one.outcome, _apart(one, published, inputs), job, command)
    return published[-1].outcome.exit_code


def _begun(env: Mapping[str, str]) -> tuple[Inputs, Job]:
    log_by_us()
    return read_inputs(env), read_job(env)


# ------------------------------------------------------------------ what to validate


@dataclass(frozen=True, slots=True)
class _Target:
    """The changes to validate, or `why_none` there are none; `stage` is the other run in a second stage."""

    subjects: tuple[Subject, ...]
    stage: SecondStage | None = None
    why_none: str = ""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A subject, what was fetched for it, and its number among the job's files."""

    place: int
    subject: Subject
    fetched: Fetched


def _target(inputs: Inputs, job: Job, env: Mapping[str, str]) -> _Target:
    subject = subject_of(inputs, job, env)
    if isinstance(subject, Subject):
        return _Target((subject,))
    with job.repo() as repo:
        stage = subjects_of(job, subject.source_run_id, repo)
    return _Target(stage.subjects, stage, stage.why_none or "")


def _fetched(subject: Subject, inputs: Inputs, job: Job) -> Fetched:
    try:
        may_run = inputs.runs_commands
        subject = _under_the_tip(subject, inputs, job)
        found = commits_of(subject, job, everything=may_run, from_checkout=may_run)
    except CheckoutFailed as error:
        if inputs.mode is Mode.tools or not subject.is_complete:
            raise
        say(str(error))
        return Fetched(subject, None, str(error))
    subject = found.subject
    say(f"validating {subject.head_ref} ({subject.head_sha[:12]}) against {subject.base_ref} ({subject.base_sha[:12]})")
    return Fetched(subject, found.repository, inherited=inherited_by(subject, found.repository, job))


def _under_the_tip(subject: Subject, inputs: Inputs, job: Job) -> Subject:
    """Set the commit whose configuration is in force: the tip of the base branch.

    A re-run workflow has the event of its first attempt, and a group of the merge queue may start at another group: the
    base they name can be older than the branch, or not on it yet.
    """
    if subject.kind is SubjectKind.commit or inputs.base is not None:
        return subject
    try:
        with job.repo() as repo:
            tip = repo.tip_of(subject.base_ref)
    except (ActionMisused, GithubRefused) as error:
        at = subject.base_sha[:12]
        say(f"using the configuration of {at}: the tip of {subject.base_ref} is unknown: {error}")
        return subject
    if tip is None:
        say(f"using the configuration of {subject.base_sha[:12]}: the branch {subject.base_ref} {BRANCH_GONE}")
    return replace(subject, settings_sha=tip or "")


def _is_nothing(subject: Subject, inputs: Inputs, job: Job) -> bool:
    """Return whether base and head are the same commit, which has no verdict.

    A push of a new branch may be that. Raises `ActionMisused` for other events, which must name a base.
    """
    if subject.kind is not SubjectKind.commit or subject.base_sha != subject.head_sha:
        return False
    if job.event != "push" or inputs.base is not None:
        raise ActionMisused(
            f"input base: {subject.base_ref} is the head commit itself, {subject.head_sha[:12]}; give the commit the "
            "change starts from, such as the last release",
            code="action.base-is-head",
        )
    say(f"{NOTHING_TO_VALIDATE}: {subject.head_ref} is the same commit as {subject.base_ref}")
    return True


def _why_nothing(subjects: tuple[Subject, ...]) -> str:
    if subjects[0].kind is SubjectKind.commit:
        return f"{subjects[0].head_ref} adds no commit"
    return "the pull request changed in the meantime"


def _to_validate(inputs: Inputs, job: Job, env: Mapping[str, str]) -> list[_Placed]:
    """Return what was fetched; in a second stage the event only names the run, and this step has no token."""
    told = subject_of(inputs, job, env)
    if isinstance(told, Subject):
        return _fetched_of((told,), job)
    fetched = state.fetched_before(job)
    if not all(_is_of(told, one.subject) for one in fetched):
        raise GithubAppError("the fetched changes are not of the run that the event names")
    return [_Placed(place, one.subject, one) for place, one in enumerate(fetched)]


def _fetched_of(subjects: tuple[Subject, ...], job: Job) -> list[_Placed]:
    """Return the subjects with what was fetched for them; one of the second stage may have changed since."""
    found = []
    fetched = state.fetched_before(job)
    if not fetched and all(one.kind is SubjectKind.commit for one in subjects):
        return []
    for told in subjects:
        places = [place for place, one in enumerate(fetched) if _is_same(told, one.subject)]
        if places:
            found.append(_Placed(places[0], _completed(told, fetched[places[0]].subject), fetched[places[0]]))
        elif not told.is_second_stage:
            raise GithubAppError("the fetched changes are not those the event names", code="action.other-commits")
    return found


def _is_of(told: NeedsLookup, kept: Subject) -> bool:
    return kept.is_second_stage and kept.source_run_id == told.source_run_id


def _is_same(told: Subject, kept: Subject) -> bool:
    """Return whether the stored subject is this one; missing ids were resolved since.

    The base in the API moves with its branch, so the fetched one is validated; another base branch is another subject.
    """
    is_against = told.base_ref == kept.base_ref if told.is_second_stage else told.base_sha in ("", kept.base_sha)
    return (
        (told.kind, told.number, told.is_second_stage) == (kept.kind, kept.number, kept.is_second_stage)
        and told.head_sha in ("", kept.head_sha)
        and is_against
    )


def _completed(told: Subject, kept: Subject) -> Subject:
    return replace(told, base_sha=kept.base_sha, head_sha=kept.head_sha, settings_sha=kept.settings_sha)


# ------------------------------------------------------------------ validate


def _validated(one: _Placed, inputs: Inputs) -> Validated:
    if one.fetched.repository is None:
        return Validated(why=one.fetched.why)
    try:
        report = validate_subject(one.subject, one.fetched.repository, inputs, say, one.fetched.inherited)
    except ValidationFailed as error:
        say(str(error))
        return Validated(why=str(error))
    is_all = inputs.runs_commands or Tier.tools not in inputs.tiers
    say(f"validated{'' if is_all else ', without external results of Tier 1'}: {report.title}")
    return Validated(report)


def _tools(one: _Placed, inputs: Inputs, job: Job) -> bytes:
    if one.fetched.repository is None:
        raise CheckoutFailed(one.fetched.why)
    return tools_body(
        one.subject, one.fetched.repository, job.name, say, one.fetched.inherited, wanted_tests(one.subject, inputs)
    )


# ------------------------------------------------------------------ publishing


@dataclass(frozen=True, slots=True)
class _Published:
    """A subject, its final report if there is one, and the outcome of publishing."""

    subject: Subject
    report: ValidationReport | None
    outcome: Outcome


def _published(one: _Placed, stage: SecondStage | None, inputs: Inputs, job: Job) -> _Published:
    before = state.validated_before(one.place, job)
    if before.report is None:
        return _Published(one.subject, None, publish_all(None, one.subject, inputs, job, why=before.why))
    try:
        with job.repo() if job.token else nullcontext() as repo:
            posted, notes = taken_over(one.subject, stage, before.report, inputs, job, repo)
            report = before.report
            if Tier.tools in inputs.tiers:
                report = complete_in_job(report, one.subject, job, posted, repo, notes).report
    except GithubAppError as error:
        # Without the head's checks the verdict could be too good.
        return _Published(one.subject, None, publish_all(None, one.subject, inputs, job, why=str(error)))
    outcome = publish_all(report, one.subject, inputs, job)
    if inputs.app_url is not None:
        note = passed_on(before.report.tools, posted, one.subject, inputs.app_url, job)
        outcome = replace(outcome, notes=(*outcome.notes, note))
    return _Published(one.subject, report, outcome)


def _apart(one: _Published, published: list[_Published], inputs: Inputs) -> Inputs:
    """Return inputs with a separate report folder per pull request, if the commit is the head of several."""
    if len(published) == 1:
        return inputs
    return replace(inputs, report_path=inputs.report_path / f"pull-{one.subject.number}")


def _tools_left(inputs: Inputs, job: Job) -> int:
    """Store the results for the job that publishes. This job succeeds whatever they are; it has no verdict."""
    body = state.kept(job.work / TOOLS_FILE, MOST_BODY_BYTES)
    try:
        tools = read_posted(body).tools
    except ReportUnreadable as error:
        raise GithubAppError(str(error)) from None
    for run in tools.runs:
        say(f"{run.name}: {in_words(run)}, {run.duration_s:.1f} s")
    leave_tools_behind(tools, body, inputs, job)
    return 0


def _nothing(why: str, job: Job) -> int:
    say(f"{NOTHING_TO_VALIDATE}: {why}")
    write_summary(job.summary, f"Assay had {NOTHING_TO_VALIDATE}: {as_prose(why, 600)}.")
    return 0
