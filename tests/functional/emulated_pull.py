"""Emulated pull requests, through an App that is started some other way than from this environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.fakes.github import FakeGitHub
from tests.repositories import RealRepository


def validated_pull(
    github: FakeGitHub,
    repository: RealRepository,
    url: str,
    *,
    more: Mapping[str, str] | None = None,
    timeout_s: float = 120,
) -> str:
    """Open a pull request in a repository with the files `more`; return the conclusion of its Check Run.

    Webhooks are delivered to `url`.
    """
    github.deliver_to(f"{url}/webhooks/github")
    github.create_repository("shop")
    repository.commit("Start", {"app.py": "def total(x):\n    return x\n", **(more or {})})
    github.push(repository, "main")
    repository.branch("change")
    head = repository.commit("Change", {"app.py": "def total(x):\n    return x + 1\n"})
    github.push(repository, "change")
    number = github.open_pull("change", by="ada", title="A change", body="")
    (run,) = github.wait(
        lambda: [one for one in github.check_runs(head, name="Assay") if one["status"] == "completed"],
        timeout_s=timeout_s,
    )
    github.wait(lambda: [label for label in github.labels(number) if label.startswith("risk:")])
    return str(run["conclusion"])


def changed(github: FakeGitHub, repository: RealRepository, name: str) -> str:
    """Open one more pull request; the id of its head."""
    repository.git("checkout", "--quiet", "main")
    repository.branch(name)
    head = repository.commit(name, {f"{name.replace('-', '_')}.py": "x = 1\n"})
    github.push(repository, name)
    github.open_pull(name, by="ada", title=name, body="")
    return head


def run_of(github: FakeGitHub, head: str) -> dict[str, Any]:
    """The one Check Run of a head, once it has a verdict."""

    def ended() -> list[dict[str, Any]]:
        return [one for one in github.check_runs(head, name="Assay") if one["status"] == "completed"]

    (run,) = github.wait(ended, timeout_s=180)
    return dict(run)
