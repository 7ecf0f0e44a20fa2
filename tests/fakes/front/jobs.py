"""What the jobs of a workflow run use besides the API: the store of artifacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fakes.front.actions import keep
from tests.fakes.front.exchange import Answer, Exchange, refused
from tests.fakes.front.routing import ROUTES

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

_STORE = "/_bed/runs/{owner}/{repo}/{run_id}/artifacts"


@ROUTES.on("POST", _STORE)
async def upload(front: Front, exchange: Exchange) -> Answer:
    """Take a ZIP as an artifact of a run that is going on. A name is taken once in an attempt, unless `overwrite`."""
    run = front.state.workflow_runs.get((exchange.repo, int(exchange.params["run_id"])))
    if run is None or run["status"] == "completed":
        return refused(404, "no such run is going on")
    name, attempt = exchange.query["name"], run["run_attempt"]
    same = [
        key
        for key, each in list(front.state.artifacts.items())
        if (each["shown"]["workflow_run"]["id"], each["shown"]["name"], each["attempt"]) == (run["id"], name, attempt)
    ]
    if same and exchange.query.get("overwrite") != "true":
        return refused(409, "an artifact with this name already exists on the workflow run")
    for key in same:
        del front.state.artifacts[key]
    number = keep(front, exchange.repo, run, name, exchange.body)
    return Answer(201, {"id": number, "url": f"{run['html_url']}/artifacts/{number}"})


@ROUTES.on("GET", _STORE)
async def download(front: Front, exchange: Exchange) -> Answer:
    """The newest ZIP of a run by its artifact's name."""
    wanted = (int(exchange.params["run_id"]), exchange.query["name"])
    found = [
        each["zip"]
        for (repo, _), each in list(front.state.artifacts.items())
        if repo == exchange.repo and (each["shown"]["workflow_run"]["id"], each["shown"]["name"]) == wanted
    ]
    return Answer(200, found[-1], {"content-type": "application/zip"}) if found else refused(404, "Not Found")
