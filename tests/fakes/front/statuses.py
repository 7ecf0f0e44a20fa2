"""Commit statuses, and all of a commit's in one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.fakes.front.exchange import Answer, Exchange, links_of, page_of, refused
from tests.fakes.front.mirror import git
from tests.fakes.front.routing import ROUTES

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

_STATES = {"error", "failure", "pending", "success"}


@ROUTES.on("POST", "/repos/{owner}/{repo}/statuses/{sha}")
async def create(front: Front, exchange: Exchange) -> Answer:
    """Set a status; the newest of a context counts."""
    body = exchange.json or {}
    if body.get("state") not in _STATES:
        return refused(422, "Validation Failed")
    sha = await commit_of(front, exchange.repo, exchange.params["sha"])
    if sha is None:
        return refused(422, f"No commit found for SHA: {exchange.params['sha']}")
    now, number = front.state.now(), next(front.state.ids)
    creator = await front.known(f"/users/{exchange.token.login or 'olivia'}")
    status = {
        "url": f"{front.url}/repos/{exchange.repo}/statuses/{sha}",
        "avatar_url": creator["avatar_url"],
        "id": number,
        "node_id": f"SC_{number}",
        "state": body["state"],
        "description": body.get("description"),
        "target_url": body.get("target_url"),
        "context": body.get("context", "default"),
        "created_at": now,
        "updated_at": now,
        "creator": creator,
    }
    front.state.statuses.setdefault((exchange.repo, sha), []).insert(0, status)
    payload = {name: status[name] for name in ("id", "state", "description", "target_url", "context", "created_at")}
    repository = await front.known(f"/repos/{exchange.repo}")
    more = {"sha": sha, "name": exchange.repo, "updated_at": now, "branches": [], "avatar_url": creator["avatar_url"]}
    commit = await front.known(f"/repos/{exchange.repo}/commits/{sha}")
    front.announce("status", payload | more | {"commit": commit, "repository": repository, "sender": creator})
    return Answer(201, status)


@ROUTES.on("GET", "/repos/{owner}/{repo}/commits/{ref}/statuses")
async def listed(front: Front, exchange: Exchange) -> Answer:
    """Every status a commit ever got, newest first."""
    sha = await commit_of(front, exchange.repo, exchange.params["ref"])
    if sha is None:
        return refused(404, "Not Found")
    statuses = front.state.statuses.get((exchange.repo, sha), [])
    return Answer(200, page_of(statuses, exchange), links_of(len(statuses), exchange, front.url))


@ROUTES.on("GET", "/repos/{owner}/{repo}/commits/{ref}/status")
async def combined(front: Front, exchange: Exchange) -> Answer:
    """The newest status of each context, and what they come to."""
    sha = await commit_of(front, exchange.repo, exchange.params["ref"])
    if sha is None:
        return refused(404, "Not Found")
    newest: dict[str, dict[str, Any]] = {}
    for status in front.state.statuses.get((exchange.repo, sha), []):
        newest.setdefault(status["context"], {name: value for name, value in status.items() if name != "creator"})
    states = {each["state"] for each in newest.values()}
    bad, waiting = states & {"error", "failure"}, "pending" in states or not states
    here = f"{front.url}/repos/{exchange.repo}/commits/{sha}"
    return Answer(
        200,
        {
            "state": "failure" if bad else "pending" if waiting else "success",
            "statuses": page_of(list(newest.values()), exchange),
            "sha": sha,
            "total_count": len(newest),
            "repository": await front.known(f"/repos/{exchange.repo}"),
            "commit_url": here,
            "url": f"{here}/status",
        },
        links_of(len(newest), exchange, front.url),
    )


async def commit_of(front: Front, repo: str, ref: str) -> str | None:
    """The commit a branch, tag or id means; `None` if there is none."""
    bare = front.state.repositories.get(repo)
    if bare is None or ref.startswith("-"):
        return None

    def look() -> str:
        for name in (ref, f"refs/{ref}", f"refs/heads/{ref}", f"refs/tags/{ref}"):
            if (
                found := git(bare, "rev-parse", "--quiet", "--verify", f"{name}^{{commit}}", check=False)
                .decode()
                .strip()
            ):
                return found
        return ""

    return await asyncio.to_thread(look) or None
