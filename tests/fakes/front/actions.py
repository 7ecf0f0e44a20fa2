"""GitHub Actions: runs, and what they left behind."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tests.fakes.front.exchange import Answer, Exchange, page_of, refused
from tests.fakes.front.routing import ROUTES

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

_RUNS = "/repos/{owner}/{repo}/actions/runs"
_ARTIFACTS = "/repos/{owner}/{repo}/actions/artifacts"


@ROUTES.on("GET", _RUNS)
async def runs(front: Front, exchange: Exchange) -> Answer:
    """The runs of a repository, newest first."""
    found = [run for (repo, _), run in list(front.state.workflow_runs.items()) if repo == exchange.repo][::-1]
    for name in ("head_sha", "event", "status"):
        if wanted := exchange.query.get(name):
            found = [run for run in found if wanted in (run[name], run["conclusion"] if name == "status" else None)]
    return Answer(200, {"total_count": len(found), "workflow_runs": page_of(found, exchange)})


@ROUTES.on("GET", _RUNS + "/{run_id}")
async def run(front: Front, exchange: Exchange) -> Answer:
    """One run."""
    found = front.state.workflow_runs.get((exchange.repo, int(exchange.params["run_id"])))
    return Answer(200, found) if found else refused(404, "Not Found")


@ROUTES.on("GET", _RUNS + "/{run_id}/artifacts")
async def of_run(front: Front, exchange: Exchange) -> Answer:
    """What one run left behind."""
    wanted = int(exchange.params["run_id"])
    return _listed(front, exchange, lambda each: each["workflow_run"]["id"] == wanted)


@ROUTES.on("GET", _ARTIFACTS)
async def artifacts(front: Front, exchange: Exchange) -> Answer:
    """What all runs left behind."""
    return _listed(front, exchange, lambda _: True)


@ROUTES.on("GET", _ARTIFACTS + "/{artifact_id}")
async def artifact(front: Front, exchange: Exchange) -> Answer:
    """One artifact's description."""
    found = front.state.artifacts.get((exchange.repo, int(exchange.params["artifact_id"])))
    return Answer(200, found["shown"]) if found else refused(404, "Not Found")


@ROUTES.on("GET", _ARTIFACTS + "/{artifact_id}/{archive_format}")
async def download(front: Front, exchange: Exchange) -> Answer:
    """Where to fetch it: an address that asks for no token, and is not meant to be given one."""
    number = int(exchange.params["artifact_id"])
    found = front.state.artifacts.get((exchange.repo, number))
    if found is None:
        return refused(404, "Not Found")
    if found["shown"]["expired"]:
        return refused(410, "Artifact has expired")
    return Answer(302, None, {"location": found["store"] or f"{front.url}/_bed/artifacts/{exchange.repo}/{number}"})


@ROUTES.on("GET", "/_bed/artifacts/{owner}/{repo}/{artifact_id}")
async def content(front: Front, exchange: Exchange) -> Answer:
    """The ZIP itself."""
    if "authorization" in exchange.headers:
        front.state.violations.append("a token was sent to the store of artifacts, which belongs to somebody else")
    found = front.state.artifacts[(exchange.repo, int(exchange.params["artifact_id"]))]
    return Answer(200, found["zip"], {"content-type": "application/zip"})


def keep(
    front: Front, repo: str, run: dict[str, Any], name: str, packed: bytes, *, store: str | None = None, **more: Any
) -> int:
    """Keep a ZIP as an artifact of a run, at our own store or another address; gives its id."""
    number, now = next(front.state.ids), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    here = f"{front.url}/repos/{repo}/actions/artifacts/{number}"
    origin = {
        "id": run["id"],
        "repository_id": run["repository"]["id"],
        "head_repository_id": run["head_repository"]["id"],
        "head_branch": run["head_branch"],
        "head_sha": run["head_sha"],
    }
    shown = {
        "id": number, "node_id": f"A_{number}", "name": name, "size_in_bytes": len(packed), "url": here,
        "archive_download_url": f"{here}/zip", "expired": False, "created_at": now, "updated_at": now,
        "expires_at": now, "digest": f"sha256:{hashlib.sha256(packed).hexdigest()}", "workflow_run": origin,
    }  # fmt: skip
    kept = {"shown": shown | more, "zip": packed, "attempt": run["run_attempt"], "store": store}
    front.state.artifacts[(repo, number)] = kept
    return number


def _listed(front: Front, exchange: Exchange, fits: Any) -> Answer:
    # GitHub lists the newest first.
    found = [each["shown"] for (repo, _), each in reversed(front.state.artifacts.items()) if repo == exchange.repo]
    found = [each for each in found if fits(each) and exchange.query.get("name") in (None, each["name"])]
    return Answer(200, {"total_count": len(found), "artifacts": page_of(found, exchange)})
