"""One repository, read and written on the fake GitHub; every request is compared with GitHub's own description."""

from __future__ import annotations

import pytest

from assay.github.client import ACTIONS, Github, Permission, Repo, Us, web_address
from assay.github.client.limits import MOST_FILE_BYTES, MOST_SARIF_BYTES, PER_PAGE
from assay.github.errors import GithubRefused
from assay.github.events.model import CommentFacts, Person
from assay.github_app.ops.permissions import FOR_READING
from tests.fakes.github import FakeGitHub
from tests.github_app.open_pull import OpenPull
from tests.repositories import RealRepository


@pytest.fixture
def reader(opened: OpenPull, app: Github) -> Repo:
    """The way in for looking things up."""
    github = opened.github
    return app.repository(github.installation_id, github.repository_id(), opened.full_name, permissions=FOR_READING)


@pytest.mark.soak
def test_a_pull_request_is_read_as_it_stands(opened: OpenPull, reader: Repo):
    pull = reader.pull(opened.number)
    assert (pull.number, pull.head_sha, pull.base_ref, pull.author.login) == (1, opened.head, "main", "ada")
    assert not pull.is_fork
    with pytest.raises(GithubRefused) as caught:
        reader.pull(99)
    assert caught.value.status == 404


@pytest.mark.soak
def test_the_pull_requests_of_a_commit_are_found_for_forks_too(opened: OpenPull, reader: Repo, tmp_path):
    fork = opened.github.fork("eve")
    opened.repository.branch("theirs")
    head = opened.repository.commit("From outside", {"new.py": "x = 1\n"})
    opened.github.push(opened.repository, "theirs", repo=fork)
    number = opened.github.open_pull("theirs", by="eve", from_fork=fork)
    (found,) = reader.pulls_with_head(head)
    assert (found.number, found.is_fork) == (number, True)
    assert reader.pulls_with_head("0" * 40) == ()
    assert {pull.number for pull in reader.open_pulls()} == {1, number}


@pytest.mark.soak
def test_commits_come_with_whom_git_and_github_know_them_by(opened: OpenPull, reader: Repo):
    # The emulator lists the base's commits as well.
    commit = {one.sha: one for one in reader.commits_of(opened.number)}[opened.head]
    assert commit.message.startswith("Change")
    assert "@" in commit.author_email


def test_the_lines_of_the_diff_are_those_github_shows(opened: OpenPull, reader: Repo):
    opened.push({"README.md": "# Shop\nmore\n"})
    shown = reader.lines_in_diff(opened.number)
    assert shown["README.md"] == {1, 2}
    assert 300 in shown["src/uploads/client.py"]
    assert 301 not in shown["src/uploads/client.py"]


@pytest.mark.parametrize("role", list(Permission))
def test_rights_are_told_apart_in_all_six_steps(opened: OpenPull, reader: Repo, role: Permission):
    opened.github.person("rui", role=role)
    assert reader.permission_of("rui") is role


@pytest.mark.soak
def test_who_is_not_known_has_no_rights(opened: OpenPull, reader: Repo):
    assert reader.permission_of("nobody-at-all") is Permission.none
    with pytest.raises(GithubRefused):
        reader.permission_of("..")


def test_rights_are_ordered():
    assert [one.rank for one in Permission] == list(range(6))
    assert Permission.maintain.at_least(Permission.write)
    assert not Permission.triage.at_least(Permission.write)


@pytest.mark.soak
def test_everybodys_checks_are_read_over_all_pages_each_name_once(opened: OpenPull, reader: Repo):
    for number in range(PER_PAGE + 5):
        opened.github.check(opened.head, f"ci {number}")
    opened.github.check(opened.head, "ci 1", "failure")
    opened.github.status(opened.head, "pending", "legacy")
    opened.github.status(opened.head, "error", "legacy")
    found = {(one.source, one.name): one for one in reader.checks(opened.head)}
    assert len(found) == PER_PAGE + 6
    assert found["check_run", "ci 1"].conclusion == "failure"
    assert found["status", "legacy"].conclusion == "failure"
    pages = [one.query["page"] for one in opened.github.requests if "page" in one.query]
    assert pages == ["2"]


@pytest.mark.soak
def test_what_a_branch_requires_is_read_without_the_right_to_administer(opened: OpenPull, reader: Repo):
    assert reader.required_checks("main") == frozenset()
    opened.github.require_checks("ci", "lint")
    assert reader.required_checks("main") == {"ci", "lint"}


@pytest.mark.soak
def test_a_file_is_read_at_a_revision(opened: OpenPull, reader: Repo):
    assert reader.file("README.md", "main") == b"# Shop\n"
    assert reader.file("src/uploads/client.py", "main") is None
    assert (reader.file("src/uploads/client.py", opened.head) or b"").startswith(b"line_1 = 1\n")
    assert reader.file("src", opened.head) is None
    with pytest.raises(GithubRefused):
        reader.file("src/../../../app", "main")
    assert MOST_FILE_BYTES == 1024 * 1024


def test_a_workflow_run_tells_whose_head_it_is_about(opened: OpenPull, reader: Repo):
    number = opened.github.workflow_run(opened.head)
    run = reader.workflow_run(number)
    assert (run.id, run.head_sha, run.trigger) == (number, opened.head, "pull_request")
    assert run.head_repository is not None
    assert run.head_repository.full_name == opened.full_name


@pytest.mark.soak
def test_comments_are_made_edited_and_reacted_to(opened: OpenPull):
    repo, github = opened.repo, opened.github
    made = repo.create_comment(opened.number, "hello")
    repo.edit_comment(made.id, "hello again")
    repo.react(made, "eyes")
    repo.react(made, "eyes")
    (comment,) = repo.comments(opened.number)
    assert comment.body == "hello again"
    assert repo.us.wrote(comment)
    assert github.reactions(made.id) == [("assay-test[bot]", "eyes")]


def test_a_comment_on_a_line_is_reacted_to_where_it_is(opened: OpenPull):
    note = {"path": "src/uploads/client.py", "line": 3, "side": "RIGHT", "body": "why?"}
    opened.github.review(opened.number, notes=[note], by="olivia")
    (comment,) = opened.repo.review_comments(opened.number)
    assert (comment.path, comment.line) == ("src/uploads/client.py", 3)
    opened.repo.create_comment(opened.number, "the emulator knows a bot once it has spoken")
    opened.repo.react(comment, "+1")
    assert opened.github.reactions(comment.id, place="pulls/comments") == [("assay-test[bot]", "+1")]


@pytest.mark.soak
def test_a_comment_of_any_length_is_taken(opened: OpenPull):
    opened.repo.create_comment(opened.number, "ü" * 80_000)
    assert len(opened.github.comments(opened.number)[0]["body"].encode()) <= 65_536


@pytest.mark.soak
def test_exactly_one_risk_label_stands_and_others_are_left_alone(opened: OpenPull):
    repo, github = opened.repo, opened.github
    github.label(opened.number, "bug", "risk:high", "risk:low", "risk:other")
    assert repo.set_risk_label(opened.number, "medium")
    assert sorted(github.labels(opened.number)) == ["bug", "risk:medium", "risk:other"]
    label = github.get(f"/repos/{opened.full_name}/labels/risk:medium")
    assert (label["color"], bool(label["description"])) == ("fbca04", True)


@pytest.mark.soak
def test_a_label_that_is_right_is_not_touched(opened: OpenPull):
    assert opened.repo.set_risk_label(opened.number, "high")
    before = len(opened.github.requests)
    assert not opened.repo.set_risk_label(opened.number, "high")
    assert [str(one) for one in opened.github.requests[before:]] == ["GET /repos/acme/shop/issues/1/labels -> 200"]


@pytest.mark.soak
def test_a_label_somebody_gave_another_colour_keeps_it(opened: OpenPull):
    body = {"name": "risk:low", "color": "123456", "description": "ours"}
    opened.github.as_person("olivia", "POST", f"/repos/{opened.full_name}/labels", body)
    opened.repo.set_risk_label(opened.number, "low")
    assert opened.github.get(f"/repos/{opened.full_name}/labels/risk:low")["color"] == "123456"


@pytest.mark.soak
def test_sarif_goes_packed_with_the_commit_it_is_about(opened: OpenPull):
    opened.repo.upload_sarif(opened.head, "refs/pull/1/head", b'{"version": "2.1.0", "runs": []}')
    (upload,) = opened.github.sarifs
    assert (upload["commit_sha"], upload["ref"]) == (opened.head, "refs/pull/1/head")


@pytest.mark.soak
def test_sarif_that_is_too_large_is_not_sent(opened: OpenPull, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("assay.github.client.endpoints.runs.MOST_SARIF_BYTES", 100)
    before = len(opened.github.requests)
    with pytest.raises(GithubRefused, match="GitHub's limit is 100") as caught:
        opened.repo.upload_sarif(opened.head, "refs/pull/1/head", bytes(range(256)))
    assert caught.value.status == 413
    assert len(opened.github.requests) == before
    assert MOST_SARIF_BYTES == 10 * 1024 * 1024


def test_the_app_knows_itself_and_where_it_is_installed(github: FakeGitHub, app: Github):
    github.create_repository("shop")
    github.create_repository("shed")
    assert app.us() == Us(f"{github.app_slug}[bot]", github.app_id)
    assert app.installation_of("acme/shop") == github.installation_id
    assert {one.full_name for one in app.repositories(github.installation_id)} == {"acme/shop", "acme/shed"}
    with pytest.raises(GithubRefused):
        app.installation_of("acme/elsewhere")


def test_webhooks_we_missed_are_found_and_sent_again(
    github: FakeGitHub, app: Github, repository: RealRepository, tmp_path
):
    github.create_repository("shop")
    repository.commit("Start", {"a.py": "x = 1\n"})
    github.push(repository, "main")
    github.deliver_to("http://127.0.0.1:9/webhooks/github")
    repository.commit("More", {"a.py": "x = 2\n"})
    github.push(repository, "main")
    github.settled()
    found, following = app.delivery_page(None)
    assert (len(found) > 0, following) == (True, None)
    assert not found[0].arrived
    assert found[0].event == "push"
    app.redeliver(found[0].id)
    github.wait(lambda: any(one.redelivery for one in github.deliveries))
    github.settled()


def test_an_enterprise_servers_address_works_as_well(github: FakeGitHub):
    full_name = github.create_repository("shop")
    with Github(github.app_id, github.private_key, f"{github.url}/api/v3") as app:
        repository_id = github.repository_id()
        repo = app.repository(github.installation_id, repository_id, full_name, permissions=FOR_READING)
        assert list(repo.open_pulls()) == []
        assert repo.web_url == f"{github.url}/acme/shop"


@pytest.mark.parametrize(
    ("api_url", "web"),
    [
        ("https://api.github.com", "https://github.com"),
        ("https://api.github.com/", "https://github.com"),
        ("https://api.acme.ghe.com", "https://acme.ghe.com"),
        ("https://github.acme.example/api/v3", "https://github.acme.example"),
        ("https://api.acme.example:8443/api/v3/", "https://api.acme.example:8443"),
        ("https://api.github.com.evil.example/api/v3", "https://api.github.com.evil.example"),
    ],
)
def test_the_address_for_people_follows_from_the_apis(api_url: str, web: str):
    assert web_address(api_url) == web


@pytest.mark.parametrize("name", ["", "shop", "a/b/c", "../..", "a/..", "/x"])
def test_a_repository_without_a_proper_name_is_refused(name: str):
    with pytest.raises(GithubRefused):
        Repo.from_token("t", name, "https://api.github.com")


def test_a_comment_is_ours_by_its_author_and_nobody_elses_word():
    us = Us.app(4001, "assay-test")
    bot, person = Person("assay-test[bot]", 1, "Bot"), Person("assay-test", 2, "User")
    assert us.wrote(CommentFacts(1, bot, "x", app_id=4001))
    assert us.wrote(CommentFacts(1, bot, "x"))
    assert not us.wrote(CommentFacts(1, bot, "x", app_id=15368))
    assert not us.wrote(CommentFacts(1, person, "x"))
    assert not us.wrote(CommentFacts(1, Person("eve", 3, "Bot"), "x"))
    assert ACTIONS.wrote(CommentFacts(1, Person("github-actions[bot]", 4, "Bot"), "x", app_id=15368))
