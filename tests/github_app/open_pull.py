"""A pull request on the fake GitHub whose files are those the sample report speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from assay.github.client import Clock, Github, Repo
from assay.github_app.ops.permissions import FOR_PUBLISHING, FOR_SARIF
from tests.fakes.github import FakeGitHub
from tests.repositories import RealRepository

LINES = "".join(f"line_{number} = {number}\n" for number in range(1, 301))


@dataclass
class OpenPull:
    """Where it is and what its head is; `repo` is the product's way in."""

    github: FakeGitHub
    repository: RealRepository
    full_name: str
    number: int
    head: str
    repo: Repo

    def push(self, files: dict[str, str]) -> str:
        """A new head."""
        self.head = self.repository.commit("More", files)
        self.github.push(self.repository, "change")
        return self.head


@pytest.fixture
def app(github: FakeGitHub) -> Iterator[Github]:
    """The App, in no hurry to wait."""
    clock = Clock(sleep=lambda _s: None)
    with Github(github.app_id, github.private_key, github.url, seconds_between_writes=0, clock=clock) as app:
        yield app


@pytest.fixture
def opened(github: FakeGitHub, repository: RealRepository, app: Github) -> Iterator[OpenPull]:
    """An open pull request that adds `src/uploads/client.py` and its test."""
    full_name = github.create_repository("shop")
    repository.commit("Start", {"README.md": "# Shop\n"})
    github.push(repository, "main")
    repository.branch("change")
    names = ("src/uploads/client.py", "src/uploads/retry.py", "tests/test_retry.py", "tests/test_client.py")
    head = repository.commit("Change", dict.fromkeys(names, LINES))
    github.push(repository, "change")
    number = github.open_pull("change", by="ada")
    with into(github, app, full_name) as repo:
        yield OpenPull(github, repository, full_name, number, head, repo)


def into(github: FakeGitHub, app: Github, full_name: str) -> Repo:
    """The way in with what publishing takes."""
    repository_id = github.get(f"/repos/{full_name}")["id"]
    permissions = {**FOR_PUBLISHING, **FOR_SARIF}
    return app.repository(github.installation_id, repository_id, full_name, permissions=permissions)
