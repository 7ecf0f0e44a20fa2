"""What GitHub remembers of the past: pushes to branches, the timeline of a pull request, commits since a day."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.fakes.front.exchange import Answer, Exchange, links_of, page_of, refused
from tests.fakes.front.mirror import git
from tests.fakes.front.routing import ROUTES

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

NOTHING = "0" * 40
# What is told by a webhook, and what the timeline calls it.
_TOLD = {
    "ready_for_review": "ready_for_review",
    "converted_to_draft": "convert_to_draft",
    "closed": "closed",
    "reopened": "reopened",
}


@ROUTES.on("GET", "/repos/{owner}/{repo}/activity")
async def activity(front: Front, exchange: Exchange) -> Answer:
    """The pushes to a branch, newest first."""
    wanted = exchange.query.get("ref", "")
    found = [
        {
            "id": number,
            "node_id": f"PSH_{number}",
            "before": push["before"],
            "after": push["after"],
            "ref": f"refs/heads/{push['branch']}",
            "timestamp": push["at"],
            "activity_type": _kind(push),
            "actor": await front.known(f"/users/{push['by']}"),
        }
        for number, push in enumerate(front.state.pushes, 1)
        if push["repo"] == exchange.repo and wanted in ("", push["branch"], f"refs/heads/{push['branch']}")
    ]
    found.reverse()
    return Answer(200, page_of(found, exchange), links_of(len(found), exchange, front.url))


@ROUTES.on("GET", "/repos/{owner}/{repo}/issues/{issue_number}/timeline")
async def timeline(front: Front, exchange: Exchange) -> Answer:
    """The commits of a pull request, and what was done to it; comments and reviews are left to their own lists."""
    number = int(exchange.params["issue_number"])
    pull = front.state.pulls.get((exchange.repo, number))
    if pull is None:
        return refused(404, "Not Found")
    bare = front.state.repositories[exchange.repo]
    span = f"refs/heads/{pull['base_ref']}..{pull['head_sha']}"
    shas = (await asyncio.to_thread(git, bare, "rev-list", "--reverse", span)).decode().split()
    found = [_committed(await front.known(f"/repos/{exchange.repo}/commits/{sha}")) for sha in shas]
    for delivery in list(front.state.deliveries):
        if delivery.event == "pull_request" and delivery.action in _TOLD:
            payload = delivery.payload
            if (payload["repository"]["full_name"], payload["number"]) == (exchange.repo, number):
                found.append(_happened(front, exchange, delivery.id, _TOLD[delivery.action], payload))
    return Answer(200, page_of(found, exchange), links_of(len(found), exchange, front.url))


@ROUTES.on("GET", "/repos/{owner}/{repo}/commits")
async def commits(front: Front, exchange: Exchange) -> Answer:
    """The commits of a branch since a time; the emulator knows no times here."""
    bare = front.state.repositories.get(exchange.repo)
    if bare is None:
        return refused(404, "Not Found")
    since = [f"--since={exchange.query['since']}"] if "since" in exchange.query else []
    branch = exchange.query.get("sha", "main")
    shas = (await asyncio.to_thread(git, bare, "rev-list", *since, branch)).decode().split()
    found = [await front.known(f"/repos/{exchange.repo}/commits/{sha}") for sha in page_of(shas, exchange)]
    for each in found:
        each.pop("files", None)
        each.pop("stats", None)
    return Answer(200, found, links_of(len(shas), exchange, front.url))


def threads_of(front: Front, comments: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The review threads of a pull request as GraphQL shows them, given its comments on lines."""
    found = []
    for first in (each for each in comments if not each.get("in_reply_to_id")):
        node_id = f"PRRT_{first['id']}"
        said = [
            delivery.action
            for delivery in list(front.state.deliveries)
            if delivery.event == "pull_request_review_thread" and delivery.payload["thread"]["node_id"] == node_id
        ]
        ids = [first["id"], *(each["id"] for each in comments if each.get("in_reply_to_id") == first["id"])]
        found.append(
            {
                "id": node_id,
                "isResolved": bool(said) and said[-1] == "resolved",
                "comments": {"nodes": [{"databaseId": number} for number in ids]},
            }
        )
    return found


def _kind(push: dict[str, str]) -> str:
    if push["after"] == NOTHING:
        return "branch_deletion"
    return "branch_creation" if push["before"] == NOTHING else "push"


def _committed(commit: dict[str, Any]) -> dict[str, Any]:
    inner = commit["commit"]
    return {
        "event": "committed",
        "sha": commit["sha"],
        "node_id": commit["node_id"],
        "url": commit["url"],
        "html_url": commit["html_url"],
        "message": inner["message"],
        "author": inner["author"],
        "committer": inner["committer"],
        "tree": inner["tree"],
        "parents": [{name: each[name] for name in ("sha", "url", "html_url")} for each in commit["parents"]],
        "verification": {"verified": False, "reason": "unsigned", "signature": None, "payload": None},
    }


def _happened(front: Front, exchange: Exchange, number: int, event: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": number,
        "node_id": f"EV_{number}",
        "url": f"{front.url}/repos/{exchange.repo}/issues/events/{number}",
        "actor": payload["sender"],
        "event": event,
        "commit_id": None,
        "commit_url": None,
        "created_at": payload["pull_request"]["updated_at"],
        "performed_via_github_app": None,
    }
