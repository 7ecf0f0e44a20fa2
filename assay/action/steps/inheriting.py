"""Inherited configuration, read with the workflow's token, which reads no other private repository."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from assay.action.environment.job import Job
from assay.action.environment.subject import Subject
from assay.action.output.log import say
from assay.github.client import Repo
from assay.github.pull_request.organization import Reading, inherited, read_configuration
from assay.validators import Inherited, Repository, extends_of


def inherited_by(subject: Subject, repository: Path, job: Job) -> Inherited:
    """Return what the configuration in force builds on; the log names what was read, and what cannot be.

    Raises `GithubUnavailable` if GitHub does not answer.
    """
    with Repository(repository) as opened:
        extends = extends_of(opened.tree(subject.settings_sha or subject.base_sha))
    found = inherited(
        job.repository,
        extends,
        partial(_read, job),
        is_private=partial(_is_private, job),
    )
    for file in found.files:
        say(f"configuration: {file.name}" + (f" was not read: {file.why}" if file.text is None else ""))
    return found


def _read(job: Job, full_name: str) -> Reading:
    token = job.token
    if token is None:
        return Reading(why="this job has no token", is_found=False)
    found = read_configuration(full_name, lambda name: Repo.from_token(token, name, job.api_url))
    if not found.is_found:
        say(f"configuration: {full_name} does not exist, or is private, and a workflow's token cannot read it")
    return found


def _is_private(job: Job) -> bool:
    with job.repo() as repo:
        return repo.facts().is_private
