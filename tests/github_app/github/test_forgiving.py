"""What GitHub refuses to some plans, servers and commits, and what that means."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from assay.github.client import Clock, Pace, Repo
from assay.github.client.connection import Connection
from assay.github.client.tokens import Scope, Tokens
from assay.github.errors import GithubRefused, GithubUnavailable
from tests.github_app.github.scripted import Reply, Scripted

PAID = Reply(403, {"message": "Upgrade to GitHub Pro or make this repository public to enable this feature."})
SHA = "a" * 40


@pytest.fixture
def server() -> Iterator[Scripted]:
    scripted = Scripted()
    yield scripted
    scripted.close()


@pytest.fixture
def repo(server: Scripted) -> Iterator[Repo]:
    pace = Pace(Clock(sleep=lambda _s: None), seconds_between_writes=0)
    with Repo.from_token("t", "acme/shop", server.url, pace=pace) as repo:
        yield repo


def test_a_plan_without_rule_sets_requires_what_its_protection_does(server: Scripted, repo: Repo):
    protection = {"required_status_checks": {"contexts": ["ci"]}}
    server.will(PAID, Reply(200, {"name": "main", "protection": protection}))
    assert repo.required_checks("main") == {"ci"}


def test_an_older_server_without_rule_sets_is_no_error(server: Scripted, repo: Repo):
    server.will(Reply(404, {"message": "Not Found"}), Reply(404, {"message": "Branch not found"}))
    assert repo.required_checks("main") == frozenset()


def test_a_server_in_trouble_is_not_taken_for_a_branch_without_rules(server: Scripted, repo: Repo):
    server.will(*[Reply(502)] * 3)
    with pytest.raises(GithubUnavailable):
        repo.required_checks("main")


@pytest.mark.parametrize("status", [404, 422])
def test_a_commit_github_does_not_know_is_looked_for_among_the_open(server: Scripted, repo: Repo, status: int):
    server.will(Reply(status, {"message": f"No commit found for SHA: {SHA}"}), Reply(200, []))
    assert repo.pulls_with_head(SHA) == ()
    assert server.asked[1].path.startswith("/repos/acme/shop/pulls?")


@pytest.mark.parametrize("answer", [{}, {"id": "x"}, [], None, {"id": 1, "number": 1, "head": {}, "base": {}}])
def test_an_answer_that_is_not_what_github_describes_is_no_answer(server: Scripted, repo: Repo, answer: object):
    server.will(Reply(200, answer))
    with pytest.raises(GithubUnavailable, match=r"github\.unreadable"):
        repo.pull(1)


@pytest.mark.parametrize("content", [{"type": "dir"}, [], {"type": "file", "encoding": "none", "content": ""},
                                     {"type": "file", "encoding": "base64", "content": "***"},
                                     {"type": "symlink", "target": "/etc/passwd"}])  # fmt: skip
def test_what_is_no_plain_file_has_no_content(server: Scripted, repo: Repo, content: object):
    server.will(Reply(200, content))
    assert repo.file("a", "main") is None


def test_a_run_created_without_an_id_is_no_run(server: Scripted, repo: Repo):
    server.will(Reply(201, {}))
    with pytest.raises(GithubUnavailable, match=r"github\.unreadable"):
        repo.create_review(1, SHA, "x", [])


def test_a_review_nobody_wants_is_told_as_refused(server: Scripted, repo: Repo):
    server.will(Reply(422, {"message": "Unprocessable Entity", "errors": ["Line must be part of the diff"]}))
    with pytest.raises(GithubRefused, match="part of the diff"):
        repo.create_review(1, SHA, "x", [])


def test_a_label_somebody_took_off_first_is_off(server: Scripted, repo: Repo):
    server.will(
        Reply(200, [{"name": "risk:low"}, {"name": "Risk:High"}]),
        Reply(404, {"message": "Label does not exist"}),
    )
    assert repo.set_risk_label(1, "low")
    assert [one.method for one in server.asked] == ["GET", "DELETE"]
    server.will(Reply(200, [{"name": "risk:low"}, {"name": "risk:high"}]), Reply(410, {"message": "Gone"}))
    with pytest.raises(GithubRefused, match="older risk label"):
        repo.set_risk_label(1, "low")


@pytest.mark.parametrize("answer", [{}, {"token": ""}, {"token": 7}, [], None])
def test_an_answer_without_a_token_is_no_answer(server: Scripted, answer: object):
    server.will(Reply(201, answer))
    with (
        Connection(server.url, None, Pace()) as connection,
        pytest.raises(GithubUnavailable, match="has no token"),
    ):
        Tokens(connection, Clock()).get(Scope.of(1, 2, {"metadata": "read"}))


@pytest.mark.parametrize("expires_at", [None, "soon", "2026-11-22T03:00:00"])
def test_a_token_that_does_not_say_when_it_ends_lives_an_hour(server: Scripted, expires_at: object):
    server.will(Reply(201, {"token": "ghs_x", "expires_at": expires_at, "repositories": [{"id": 9}, "x"]}))
    with Connection(server.url, None, Pace()) as connection:
        token = Tokens(connection, Clock()).get(Scope.of(1, 2, {"metadata": "read"}))
    assert timedelta(minutes=59) < token.expires_at - datetime.now(UTC) <= timedelta(hours=1)
    assert token.full_name is None


def test_a_renamed_repository_is_written_to_under_its_new_name(server: Scripted):
    answer = {
        "token": "ghs_x",
        "expires_at": "2999-01-01T00:00:00Z",
        "repositories": [{"id": 2, "full_name": "acme/new"}],
    }
    server.will(Reply(201, answer))
    with Connection(server.url, None, Pace()) as connection:
        assert Tokens(connection, Clock()).get(Scope.of(1, 2, {"metadata": "read"})).full_name == "acme/new"


def test_no_more_tokens_are_kept_than_fit(server: Scripted, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("assay.github.client.tokens.MOST_TOKENS", 2)
    with Connection(server.url, None, Pace()) as connection:
        tokens = Tokens(connection, Clock())
        for number in (1, 2, 3, 2, 1):
            server.will(Reply(201, {"token": f"ghs_{number}", "expires_at": "2999-01-01T00:00:00Z"}))
            assert tokens.get(Scope.of(number, None, {"metadata": "read"})).value.startswith("ghs_")
    assert len(server.asked) == 4, "the second was still there, the first had gone"
