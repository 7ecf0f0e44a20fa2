"""Check runs, with what the emulator forgets: whose they are, all annotations, the buttons, and GitHub's limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fakes.front.exchange import Answer, Exchange, links_of, page_of, refused
from tests.fakes.front.routing import ROUTES
from tests.fakes.front.state import APP_ID, APP_SLUG

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

_MOST_ANNOTATIONS = 50
_MOST_ACTIONS = 3
_LONGEST_TEXT = 65_535
_LONGEST_TITLE = 255
_LONGEST_MESSAGE = 64 * 1024
_ACTION_LENGTHS = {"label": 20, "description": 40, "identifier": 20}


@ROUTES.on("POST", "/repos/{owner}/{repo}/check-runs")
async def create(front: Front, exchange: Exchange) -> Answer:
    """Create a check run."""
    return await _write(front, exchange)


@ROUTES.on("PATCH", "/repos/{owner}/{repo}/check-runs/{check_run_id}")
async def update(front: Front, exchange: Exchange) -> Answer:
    """Update a check run; annotations are added to those it has."""
    known = front.state.check_runs.get(int(exchange.params["check_run_id"]))
    if known and exchange.token and exchange.token.kind == "installation" and known["app"]["id"] != APP_ID:
        return refused(403, "Invalid app_id `4001` - check run can only be modified by the GitHub App that created it.")
    return await _write(front, exchange)


async def _write(front: Front, exchange: Exchange) -> Answer:
    body = exchange.json or {}
    if wrong := _against_limits(body):
        return refused(422, "Invalid request.\n\n" + wrong)
    output = body.get("output") or {}
    # The emulator would keep the buttons under another name, and replace the annotations it has.
    passed = {name: value for name, value in body.items() if name != "actions"}
    if output:
        passed["output"] = {name: value for name, value in output.items() if name != "annotations"}
    if body.get("conclusion") and "status" not in body:
        passed["status"] = "completed"  # as the documentation says it does
    answer = await front.passed_on(exchange, passed)
    if answer.status >= 300:
        return answer
    number = answer.body["id"]
    state = front.state
    state.check_run_updates.setdefault(number, []).append(body)
    state.annotations.setdefault(number, []).extend(output.get("annotations") or [])
    kept = state.check_runs.setdefault(number, {"app": _app_of(front, exchange), "actions": [], "images": []})
    if "actions" in body:
        kept["actions"] = body["actions"]
    answer.body = shown(front, answer.body)
    return answer


def _against_limits(body: dict[str, Any]) -> str:
    output, actions = body.get("output") or {}, body.get("actions") or []
    annotations = output.get("annotations") or []
    if len(annotations) > _MOST_ANNOTATIONS:
        return f"No more than {_MOST_ANNOTATIONS} items are allowed; {len(annotations)} were supplied."
    for name, longest in (("summary", _LONGEST_TEXT), ("text", _LONGEST_TEXT), ("title", _LONGEST_TITLE)):
        # GitHub counts characters for the one and bytes for the other in different places; the stricter is right here.
        if len((output.get(name) or "").encode()) > longest:
            return f"Only {longest} characters are allowed for {name}."
    for each in annotations:
        if len(each.get("message", "").encode()) > _LONGEST_MESSAGE or len(each.get("raw_details", "") or "") > _LONGEST_MESSAGE:
            return "The message of an annotation is too long."
        if each.get("start_line") != each.get("end_line") and ("start_column" in each or "end_column" in each):
            return "Columns are only for annotations on a single line."
    if len(actions) > _MOST_ACTIONS:
        return f"No more than {_MOST_ACTIONS} actions are allowed."
    for each in actions:
        for name, longest in _ACTION_LENGTHS.items():
            if len(each.get(name, "")) > longest:
                return f"{name} is too long (maximum is {longest} characters)"
    return ""


def _app_of(front: Front, exchange: Exchange) -> dict[str, Any]:
    token = exchange.token
    if token is None or token.kind == "installation":
        return app(front, APP_ID, APP_SLUG, "Assay Test")
    return app(front, 15368, "github-actions", "GitHub Actions")


def app(front: Front, number: int, slug: str, name: str) -> dict[str, Any]:
    """An App as it stands in other objects."""
    long_ago = "2026-01-01T00:00:00Z"
    return {
        "id": number,
        "slug": slug,
        "node_id": f"A_{number}",
        "client_id": f"Iv23li{number}",
        "owner": {
            "login": "acme", "id": 1, "node_id": "O_1", "avatar_url": f"{front.url}/avatars/u/acme", "gravatar_id": "",
            **{
                f"{kind}url": f"{front.url}/users/acme{rest}"
                for kind, rest in {
                    "": "", "html_": "", "followers_": "/followers", "following_": "/following", "gists_": "/gists",
                    "starred_": "/starred", "subscriptions_": "/subscriptions", "organizations_": "/orgs",
                    "repos_": "/repos", "events_": "/events", "received_events_": "/received_events",
                }.items()
            },
            "type": "Organization", "site_admin": False,
        },
        "name": name,
        "description": None,
        "external_url": f"{front.url}/apps/{slug}",
        "html_url": f"{front.url}/apps/{slug}",
        "created_at": long_ago,
        "updated_at": long_ago,
        "permissions": {"checks": "write"},
        "events": [],
    }


def shown(front: Front, run: dict[str, Any]) -> dict[str, Any]:
    """A check run of the emulator's with what the front knows of it."""
    state = front.state
    kept = state.check_runs.get(run["id"], {})
    where = run["url"].split("/repos/")[1].split("/check-runs")[0]
    run["app"] = kept.get("app")
    run["output"]["annotations_count"] = len(state.annotations.get(run["id"], []))
    run["output"]["annotations_url"] = f"{run['url']}/annotations"
    run["external_id"] = run["external_id"] or ""
    run["pull_requests"] = [
        _brief(front, repo, number, pull)
        for (repo, number), pull in state.pulls.items()
        # Empty for heads in forks: there GitHub does not tell.
        if repo == where == pull["head_repo"] and pull["head_sha"] == run["head_sha"] and pull["state"] == "open"
    ]
    return run


def _brief(front: Front, repo: str, number: int, pull: dict[str, Any]) -> dict[str, Any]:
    place = {"id": 1, "url": f"{front.url}/repos/{repo}", "name": repo.split("/")[1]}
    return {
        "id": pull.get("id", number),
        "number": number,
        "url": f"{front.url}/repos/{repo}/pulls/{number}",
        "head": {"ref": pull["head_ref"], "sha": pull["head_sha"], "repo": place},
        "base": {"ref": pull["base_ref"], "sha": pull.get("base_sha", ""), "repo": place},
    }


@ROUTES.on("GET", "/repos/{owner}/{repo}/check-runs/{check_run_id}")
async def read(front: Front, exchange: Exchange) -> Answer:
    """One check run."""
    answer = await front.passed_on(exchange)
    if answer.status == 200:
        answer.body = shown(front, answer.body)
    return answer


@ROUTES.on("GET", "/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations")
async def annotations(front: Front, exchange: Exchange) -> Answer:
    """The annotations of a check run."""
    answer = await front.passed_on(exchange)
    if answer.status != 200:
        return answer
    kept = front.state.annotations.get(int(exchange.params["check_run_id"]), [])
    empty = {"start_column": None, "end_column": None, "title": None, "raw_details": None}
    listed = [empty | each | {"blob_href": f"{front.url}/{exchange.repo}/blob/{each['path']}"} for each in kept]
    return Answer(200, page_of(listed, exchange), links_of(len(listed), exchange, front.url))


@ROUTES.on("GET", "/repos/{owner}/{repo}/commits/{ref}/check-runs")
async def of_commit(front: Front, exchange: Exchange) -> Answer:
    """The check runs of a commit, newest first."""
    answer = await front.passed_on(exchange)
    if answer.status != 200:
        return answer
    runs = [shown(front, run) for run in answer.body["check_runs"]]
    if "app_id" in exchange.query:
        runs = [run for run in runs if run["app"] and str(run["app"]["id"]) == exchange.query["app_id"]]
    links = links_of(len(runs), exchange, front.url)
    return Answer(200, {"total_count": len(runs), "check_runs": page_of(runs, exchange)}, links)


@ROUTES.on("GET", "/repos/{owner}/{repo}/check-suites/{check_suite_id}/check-runs")
async def of_suite(front: Front, exchange: Exchange) -> Answer:
    """The check runs of a suite."""
    answer = await front.passed_on(exchange)
    if answer.status == 200:
        answer.body["check_runs"] = [shown(front, run) for run in answer.body["check_runs"]]
    return answer
