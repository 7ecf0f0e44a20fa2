"""The fake GitHub behaves like GitHub where the App would notice."""

from __future__ import annotations

import hashlib
import hmac
import os
import subprocess
from pathlib import Path

import httpx2
import pytest
from github import Auth, Github

from tests.fakes.conftest import Shop, app_jwt
from tests.fakes.front.mirror import git

ALL = {"checks": "write", "pull_requests": "write", "contents": "read", "statuses": "read", "actions": "read"}


@pytest.mark.soak
def test_pygithub_reads_and_writes_here_as_it_does_there(shop: Shop):
    auth = Auth.AppAuth(shop.github.app_id, shop.github.private_key)
    installation = auth.get_installation_auth(shop.github.installation_id, ALL)
    url = shop.github.url
    with Github(auth=installation, base_url=url, seconds_between_requests=0, seconds_between_writes=0) as client:
        repo = client.get_repo(shop.repo)
        pull = repo.get_pull(shop.number)
        assert (pull.head.sha, pull.base.sha, pull.user.login) == (shop.head, shop.base, "ada")
        assert (pull.changed_files, pull.additions, pull.deletions, pull.commits) == (2, 2, 1, 1)
        assert [each.filename for each in pull.get_files()] == ["app.py", "new.py"]
        content = repo.get_contents("folder/two.txt", ref=shop.head)
        assert not isinstance(content, list)
        assert content.decoded_content.decode() == "é\n"
        run = repo.create_check_run("Assay", shop.head, status="in_progress", external_id="one")
        run.edit(status="completed", conclusion="success", output={"title": "Fine", "summary": "All is well"})
        assert [each.app.id for each in repo.get_commit(shop.head).get_check_runs()] == [shop.github.app_id]
        pull.add_to_labels("risk:low")
        comment = pull.create_issue_comment("Hello")
        comment.create_reaction("eyes")
        pull.create_review(body="See", event="COMMENT", comments=[{"path": "app.py", "line": 10, "body": "Ten?"}])
    assert shop.github.labels(shop.number) == ["risk:low"]
    (said,) = shop.github.comments(shop.number)
    assert said["performed_via_github_app"]["id"] == shop.github.app_id
    assert said["reactions_given"] == [("assay-test[bot]", "eyes")]
    (review,) = shop.github.reviews(shop.number)
    assert [(each["path"], each["line"]) for each in review["comments"]] == [("app.py", 10)]


@pytest.mark.soak
def test_a_commit_has_the_same_id_here_as_in_git(shop: Shop, asking):
    ask = asking(**ALL)
    commit = ask("GET", f"/repos/{shop.repo}/git/commits/{shop.head}").json()
    assert commit["tree"]["sha"] == shop.work.git("rev-parse", "HEAD^{tree}").strip()
    assert commit["author"]["date"] == "2024-01-01T12:01:00Z"
    assert [each["sha"] for each in commit["parents"]] == [shop.base]


def test_odd_names_and_contents_are_mirrored_too(github, repository):
    github.create_repository()
    repository.write(b"bad\xff name.bin", b"\x00\xff")
    repository.write("with space é.txt", "ok\n", executable=True)
    repository.link("link", "nowhere")
    sha = repository.commit("Odd \udcff message")
    assert github.push(repository) == sha
    assert github.get(f"/repos/acme/shop/git/commits/{sha}")["sha"] == sha


@pytest.mark.soak
def test_a_push_moves_the_head_and_says_so(shop: Shop):
    head = shop.work.commit("More", {"new.py": "x = 2\n"})
    shop.github.push(shop.work, "change", by="ada")
    assert shop.github.pull(shop.number)["head"]["sha"] == head
    said = shop.github.delivery("pull_request", "synchronize").payload
    assert (said["before"], said["after"], said["sender"]["login"]) == (shop.head, head, "ada")
    assert said["pull_request"]["head"]["sha"] == head
    assert said["installation"]["id"] == shop.github.installation_id
    assert shop.github.pull(shop.number)["commits"] == 2


def test_a_merge_is_a_merge_in_git(shop: Shop):
    sha = shop.github.merge(shop.number)
    pull = shop.github.pull(shop.number)
    assert (pull["merged"], pull["state"], pull["merge_commit_sha"]) == (True, "closed", sha)
    assert git(shop.github.bare(), "rev-parse", "main^2").decode().strip() == shop.head
    closed = shop.github.delivery("pull_request", "closed").payload
    assert closed["pull_request"]["merged"] is True
    assert shop.github.delivery("push").payload["ref"] == "refs/heads/main"


@pytest.mark.soak
def test_closing_reopening_and_drafts_are_announced(shop: Shop):
    github = shop.github
    github.mark_draft(shop.number)
    assert github.pull(shop.number)["draft"] is True
    github.mark_ready(shop.number)
    github.close_pull(shop.number)
    assert github.pull(shop.number)["state"] == "closed"
    github.reopen_pull(shop.number)
    github.edit_pull(shop.number, title="Another title")
    github.delivery("pull_request", "edited")
    told = [each.action for each in github.deliveries if each.event == "pull_request"]
    assert told == ["opened", "converted_to_draft", "ready_for_review", "closed", "reopened", "edited"]


@pytest.mark.soak
def test_a_fork_s_pull_request_is_found_under_the_base(shop: Shop, asking):
    fork = shop.github.fork("mallory")
    shop.work.switch("main")
    shop.work.branch("evil")
    head = shop.work.commit("From outside", {"evil.py": "x\n"})
    shop.github.push(shop.work, "evil", repo=fork, by="mallory")
    number = shop.github.open_pull("evil", by="mallory", from_fork=fork)
    pull = shop.github.pull(number)
    assert (pull["head"]["repo"]["full_name"], pull["head"]["sha"]) == (fork, head)
    assert git(shop.github.bare(), "rev-parse", f"refs/pull/{number}/head").decode().strip() == head
    ask = asking(**ALL)
    run = ask("POST", f"/repos/{shop.repo}/check-runs", {"name": "Assay", "head_sha": head}).json()
    assert run["pull_requests"] == []  # as with GitHub, which does not tell
    assert [each["number"] for each in ask("GET", f"/repos/{shop.repo}/commits/{head}/pulls").json()] == [number]
    assert ask("GET", f"/repos/{shop.repo}/collaborators/mallory/permission").json()["permission"] == "none"


def test_git_clones_with_a_token_and_only_with_one(shop: Shop, asking, tmp_path: Path):
    reader, writer = asking(contents="read").token, asking(checks="write").token

    def clone(token: str, *more: str, to: str) -> subprocess.CompletedProcess[str]:
        header = ["-c", f"http.extraHeader=Authorization: Bearer {token}"] if token else []
        command = ["git", *header, "clone", "--quiet", "--bare", *more, shop.github.clone_url(), str(tmp_path / to)]
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_TERMINAL_PROMPT": "0"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert clone("", to="a").returncode != 0
    assert "403" in clone(writer, to="b").stderr or "not found" in clone(writer, to="c").stderr
    assert clone(reader, "--filter=blob:none", to="d").returncode == 0
    missing = git(tmp_path / "d", "rev-list", "--objects", "--missing=print", "main", check=False).decode()
    assert "?" in missing  # a partial clone: no blobs
    fetch = ["-c", f"http.extraHeader=Authorization: Bearer {reader}", "fetch", "--quiet", "origin"]
    git(tmp_path / "d", *fetch, f"refs/pull/{shop.number}/head", f"+{shop.head}:refs/heads/there")
    assert git(tmp_path / "d", "rev-parse", "there").decode().strip() == shop.head


@pytest.mark.soak
def test_anybody_reads_what_is_public_and_nobody_writes_it_so(github, repository, tmp_path: Path):
    repo = github.create_repository("open", private=False)
    repository.commit("Start", {"app.py": "x = 1\n"})
    github.push(repository, "main")
    git(tmp_path, "clone", "--quiet", "--bare", github.clone_url(), "copy")
    with httpx2.Client(base_url=github.url, trust_env=False) as anybody:
        assert anybody.get(f"/repos/{repo}").status_code == 200
        assert anybody.post(f"/repos/{repo}/check-runs", json={"name": "x", "head_sha": "x"}).status_code == 401
        assert anybody.get("/repos/acme/none").status_code == 404


def test_a_token_does_what_it_was_made_for_and_no_more(shop: Shop, asking):
    reader, labeller = asking(contents="read", checks="read"), asking(pull_requests="write")
    run = {"name": "Assay", "head_sha": shop.head}
    refused = reader("POST", f"/repos/{shop.repo}/check-runs", run)
    assert (refused.status_code, refused.json()["message"]) == (403, "Resource not accessible by integration")
    assert refused.headers["x-accepted-github-permissions"] == "checks=write"
    # Labels and comments of pull requests need no permission for issues.
    assert labeller("POST", f"/repos/{shop.repo}/issues/1/labels", {"labels": ["x"]}).status_code == 200
    assert labeller("POST", f"/repos/{shop.repo}/issues/1/comments", {"body": "x"}).status_code == 201
    assert labeller("GET", f"/repos/{shop.repo}/contents/app.py").status_code == 403


def test_a_token_for_one_repository_knows_no_other(shop: Shop, asking):
    other = shop.github.create_repository("other")
    app = asking()
    path = f"/app/installations/{shop.github.installation_id}/access_tokens"
    made = app("POST", path, {"repositories": ["shop"], "permissions": {"metadata": "read"}}).json()
    app.token = made["token"]
    assert app("GET", f"/repos/{shop.repo}").status_code == 200
    assert app("GET", f"/repos/{other}").status_code == 404
    assert app("GET", "/installation/repositories").json()["total_count"] == 1
    assert app("DELETE", "/installation/token").status_code == 204
    assert app("GET", f"/repos/{shop.repo}").status_code == 401


@pytest.mark.parametrize(
    ("claims", "status"), [({}, 200), ({"exp": 10}, 401), ({"iss": "4002"}, 401), ({"exp": 9999999999}, 401)]
)
def test_the_app_s_own_credentials_are_checked(github, asking, claims, status):
    app = asking()
    app.token = app_jwt(github, **claims)
    assert app("GET", "/app").status_code == status


def test_nobody_gets_a_token_for_what_was_not_granted(shop: Shop, asking):
    app = asking()
    path = f"/app/installations/{shop.github.installation_id}/access_tokens"
    wanted = {"permissions": {"issues": "write"}}
    assert app("POST", path, wanted).status_code == 422
    shop.github.grant(issues="write", actions=None)
    assert app("POST", path, wanted).status_code == 201
    assert "actions" not in app("GET", "/app").json()["permissions"]
    assert app("POST", path, {"permissions": {"actions": "read"}}).status_code == 422


@pytest.mark.soak
def test_unknown_revoked_and_suspended_are_refused(shop: Shop, asking):
    ask = asking(**ALL)
    shop.github.suspend()
    assert ask("GET", f"/repos/{shop.repo}").status_code == 403
    shop.github.suspend(undo=True)
    assert ask("GET", f"/repos/{shop.repo}").status_code == 200
    shop.github.revoke_tokens()
    assert ask("GET", f"/repos/{shop.repo}").status_code == 401
    assert [each.action for each in shop.github.deliveries if each.event == "installation"] == ["suspend", "unsuspend"]


def test_robots_open_pull_requests_too(shop: Shop):
    number = shop.github.open_pull("change", base="main", by="copilot-swe-agent[bot]")
    user = shop.github.pull(number)["user"]
    assert (user["login"], user["type"]) == ("copilot-swe-agent[bot]", "Bot")


@pytest.mark.soak
def test_a_webhook_s_signature_is_right(shop: Shop):
    delivery = shop.github.delivery("pull_request", "opened")
    expected = hmac.new(shop.github.webhook_secret.encode(), delivery.body, hashlib.sha256).hexdigest()
    assert delivery.headers["X-Hub-Signature-256"] == f"sha256={expected}"


def test_one_test_s_state_is_gone_in_the_next(github, asking):
    assert github.requests == []
    assert asking()("GET", "/repos/acme/shop").status_code in {401, 404}
    assert github.deliveries == []
