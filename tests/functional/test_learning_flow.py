"""Reviews teach the App as it is run: real webhooks, a real worker, replies on a GitHub that nobody here wrote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.github_app.store import RuleState, Store
from tests.fakes.github import FakeGitHub
from tests.fakes.github_server import GitHubServer
from tests.github_app.processes import AppProcess, environment_for, wait_ready
from tests.repositories import RealRepository

pytestmark = pytest.mark.timeout(300)
PATIENCE_S = 60
NO_ANY = "Please use explicit types instead of `any`."
NO_ANY_AGAIN = "Use explicit types here instead of `any`, please."


class Yard:
    """A repository with the App, and reviewers who may write in it."""

    def __init__(self, github: FakeGitHub, repository: RealRepository, data: Path) -> None:
        self.github = github
        self.repository = repository
        self.data = data
        github.create_repository("yard")
        for login, role in (("ada", "write"), ("mary", "write"), ("bo", "write"), ("cy", "write"), ("rick", "read")):
            github.person(login, role=role)
        settings = "learning: {confirmedBy: quorum}\n"
        repository.commit("Start", {"app.ts": "export const x = 1;\n", ".github/assay.yml": settings})
        github.push(repository, "main")

    def open(self, branch: str) -> int:
        self.repository.branch(branch, "main")
        self.repository.commit(f"Change {branch}", {"app.ts": f"export const x: any = '{branch}';\n"})
        self.github.push(self.repository, branch, by="ada")
        return int(self.github.open_pull(branch, by="ada", title=f"Change {branch}"))

    def review(self, number: int, body: str, by: str) -> None:
        notes = [{"path": "app.ts", "line": 1, "side": "RIGHT", "body": body}]
        self.github.review(number, "COMMENT", "", notes, by=by)

    def replies(self, number: int) -> list[dict[str, Any]]:
        said = self.github.get(f"/repos/acme/yard/pulls/{number}/comments?per_page=100")
        return [one for one in said if one["user"]["login"] == f"{self.github.app_slug}[bot]"]

    def store(self) -> Store:
        return Store.open(f"sqlite:///{self.data / 'assay.sqlite'}", migrate=False)


@pytest.fixture
def yard(github_server: GitHubServer, tmp_path: Path) -> Iterator[Yard]:
    """A yard, and the App as a process that looks after it."""
    github, data = FakeGitHub(github_server, tmp_path / "github"), tmp_path / "data"
    environment = environment_for(github, data)
    process = AppProcess("serve", environment, tmp_path / "app.log")
    process.start()
    try:
        github.deliver_to(f"{wait_ready(environment, process)}/webhooks/github")
        yield Yard(github, RealRepository(tmp_path / "repository"), data)
        assert "Traceback" not in process.said(), process.said()
    finally:
        process.close()
        violations = github.state.violations
        github.close()
    assert not violations, "GitHub would not know these requests:\n" + "\n".join(violations)


@pytest.mark.soak
def test_what_three_reviewers_say_becomes_a_rule_and_is_answered_where_it_came_back(yard: Yard):
    github = yard.github
    first, second, third = (yard.open(f"claude/{name}") for name in ("one", "two", "three"))
    repository_id = github.repository_id()
    with yard.store() as store:

        def state() -> str:
            rows = [one for one in store.rules.of(repository_id) if one.state is not RuleState.quarantined]
            assert len(rows) <= 1
            return str(rows[0].state) if rows else ""

        yard.review(first, NO_ANY, by="rick")
        yard.review(first, NO_ANY, by="mary")
        github.wait(lambda: state() == RuleState.pending, timeout_s=PATIENCE_S)
        yard.review(second, f"{NO_ANY_AGAIN} <!-- and more -->", by="bo")
        yard.review(second, NO_ANY_AGAIN, by="bo")
        github.wait(lambda: state() == RuleState.confirmed, timeout_s=PATIENCE_S)
        yard.review(third, NO_ANY, by="cy")
        (reply,) = github.wait(lambda: yard.replies(third), timeout_s=PATIENCE_S)
        for told in ("2 earlier pull requests", f"/pull/{first}#discussion_r", "`mary`", "`bo`", "`claude-code`"):
            assert told in reply["body"]

        reviews = [one for one in github.deliveries if one.event == "pull_request_review_comment"]
        for one in reviews:
            github.redeliver(one)
        github.settled(timeout_s=30)
        (row,) = store.rules.of(repository_id, [RuleState.confirmed])
        assert [one.reviewer for one in store.rules.sources(repository_id, row.rule_id) if one.counts] == [
            "mary",
            "bo",
            "cy",
        ]
        assert len(yard.replies(third)) == 1
        assert len(yard.replies(first)) == 0
        matches = store.rules.matches(repository_id, number=third)
        assert [(one.num_pulls_before, one.reply_id) for one in matches] == [(2, reply["id"])]
