"""The second stage: a finished run of a pull request, and who it was for. Asked of the API, believed of nobody else.

The first stage of a pull request from a fork has a token that can only read, so what is to be said is said by a run of
`workflow_run`, with the rights of the repository. That run is started by strangers: any workflow file of the same name
does it. Hence nothing of the first run is taken but its id, which GitHub itself put into the event.

Who is published for:

- **a fork's pull request**: always; its own run can never write.
- **a pull request of the repository itself**: only where its own run cannot say it, and as long as no verdict of ours
  stands on this head. Dependabot's runs get a token that can only read although the branch is here; and some agents'
  runs wait for a maintainer's approval before they begin. Everybody else who can push a branch has a first stage that
  can write: its verdict rests on results of a job, and must not be replaced by one that rests on less.
- **nobody**: where the head has moved on, the pull request is closed, the fork is deleted, or the run was for something
  else than a pull request. There is nothing to say then, and that is no error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

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
"""GitHub's word for a run that ended before it began, as it waits for somebody to approve it."""
_WORKFLOW = re.compile(r"(\.github/workflows/[^@/\n]{1,200}\.ya?ml)(?:@.*)?")
_CODE_OF_CI = (".github/workflows/", ".github/actions/")


@dataclass(frozen=True, slots=True)
class SecondStage:
    """The pull requests whose head a finished run was for; where there are none, why."""

    subjects: tuple[Subject, ...]
    run: WorkflowRunFacts
    why_none: str | None = None


def subjects_of(job: Job, source_run_id: int, repo: Repo) -> SecondStage:
    """Whom the finished run was for, as the API tells it.

    Args:
        job: this job; its repository is the only one where the run is looked for.
        source_run_id: the run's id, from the event.
        repo: the job's repository.

    Raises:
        GithubRefused: there is no such run in this repository (404), or the token may not see it.
        GithubUnavailable: not now.
    """
    run = repo.workflow_run(source_run_id)
    why = _why_not(run, job, source_run_id)
    if why is not None:
        return SecondStage((), run, why)
    pulls = [pull for pull in repo.pulls_with_head(run.head_sha) if _is_of(pull, run)]
    if not pulls:
        return SecondStage((), run, f"no open pull request of this repository has {run.head_sha[:12]} as its head")
    subjects = tuple(_subjects(pulls, run, repo))
    why = None if subjects else "the pull request's own run can say what there is to say, or has said it"
    return SecondStage(subjects, run, why)


def tools_of(stage: SecondStage, subject: Subject, repo: Repo, name: str) -> PostedTools | None:
    """What the first stage reported of Tier 1, as an untrusted run's word; None where it left nothing of this name.

    Its workflow is the pull request's own. Where the base has no such file, or the pull request touches what its runs
    are made of (workflows, local actions), the report is one its author wrote, and is not read at all.

    Raises:
        ArtifactRefused: it is not believed, or cannot be had; one line, in our words.
        GithubRefused, GithubUnavailable: GitHub does not tell what has to be known before.
    """
    why = _why_unbelievable(stage.run, subject, repo)
    if why is not None:
        raise ArtifactRefused(why)
    try:
        return read_tools_artifact(repo, stage.run.id, name, reported_by=UNTRUSTED_RUN)
    except GithubUnavailable:
        # It may be its size, or its place, that keeps it from us; and nothing good would rest on it.
        raise ArtifactRefused("the artifact could not be fetched") from None


def _why_not(run: WorkflowRunFacts, job: Job, source_run_id: int) -> str | None:
    if run.id != source_run_id or run.repository_id not in (None, job.repository_id):
        return "the run belongs to another repository"
    if run.trigger != FIRST_STAGE:
        return f"the run was not started by {FIRST_STAGE}"
    if run.status != CheckStatus.completed:
        return "the run has not ended"
    if run.conclusion == "skipped":
        return "the run had nothing to judge"
    if run.head_repository is None:
        return "the fork is gone"
    return None if is_commit_id(run.head_sha) else "the run names no commit"


def _is_of(pull: PullFacts, run: WorkflowRunFacts) -> bool:
    """Whether the run is of this pull request's head: the commit and the repository it lies in."""
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
    )


def _has_verdict(subject: Subject, repo: Repo) -> bool:
    """Whether a verdict of ours stands on this head; one that was broken off is none."""
    ours = external_id_of(subject)
    found = repo.our_checks(subject.head_sha)
    return any(one.external_id == ours and one.status == CheckStatus.completed for one in found)


def _why_unbelievable(run: WorkflowRunFacts, subject: Subject, repo: Repo) -> str | None:
    if run.conclusion == WAITS:
        return "the run waits for a maintainer's approval, and nothing of the change has run"
    match = _WORKFLOW.fullmatch(run.workflow_path)
    if match is None or repo.file(match[1], subject.base_sha) is None:
        return "the run is of a workflow that the base does not have"
    touched = repo.lines_in_diff(subject.number or 0)
    if len(touched) >= MOST_FILES_OF_A_PULL or any(path.startswith(_CODE_OF_CI) for path in touched):
        return "the pull request changes workflows or actions, so the run's results are its author's word"
    return None
