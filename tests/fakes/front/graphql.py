"""What is wanted of GraphQL: hiding a comment of one's own, and reading threads, or the head, of a pull request."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from tests.fakes.front.exchange import Answer, Exchange, NotHere, refused
from tests.fakes.front.head_state import Forbidden, head_state
from tests.fakes.front.history import threads_of
from tests.fakes.front.routing import ROUTES
from tests.fakes.front.tokens import Token

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

_CLASSIFIERS = {"SPAM", "ABUSE", "OFF_TOPIC", "OUTDATED", "DUPLICATE", "RESOLVED", "LOW_QUALITY"}
_INPUT = re.compile(r'(subjectId|classifier)\s*:\s*(?:"([^"]*)"|(\w+)|\$(\w+))')


@ROUTES.on("POST", "/graphql")
async def query(front: Front, exchange: Exchange) -> Answer:
    """Answer a query; errors come with status 200, as GraphQL has it."""
    if exchange.token is None:
        return refused(401, "This endpoint requires you to be authenticated.")
    body = exchange.json or {}
    if "reviewThreads" in body.get("query", ""):
        return await _threads(front, exchange.token, body)
    if "checkSuites" in body.get("query", ""):
        return await _head_state(front, exchange, body)
    if "minimizeComment" not in body.get("query", ""):
        return _error("NOT_IMPLEMENTED", "the fake GitHub knows only minimizeComment, reviewThreads and checkSuites")
    if not exchange.token.may("pull_requests", "write"):
        return _error("FORBIDDEN", "Resource not accessible by integration")
    given = _given(body)
    if given.get("classifier") not in _CLASSIFIERS or not given.get("subjectId"):
        return _error("UNPROCESSABLE", "Variable $input of type MinimizeCommentInput! was provided invalid value")
    front.state.minimized[given["subjectId"]] = given["classifier"]
    shown = {"isMinimized": True, "minimizedReason": given["classifier"].lower(), "viewerCanMinimize": True}
    return Answer(200, {"data": {"minimizeComment": {"minimizedComment": shown, "clientMutationId": None}}})


@ROUTES.on("POST", "/api/graphql")
async def enterprise(front: Front, exchange: Exchange) -> Answer:
    """The same, where Enterprise Server has it."""
    return await query(front, exchange)


async def _threads(front: Front, token: Token, body: dict[str, Any]) -> Answer:
    """All threads on one page."""
    asked = body.get("variables") or {}
    repo, number = f"{asked.get('owner')}/{asked.get('name')}", asked.get("number")
    if not token.may("pull_requests", "read") or not token.reaches(repo) or (repo, number) not in front.state.pulls:
        return _error("NOT_FOUND", "Could not resolve to a PullRequest")
    comments = await front.known(f"/repos/{repo}/pulls/{number}/comments?per_page=100")
    threads = {"pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": threads_of(front, comments)}
    return Answer(200, {"data": {"repository": {"pullRequest": {"reviewThreads": threads}}}})


async def _head_state(front: Front, exchange: Exchange, body: dict[str, Any]) -> Answer:
    try:
        return Answer(200, {"data": await head_state(front, exchange, body["variables"])})
    except NotHere:
        return _error("NOT_FOUND", "Could not resolve to a Repository or PullRequest")
    except Forbidden:
        return _error("FORBIDDEN", "Resource not accessible by integration")


def _given(body: dict[str, Any]) -> dict[str, str]:
    """The input, written out in the query or in its variables."""
    variables = body.get("variables") or {}
    if isinstance(variables, str):
        variables = json.loads(variables)
    given: dict[str, str] = {}
    for value in [variables, *variables.values()]:
        if isinstance(value, dict) and "subjectId" in value:
            given |= value
    for name, text, word, variable in _INPUT.findall(body["query"]):
        given.setdefault(name, variables.get(variable, "") if variable else text or word)
    return given


def _error(kind: str, message: str) -> Answer:
    return Answer(200, {"data": None, "errors": [{"type": kind, "message": message}]})
