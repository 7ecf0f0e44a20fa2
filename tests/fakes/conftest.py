"""A repository with one open pull request, and the App's way of asking."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import jwt
import pytest

from tests.fakes.github import FakeGitHub
from tests.repositories import RealRepository


@dataclass(frozen=True, slots=True)
class Shop:
    """`acme/shop` with pull request 1: two lines of `app.py` change, `new.py` is added."""

    github: FakeGitHub
    work: RealRepository
    repo: str
    number: int
    base: str
    head: str


@pytest.fixture
def shop(github: FakeGitHub, repository: RealRepository) -> Shop:
    """The repository."""
    repo = github.create_repository("shop")
    lines = [f"line_{number} = {number}\n" for number in range(1, 31)]
    base = repository.commit("Start", {"app.py": "".join(lines), "folder/two.txt": "é\n"})
    github.push(repository, "main")
    repository.branch("change")
    lines[9] = "line_10 = 'ten'\n"
    head = repository.commit("Change", {"app.py": "".join(lines), "new.py": "x = 1\n"})
    github.push(repository, "change")
    return Shop(github, repository, repo, github.open_pull("change", title="A change"), base, head)


class Asking:
    """A client with a token of its own; answers are given back whatever their status."""

    def __init__(self, github: FakeGitHub, **permissions: str) -> None:
        self._client = httpx2.Client(base_url=github.url, timeout=10, trust_env=False, verify=False)
        self.token = app_jwt(github)
        if permissions:
            path = f"/app/installations/{github.installation_id}/access_tokens"
            self.token = self("POST", path, {"permissions": permissions}).json()["token"]

    def __call__(self, method: str, path: str, body: Any = None, **more: Any) -> httpx2.Response:
        """Ask."""
        headers = {"authorization": f"Bearer {self.token}"}
        return self._client.request(method, path, json=body, headers=headers, **more)

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()


def app_jwt(github: FakeGitHub, **claims: Any) -> str:
    """The App's own credentials."""
    now = int(time.time())
    whole = {"iss": str(github.app_id), "iat": now - 60, "exp": now + 500} | claims
    return jwt.encode(whole, github.private_key, algorithm="RS256")


@pytest.fixture
def asking(github: FakeGitHub) -> Iterator[Any]:
    """Make clients: `asking(checks="write")`; without permissions the App itself."""
    made: list[Asking] = []

    def make(**permissions: str) -> Asking:
        made.append(Asking(github, **permissions))
        return made[-1]

    yield make
    for each in made:
        each.close()
