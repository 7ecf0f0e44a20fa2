"""A pull request with its checks, rules and labels in one GraphQL query, out of what the REST API shows of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fakes.front.exchange import Answer, Exchange, NotHere
from tests.fakes.front.permissions import lacking
from tests.fakes.front.routing import ROUTES

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

_MOST_SUITES = 50
_MOST = 100
_LEVELS = ("low", "medium", "high", "critical")


class Forbidden(Exception):
    """The token may not read some of it."""


async def head_state(front: Front, exchange: Exchange, asked: dict[str, Any]) -> dict[str, Any]:
    """The `data` of the query; raises `NotHere`, `Forbidden`."""
    repo, here = f"{asked['owner']}/{asked['name']}", f"/repos/{asked['owner']}/{asked['name']}"

    async def read(path: str, *, is_needed: bool = True) -> Any:
        answer = await _rest(front, exchange, f"{here}/{path}")
        if answer.status == 200:
            return answer.body
        if answer.status == 403:
            raise Forbidden
        if is_needed:
            raise NotHere(path)
        return None

    pull = await read(f"pulls/{asked['number']}")
    conversation = await read(f"issues/{asked['number']}/comments?per_page=100")
    branch = await read(f"git/ref/heads/{pull['base']['ref']}", is_needed=False)
    base = {"target": {"oid": branch["object"]["sha"]}} if branch else None
    made = {label["name"] for label in await read("labels?per_page=100")}
    found: dict[str, Any] = {level: {"name": name} if (name := f"risk:{level}") in made else None for level in _LEVELS}
    if asked["checks"]:
        required = front.state.required_checks.get((repo, pull["base"]["ref"]), [])
        rules = [{"parameters": {"requiredStatusChecks": [{"context": name} for name in required]}}] if required else []
        if base:
            base["rules"] = _connection(rules)
        found["object"] = await _commit(front, here, read, asked["head"])
    found["pullRequest"] = {
        "headRefOid": pull["head"]["sha"],
        "baseRefName": pull["base"]["ref"],
        "state": "MERGED" if pull["merged"] else pull["state"].upper(),
        "isDraft": pull["draft"],
        "title": pull["title"],
        "labels": _connection([{"name": label["name"]} for label in pull["labels"]]),
        "comments": {"totalCount": len(conversation)},
        "baseRef": base,
    }
    return {"repository": found}


async def _commit(front: Front, here: str, read: Any, sha: str) -> dict[str, Any] | None:
    if await read(f"commits/{sha}/check-runs", is_needed=False) is None:
        return None
    runs = await front.known(f"{here}/commits/{sha}/check-runs?filter=latest")
    # The emulator has one suite a commit; GitHub one for each App.
    suites: dict[tuple[int, int], dict[str, Any]] = {}
    for run in runs["check_runs"]:
        app = {"id": run["app"]["id"], "slug": run["app"]["slug"]}
        suite = suites.setdefault((run["check_suite"]["id"], run["app"]["id"]), {"app": app, "runs": []})
        suite["runs"].append(_check_run(run))
    nodes = [
        {"id": number, "app": suite["app"], "checkRuns": _connection(suite["runs"])}
        for (number, _), suite in suites.items()
    ]
    statuses = (await read(f"commits/{sha}/status?per_page=100"))["statuses"]
    contexts = [
        {
            "context": one["context"],
            "state": one["state"].upper(),
            "description": one["description"],
            "target_url": one["target_url"],
            "created_at": one["created_at"],
        }
        for one in statuses
    ]
    return {
        "status": {"contexts": contexts} if contexts else None,
        "checkSuites": _connection(nodes, _MOST_SUITES),
    }


def _check_run(run: dict[str, Any]) -> dict[str, Any]:
    return {
        **{
            name: run[name]
            for name in ("id", "name", "started_at", "completed_at", "html_url", "details_url", "external_id")
        },
        "status": run["status"].upper(),
        "conclusion": run["conclusion"].upper() if run["conclusion"] else None,
        "title": run["output"]["title"],
        "summary": run["output"]["summary"],
    }


def _connection(nodes: list[Any], most: int = _MOST) -> dict[str, Any]:
    return {"pageInfo": {"hasNextPage": len(nodes) > most}, "nodes": nodes[:most]}


async def _rest(front: Front, exchange: Exchange, address: str) -> Answer:
    """Ask one of the front's own routes, as the one who asked the query."""
    path, _, query = address.partition("?")
    inner = Exchange("GET", path, query, exchange.headers, b"", token=exchange.token)
    if denied := lacking(front, inner):
        return denied
    handler = ROUTES.find(inner)
    try:
        return await (handler(front, inner) if handler else front.passed_on(inner))
    except NotHere:
        return Answer(404)
