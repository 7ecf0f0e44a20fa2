"""The commits to validate on this disk: from the workflow's checkout if it has them all, otherwise fetched.

The checkout is read through a shadow without its settings, but its objects are used as they are. On a self-hosted
runner, a change that ran there before may have replaced objects, so a job that only publishes reads no checkout.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from assay.action.environment.job import Job
from assay.action.environment.subject import Subject
from assay.github.errors import ActionMisused, CheckoutFailed
from assay.github.pull_request.checkout import Mirrors
from assay.github.pull_request.validate import RemoteRepository
from assay.validators import Repository, UsageError, ValidatorError, holds_change

_WHERE = ("refs/remotes/origin/{}", "refs/heads/{}", "refs/tags/{}", "{}")
"""Places of a name in a checkout; GitHub's branch comes first, because the local one may be outdated."""


@dataclass(frozen=True, slots=True)
class Commits:
    """A subject with the ids of both ends, and the local repository that contains them."""

    subject: Subject
    repository: Path


def commits_of(subject: Subject, job: Job, *, everything: bool = False, from_checkout: bool = True) -> Commits:
    """Find the commits in the workspace, or fetch them; with `everything`, all files the commands may read.

    Without `from_checkout` the workspace is not read.

    Raises:
        ActionMisused: a given revision does not name a commit.
        CheckoutFailed: the commits could not be fetched.
        GithubRefused, GithubUnavailable: GitHub could not resolve a name.
    """
    with _checked_out(job.workspace if from_checkout else None) as there:
        if there is not None:
            subject = _named_there(subject, there)
            if subject.is_complete and holds_change(
                there, subject.base_sha, subject.head_sha, subject.settings_sha or None
            ):
                return Commits(subject, there.root)
    subject = _named_on_github(subject, job)
    return Commits(subject, _fetched(subject, job, everything=everything))


@contextmanager
def _checked_out(workspace: Path | None) -> Iterator[Repository | None]:
    """Open the repository whose top folder is the workspace; None if there is none."""
    try:
        found = Repository(workspace) if workspace is not None else None
    except ValidatorError:
        found = None
    if found is None or workspace is None:
        yield None
        return
    with found:
        yield found if found.root == workspace.resolve() else None


def _named_there(subject: Subject, there: Repository) -> Subject:
    base = subject.base_sha or _commit_there(subject.base_ref, there)
    head = subject.head_sha or _commit_there(subject.head_ref, there)
    return replace(subject, base_sha=base, head_sha=head)


def _commit_there(name: str, there: Repository) -> str:
    for where in _WHERE:
        try:
            return there.resolve(where.format(name))
        except UsageError:
            continue
    return ""


def _named_on_github(subject: Subject, job: Job) -> Subject:
    if subject.is_complete:
        return subject
    with job.repo() as repo:
        found = {
            end: sha or repo.commit_of(name)
            for end, sha, name in (
                ("base", subject.base_sha, subject.base_ref),
                ("head", subject.head_sha, subject.head_ref),
            )
        }
    for end, sha in found.items():
        if not sha:
            name = subject.base_ref if end == "base" else subject.head_ref
            raise ActionMisused(
                f"input {end}: {name!r} does not name a commit of {job.repository}", code="action.unknown-commit"
            )
    return replace(subject, base_sha=found["base"] or "", head_sha=found["head"] or "")


def _fetched(subject: Subject, job: Job, *, everything: bool) -> Path:
    mirrors = Mirrors(job.work / "mirrors")
    remote = RemoteRepository(job.repository, job.repository_id, job.clone_url, mirrors, job.token)
    try:
        with remote.checkout(subject, settings_sha=subject.settings_sha or None, everything=everything) as checkout:
            return checkout.repository
    except CheckoutFailed as error:
        raise CheckoutFailed(f"{error} (the token needs contents: read)") from None
