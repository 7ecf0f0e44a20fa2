"""The second stage: the pull requests of a finished run, read from the API only.

The first stage of a pull request from a fork has a read-only token, so a `workflow_run` run with the repository's
permissions publishes its results. Untrusted authors can start that run, with any workflow file of the same name, so
only its id is used, which GitHub put into the event.

Results are published for:

- **a pull request from a fork**: always; its own run can never write.
- **a pull request of the repository itself**: only if its own run cannot publish and this head has no verdict yet.
  Dependabot's runs get a read-only token although the branch is in the repository, and runs of some agents wait for a
  maintainer's approval. All other authors have a first stage that can write: its verdict is based on job results and
  must not be replaced by one based on less.
- **none**: if the head moved, the pull request is closed, the fork is deleted, or the run was not for a pull request.
  This is not an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from assay.action.environment.job import Job
from assay.action.environment.subject import Subject, SubjectKind, shown_ref
from assay.action.handover.artifact import read_tools_artifact
from assay.action.handover.same_commit import external_id_of
from assay.github.client import CheckStatus, Repo, WorkflowRunFacts
from assay.github.client.limits import MOST_FILES_OF_A_PULL
from assay.github.errors import ArtifactRefused, GithubUnavailable
from assay.github.events.model import PullFacts
from assay.github.external_results.tools_payload import PostedTools
from assay.validators import UNTRUSTED_RUN, is_commit_id

FIRST_STAGE = "pull_request"
DEPENDABOT = "dependabot[bot]"
WAITS = "action_required"
"""GitHub's conclusion of a run that waits for approval."""
WAITS_FOR_APPROVAL = "the run waits for a maintainer's approval, so nothing of the change has run"
WORKFLOW_IS_NEW = "the base does not have the run's workflow"
WORKFLOWS_CHANGED = "the pull request changes workflows or actions, so its author may have written the run's results"
_WORKFLOW = re.compile(r"(\.github/workflows/[^@/\n]{1,200}\.ya?ml)(?:@.*)?")
_CODE_OF_CI = (".github/workflows/", ".github/actions/")


class WhyNone(StrEnum):
    """Why a run has no pull request whose results the second stage publishes."""

    other_repository = "the run belongs to another repository"
    not_first_stage = f"the run was not started by {FIRST_STAGE}"
    unfinished = "the run has not finished"
    skipped = "the run had nothing to validate"
    fork_deleted = "the fork was deleted"
    no_commit = "the run does not name a commit"
    no_open_pull = "no open pull request of this repository has the run's commit as its head"
    published_elsewhere = "the pull request's own run publishes its results"


@dataclass(frozen=True, slots=True)
class SecondStage:
    """The pull requests of a finished run, or why there are none."""

    subjects: tuple[Subject, ...]
    run: WorkflowRunFacts
    why_none: str | None = None


def subjects_of(job: Job, source_run_id: int, repo: Repo) -> SecondStage:
    """Return the pull requests of the finished run, from the API.

    Raises:
        GithubRefused: this repository has no such run (404), or the token may not read it.
        GithubUnavailable: GitHub does not answer now.
    """
    run = repo.workflow_run(source_run_id)
    why = _why_not(run, job, source_run_id)
    if why is not None:
        return SecondStage((), run, why)
    pulls = [pull for pull in repo.pulls_with_head(run.head_sha) if _is_of(pull, run)]
    if not pulls:
        return SecondStage((), run, WhyNone.no_open_pull)
    subjects = tuple(_subjects(pulls, run, repo))
    why = None if subjects else WhyNone.published_elsewhere
    return SecondStage(subjects, run, why)


def tools_of(stage: SecondStage, subject: Subject, repo: Repo) -> PostedTools | None:
    """Return the first stage's results of Tier 1, marked untrusted; None if it left no artifact.

    The workflow is the pull request's own. If the base has no such file, or the pull request changes workflows or local
    actions, its author may have written the results, and they are not read.

    Raises:
        ArtifactRefused: the results are untrustworthy or missing; one line without text of the artifact.
        GithubRefused, GithubUnavailable: GitHub does not give the facts needed to decide.
    """
    why = _why_unbelievable(stage.run, subject, repo)
    if why is not None:
        raise ArtifactRefused(why, code="artifact.untrusted-run")
    try:
        return read_tools_artifact(repo, stage.run.id, reported_by=UNTRUSTED_RUN)
    except GithubUnavailable:
        # Its size or place may be the cause; a verdict must not depend on it.
        raise ArtifactRefused("the artifact could not be fetched") from None


def _why_not(run: WorkflowRunFacts, job: Job, source_run_id: int) -> WhyNone | None:
    if run.id != source_run_id or run.repository_id not in (None, job.repository_id):
        return WhyNone.other_repository
    if run.trigger != FIRST_STAGE:
        return WhyNone.not_first_stage
    if run.status != CheckStatus.completed:
        return WhyNone.unfinished
    if run.conclusion == "skipped":
        return WhyNone.skipped
    if run.head_repository is None:
        return WhyNone.fork_deleted
    return None if is_commit_id(run.head_sha) else WhyNone.no_commit


def _is_of(pull: PullFacts, run: WorkflowRunFacts) -> bool:
    """Return whether the run is of this pull request's head: same commit, same repository."""
    theirs = pull.head_repository.id if pull.head_repository else None
    is_same = run.head_repository is not None and run.head_repository.id == theirs
    return is_same and pull.head_sha == run.head_sha and pull.state == "open"


def _subjects(pulls: list[PullFacts], run: WorkflowRunFacts, repo: Repo) -> Iterator[Subject]:
    is_dependabot = run.actor is not None and run.actor.login == DEPENDABOT and run.actor.kind == "Bot"
    cannot_say = is_dependabot or run.conclusion == WAITS
    for pull in pulls:
        subject = _subject(pull, run)
        if pull.is_fork or (cannot_say and not _has_verdict(subject, repo)):
            yield subject


def _subject(pull: PullFacts, run: WorkflowRunFacts) -> Subject:
    return Subject(
        base_sha=pull.base_sha,
        head_sha=pull.head_sha,
        base_ref=shown_ref(pull.base_ref),
        head_ref=shown_ref(pull.head_ref),
        number=pull.number,
        kind=SubjectKind.pull,
        is_fork=pull.is_fork,
        source_run_id=run.id,
        is_second_stage=True,
        pull_text=pull.pull_text,
    )


def _has_verdict(subject: Subject, repo: Repo) -> bool:
    """Return whether this head has a completed Check Run of Assay."""
    ours = external_id_of(subject)
    found = repo.our_checks(subject.head_sha)
    return any(one.external_id == ours and one.status == CheckStatus.completed for one in found)


def _why_unbelievable(run: WorkflowRunFacts, subject: Subject, repo: Repo) -> str | None:
    if run.conclusion == WAITS:
        return WAITS_FOR_APPROVAL
    match = _WORKFLOW.fullmatch(run.workflow_path)
    if match is None or repo.file(match[1], subject.base_sha) is None:
        return WORKFLOW_IS_NEW
    touched = repo.lines_in_diff(subject.number or 0)
    if len(touched) >= MOST_FILES_OF_A_PULL or any(path.startswith(_CODE_OF_CI) for path in touched):
        return WORKFLOWS_CHANGED
    return None
