"""Check runs, with what the emulator forgets: whose they are, all annotations, the buttons, and GitHub's limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fakes.front.dressing import ACTIONS, app, dress
from tests.fakes.front.exchange import Answer, Exchange, links_of, page_of, refused
from tests.fakes.front.routing import ROUTES
from tests.fakes.front.state import APP_ID

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
    whose = {"installation": APP_ID, "job": ACTIONS[0]}.get(exchange.token.kind)
    if known and whose and known["app"]["id"] != whose:
        return refused(
            403, f"Invalid app_id `{whose}` - check run can only be modified by the GitHub App that created it."
        )
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
    if exchange.method == "POST":
        passed.setdefault("started_at", front.state.now())
    if body.get("conclusion") and "status" not in body:
        passed["status"] = "completed"  # as the documentation says it does
    answer = await front.passed_on(exchange, passed)
    if answer.status >= 300:
        return answer
    number, state = answer.body["id"], front.state
    state.check_run_updates.setdefault(number, []).append(body)
    state.annotations.setdefault(number, []).extend(output.get("annotations") or [])
    is_ours = exchange.token.kind == "installation"
    kept = state.check_runs.setdefault(number, {"app": app(front) if is_ours else app(front, *ACTIONS), "actions": []})
    kept["suite"] = answer.body["check_suite"]["id"]
    if "actions" in body:
        kept["actions"] = body["actions"]
    dress(front, answer.body)
    return answer


def _against_limits(body: dict[str, Any]) -> str:
    output, actions = body.get("output") or {}, body.get("actions") or []
    notes = output.get("annotations") or []
    if len(notes) > _MOST_ANNOTATIONS:
        return f"No more than {_MOST_ANNOTATIONS} items are allowed; {len(notes)} were supplied."
    for name, longest in (("summary", _LONGEST_TEXT), ("text", _LONGEST_TEXT), ("title", _LONGEST_TITLE)):
        if len(output.get(name) or "") > longest:
            return f"Only {longest} characters are allowed for {name}."
    return _against_note_limits(notes) or _against_button_limits(actions)


def _against_note_limits(notes: list[dict[str, Any]]) -> str:
    for each in notes:
        if any(len((each.get(name) or "").encode()) > _LONGEST_MESSAGE for name in ("message", "raw_details")):
            return "The message of an annotation is too long."
        if each.get("start_line") != each.get("end_line") and ("start_column" in each or "end_column" in each):
            return "Columns are only for annotations on a single line."
    return ""


def _against_button_limits(actions: list[dict[str, Any]]) -> str:
    if len(actions) > _MOST_ACTIONS:
        return f"No more than {_MOST_ACTIONS} actions are allowed."
    for each in actions:
        for name, longest in _ACTION_LENGTHS.items():
            if len(each.get(name, "")) > longest:
                return f"{name} is too long (maximum is {longest} characters)"
    return ""


@ROUTES.on("POST", "/repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest")
async def rerequest(front: Front, exchange: Exchange) -> Answer:
    """Ask for a check again. "The check run itself is not updated"; the emulator would empty it."""
    here = f"/repos/{exchange.repo}"
    payload = {
        "action": "rerequested",
        "check_run": await front.known(f"{here}/check-runs/{exchange.params['check_run_id']}"),
        "repository": await front.known(here),
        "sender": await front.known(f"/users/{exchange.token.login or 'assay-test[bot]'}"),
    }
    front.announce("check_run", payload)
    return Answer(201, {})


@ROUTES.on("GET", "/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations")
async def listed_annotations(front: Front, exchange: Exchange) -> Answer:
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
    """The check runs of a commit, newest first; the emulator knows neither pages nor Apps."""
    answer = await front.passed_on(exchange)
    if answer.status != 200:
        return answer
    runs = answer.body["check_runs"]
    if "app_id" in exchange.query:
        runs = [run for run in runs if run["app"] and str(run["app"]["id"]) == exchange.query["app_id"]]
    links = links_of(len(runs), exchange, front.url)
    return Answer(200, {"total_count": len(runs), "check_runs": page_of(runs, exchange)}, links)


@ROUTES.on("GET", "/repos/{owner}/{repo}/commits/{ref}/check-suites")
async def suites(front: Front, exchange: Exchange) -> Answer:
    """The suites of a commit, with the whole of their repository."""
    answer = await front.passed_on(exchange)
    if answer.status == 200:
        whole = await front.known(f"/repos/{exchange.repo}")
        for suite in answer.body["check_suites"]:
            suite["repository"] = whole
    return answer
