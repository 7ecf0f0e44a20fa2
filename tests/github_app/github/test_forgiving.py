"""What GitHub refuses to some plans, servers and commits, and what that means."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from assay.github.client import Clock, Github, Pace, Repo
from assay.github.client.requester import GithubRequester
from assay.github.client.tokens import InstallationAuth
from assay.github.errors import GithubRefused, GithubUnavailable
from tests.fakes.github import FakeGitHub
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


@pytest.mark.parametrize("nobody", [None, {}])
def test_a_commit_without_an_account_has_no_author_rather_than_a_ghost(server: Scripted, repo: Repo, nobody: object):
    by = {"name": "Ada", "email": "ada@example.org"}
    commit = {"sha": SHA, "commit": {"message": "Fix", "author": by}, "author": nobody, "committer": nobody}
    server.will(Reply(200, [commit, {"sha": SHA, "commit": {"message": None, "author": None}}]))
    first, second = repo.commits_of(1)
    assert (first.author, first.committer, first.author_name, first.author_email) == (None, None, *by.values())
    assert (second.message, second.author_name) == ("", "")


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
    with pytest.raises(GithubRefused, match="DELETE"):
        repo.set_risk_label(1, "low")


UNTIL = "2999-01-01T00:00:00Z"


@pytest.mark.parametrize(
    "answer",
    [
        *({"token": token, "expires_at": UNTIL} for token in ("", 7)),
        *({"token": "xxxx", "expires_at": until} for until in (None, "soon", "2026-11-22T03:00:00")),
        {},
        [],
        None,
    ],
)
def test_an_answer_without_a_token_and_its_end_is_no_answer(server: Scripted, answer: object):
    server.will(Reply(201, answer))
    with closing(GithubRequester(server.url, None, Pace())) as requester:
        auth = InstallationAuth(requester, 1, 2, [("metadata", "read")])
        with pytest.raises(GithubUnavailable, match=r"github\.unreadable") as caught:
            assert auth.token
    assert "xxx" not in str(caught.value)


def test_a_renamed_repository_is_written_to_under_its_new_name(server: Scripted):
    answer = {"token": "ghs_x", "expires_at": UNTIL, "repositories": [{"id": 2, "full_name": "acme/new"}]}
    server.will(Reply(201, answer))
    with closing(GithubRequester(server.url, None, Pace())) as requester:
        assert InstallationAuth(requester, 1, 2, [("metadata", "read")]).full_name == "acme/new"


def test_no_more_tokens_are_kept_than_fit(github: FakeGitHub, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("assay.github.client.application.MOST_TOKENS", 2)
    with Github(github.app_id, github.private_key, github.url) as app:
        permissions = [{"metadata": "read"}, {"contents": "read"}, {"checks": "read"}]
        number = github.repository_id(github.create_repository("shop"))
        for kind in (0, 1, 2, 1, 0):
            app.token(github.installation_id, number, permissions[kind])
    made = [one for one in github.requests if one.path.endswith("/access_tokens")]
    assert len(made) == 4, "the second was still there, the first had gone"
