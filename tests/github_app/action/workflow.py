"""A workflow's job on the fake GitHub: an open pull request, and a token that may do so much and no more."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.action.environment.inputs import Inputs, Sarif
from assay.action.environment.job import Job
from assay.action.environment.subject import Subject, SubjectKind
from assay.action.output.publishing import Outcome, publish_all
from assay.github.client import Clock, Repo, pacing
from assay.validators import ValidationReport
from assay.validators.report.model import Commit
from tests.fakes.github import FakeGitHub
from tests.github_app.open_pull import LINES
from tests.repositories import RealRepository

WRITING = {"contents": "read", "checks": "write", "pull-requests": "write", "actions": "read"}
READING = {"contents": "read", "checks": "read", "pull-requests": "read", "actions": "read"}
NAMES = ("src/uploads/client.py", "src/uploads/retry.py", "tests/test_retry.py", "tests/test_client.py")
RUN_ID = 900


def job_in(folder: Path, **more: Any) -> Job:
    """A job that publishes, on a GitHub it has no token for."""
    values: dict[str, Any] = {
        "event": "pull_request",
        "api_url": "https://api.github.com",
        "server_url": "https://github.com",
        "repository": "acme/shop",
        "repository_id": 42,
        "run_id": RUN_ID,
        "run_attempt": 1,
        "actor": "ada",
        "default_branch": "main",
        "work": folder,
        "output": folder / "output",
        "summary": folder / "summary",
        "name": "publish",
    }
    return Job(**(values | more))


@dataclass
class Workflow:
    """One repository with a pull request of its branch `change`; `number` and `head` are of it."""

    github: FakeGitHub
    repository: RealRepository
    full_name: str
    number: int
    base: str
    head: str
    folder: Path

    def subject(self, **more: Any) -> Subject:
        values: dict[str, Any] = {"number": self.number, "kind": SubjectKind.pull} | more
        base, head = values.pop("base_sha", self.base), values.pop("head_sha", self.head)
        return Subject(base, head, values.pop("base_ref", "main"), values.pop("head_ref", "change"), **values)

    def job(self, permissions: dict[str, str] | None = None, **more: Any) -> Job:
        values: dict[str, Any] = {
            "api_url": self.github.url,
            "server_url": self.github.url,
            "repository": self.full_name,
            "repository_id": self.github.repository_id(),
            "token": self.github.job_token(WRITING if permissions is None else permissions),
        }
        return job_in(self.folder, **(values | more))

    def inputs(self, **more: Any) -> Inputs:
        values: dict[str, Any] = {"report_path": self.folder / "report", "sarif": Sarif.file}
        return Inputs(**(values | more))

    def publish(
        self,
        report: ValidationReport | None,
        subject: Subject | None = None,
        permissions: dict[str, str] | None = None,
        why: str = "",
        job: Job | None = None,
        **inputs: Any,
    ) -> Outcome:
        """What the last step does; the report is about the subject's head."""
        subject = subject or self.subject()
        if report is not None:
            base, head = Commit(subject.base_sha, "main"), Commit(subject.head_sha, "change")
            report = dataclasses.replace(report, base=base, head=head, merge_base=subject.base_sha)
        return publish_all(report, subject, self.inputs(**inputs), job or self.job(permissions), why=why)

    def check(self, number: int | str | None = None) -> dict[str, Any]:
        """The one Check Run about a pull request."""
        begins = f"assay-action:{number or self.number}:"
        (found,) = [one for one in self.checks() if one["external_id"].startswith(begins)]
        return found

    def checks(self) -> list[dict[str, Any]]:
        return self.github.check_runs(self.head, name="Assay")

    def repo(self, permissions: dict[str, str] | None = None) -> Repo:
        return self.job(permissions).repo()

    def writes(self) -> list[str]:
        return [f"{one.method} {one.path}" for one in self.github.requests if one.method != "GET"]


@pytest.fixture
def workflow(
    github: FakeGitHub, repository: RealRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Workflow:
    """A repository with an open pull request, and nobody who waits between two writes."""
    monkeypatch.setattr(pacing, "Clock", lambda: Clock(sleep=lambda _s: None))
    full_name = github.create_repository("shop")
    base = repository.commit("Start", {"README.md": "# Shop\n"})
    github.push(repository, "main")
    repository.branch("change")
    head = repository.commit("Change", dict.fromkeys(NAMES, LINES))
    github.push(repository, "change")
    number = github.open_pull("change", by="ada")
    folder = tmp_path / "work"
    folder.mkdir()
    return Workflow(github, repository, full_name, number, base, head, folder)
