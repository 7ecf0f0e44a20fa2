"""What the emulator's objects lack beside GitHub's, put on wherever they appear: in answers and in webhooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.fakes.front.state import APP_ID, APP_NAME, APP_SLUG, ORGANIZATION, OWNER

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

ACTIONS = (15368, "github-actions", "GitHub Actions")
_LONG_AGO = "2026-01-01T00:00:00Z"
_ACCOUNT_URLS = {
    "url": "",
    "html_url": "",
    "followers_url": "/followers",
    "following_url": "/following",
    "gists_url": "/gists",
    "starred_url": "/starred",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events",
    "received_events_url": "/received_events",
}


def dress(front: Front, node: Any) -> Any:
    """The same JSON with what is missing filled in, in place."""
    if isinstance(node, list):
        for each in node:
            dress(front, each)
    elif isinstance(node, dict):
        for each in node.values():
            if isinstance(each, dict | list):
                dress(front, each)
        for signs, put_on in _WARDROBE:
            if node.keys() >= signs:
                put_on(front, node)
    return node


def app(front: Front, number: int = APP_ID, slug: str = APP_SLUG, name: str = APP_NAME) -> dict[str, Any]:
    """An App as it stands in other objects."""
    owner = {
        "login": "acme",
        "id": 1,
        "node_id": "O_1",
        "type": "Organization",
        "avatar_url": f"{front.url}/avatars/u/acme",
    }
    _dress_account(front, owner)
    return {
        "id": number,
        "slug": slug,
        "node_id": f"A_{number}",
        "client_id": f"Iv23li{number}",
        "owner": owner,
        "name": name,
        "description": None,
        "external_url": f"{front.url}/apps/{slug}",
        "html_url": f"{front.url}/apps/{slug}",
        "created_at": _LONG_AGO,
        "updated_at": _LONG_AGO,
        "permissions": {"checks": "write"},
        "events": [],
    }


def organization(front: Front) -> dict[str, Any]:
    """The organization as it stands in webhooks."""
    here = f"{front.url}/orgs/{ORGANIZATION}"
    urls = {f"{name}_url": f"{here}/{name}" for name in ("repos", "events", "hooks", "issues")}
    urls |= {"url": here, "avatar_url": f"{front.url}/avatars/u/{ORGANIZATION}"}
    urls |= {"members_url": f"{here}/members{{/member}}", "public_members_url": f"{here}/public_members{{/member}}"}
    return {"login": ORGANIZATION, "id": 1, "node_id": "O_1", "description": None} | urls


def _dress_check_run(front: Front, run: dict[str, Any]) -> None:
    state = front.state
    kept = state.check_runs.get(run["id"], {})
    repo = run["url"].split("/repos/")[1].split("/check-runs")[0]
    run["app"] = kept.get("app") or app(front)
    run["output"]["annotations_count"] = len(state.annotations.get(run["id"], []))
    run["output"]["annotations_url"] = f"{run['url']}/annotations"
    run["external_id"] = run["external_id"] or ""
    run["details_url"] = run["details_url"] or run["app"]["external_url"]
    run["pull_requests"] = pulls_with(front, repo, run["head_sha"])


def _dress_check_suite(front: Front, suite: dict[str, Any]) -> None:
    repo = suite["url"].split("/repos/")[1].split("/check-suites")[0]
    runs = [each for each in list(front.state.check_runs.values()) if each.get("suite") == suite["id"]]
    suite["app"] = runs[0]["app"] if runs else app(front)
    suite["pull_requests"] = pulls_with(front, repo, suite["head_sha"])
    suite["latest_check_runs_count"] = len(runs)
    suite["check_runs_url"] = f"{suite['url']}/check-runs"
    suite.setdefault("head_commit", _commit(suite["head_sha"]))


def _commit(sha: str) -> dict[str, Any]:
    person = {"name": "Ada Author", "email": "ada@example.org"}
    return {"id": sha, "tree_id": sha, "message": "", "timestamp": _LONG_AGO, "author": person, "committer": person}


def _dress_comment(front: Front, comment: dict[str, Any]) -> None:
    user = comment.get("user") or {}
    if user.get("login") == f"{APP_SLUG}[bot]":
        comment["performed_via_github_app"] = app(front)
    elif user.get("login") == f"{ACTIONS[1]}[bot]":
        comment["performed_via_github_app"] = app(front, *ACTIONS)


def _dress_pull(front: Front, pull: dict[str, Any]) -> None:
    repo = pull["url"].split("/repos/")[1].split("/pulls")[0]
    pull.setdefault("active_lock_reason", None)
    kept = front.state.pulls.get((repo, pull["number"]))
    if kept:
        kept["id"], kept["base_sha"] = pull["id"], pull["base"]["sha"]
        pull["mergeable"] = kept.get("mergeable", pull["mergeable"])
        pull["merge_commit_sha"] = pull["merge_commit_sha"] or kept.get("merge_commit_sha")


def pulls_with(front: Front, repo: str, sha: str) -> list[dict[str, Any]]:
    """Empty for heads in forks: there GitHub does not tell."""
    place = {"id": 1, "url": f"{front.url}/repos/{repo}", "name": repo.partition("/")[2]}
    return [
        {
            "id": pull.get("id", number),
            "number": number,
            "url": f"{front.url}/repos/{repo}/pulls/{number}",
            "head": {"ref": pull["head_ref"], "sha": sha, "repo": place},
            "base": {"ref": pull["base_ref"], "sha": pull.get("base_sha", ""), "repo": place},
        }
        for (name, number), pull in list(front.state.pulls.items())
        if name == repo == pull["head_repo"] and pull["head_sha"] == sha and pull["state"] == "open"
    ]


def _dress_line_comment(front: Front, comment: dict[str, Any]) -> None:
    comment.update(front.state.comment_lines.get(comment["id"], {}))
    if comment.get("in_reply_to_id") is None:
        comment.pop("in_reply_to_id", None)
    addresses = {"self": "url", "html": "html_url", "pull_request": "pull_request_url"}
    comment["_links"] = {name: {"href": comment[key]} for name, key in addresses.items()}


def _dress_repository(front: Front, repository: dict[str, Any]) -> None:
    repository.setdefault("network_count", repository["forks_count"])
    repository.setdefault("subscribers_count", 0)


def _dress_installation(front: Front, installation: dict[str, Any]) -> None:
    if installation["account"]:
        installation.setdefault("target_id", installation["account"]["id"])
    installation["events"] = front.state.events
    if front.state.suspended:
        installation["suspended_at"] = installation["updated_at"]
        installation["suspended_by"] = {"login": OWNER, "id": 3, "node_id": "U_3", "avatar_url": "", "type": "User"}
        _dress_account(front, installation["suspended_by"])


def _dress_account(front: Front, account: dict[str, Any]) -> None:
    for name, rest in _ACCOUNT_URLS.items():
        account.setdefault(name, f"{front.url}/users/{account['login']}{rest}")
    account.setdefault("gravatar_id", "")
    account.setdefault("site_admin", False)
    account.setdefault("type", "Organization")


# Objects are known by the keys that only they have.
_WARDROBE: list[tuple[set[str], Callable[[Front, dict[str, Any]], None]]] = [
    ({"check_suite", "output"}, _dress_check_run),
    ({"head_sha", "before", "app"}, _dress_check_suite),
    ({"performed_via_github_app", "issue_url"}, _dress_comment),
    ({"pull_request_review_id", "diff_hunk"}, _dress_line_comment),
    ({"mergeable_state", "head"}, _dress_pull),
    ({"login", "node_id", "avatar_url"}, _dress_account),
    ({"full_name", "forks_count"}, _dress_repository),
    ({"account", "access_tokens_url"}, _dress_installation),
]
