"""Reviews and comments on lines, which the emulator knows only by position and without their checks."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from tests.fakes.front.exchange import Answer, Exchange, links_of, page_of, refused
from tests.fakes.front.pulls import changed_files, lines_shown
from tests.fakes.front.routing import ROUTES

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

_MOST_WORDS = 65_536
_KEPT = ("line", "side", "start_line", "start_side", "subject_type")


@ROUTES.on("POST", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews")
async def create(front: Front, exchange: Exchange) -> Answer:
    """A review with all its comments at once, or none of it."""
    number, body = int(exchange.params["pull_number"]), exchange.json or {}
    pull = front.state.pulls.get((exchange.repo, number))
    if pull is None:
        return refused(404, "Not Found")
    seen = await front.known(f"/repos/{exchange.repo}/pulls/{number}")
    event, notes = body.get("event"), body.get("comments") or []
    patches = await _patches(front, exchange.repo, pull)
    wrong = _unfit(body, is_own=seen["user"]["login"] == exchange.token.login)
    wrong = wrong or next(filter(None, (_misplaced(patches, note) for note in notes)), "")
    if wrong:
        return refused(422, "Unprocessable Entity", errors=[wrong])
    passed = body | {"comments": [{"path": n["path"], "body": n["body"], "position": _position(n)} for n in notes]}
    answer = await front.passed_on(exchange, passed)
    if answer.status >= 300:
        return answer
    answer.status = 200  # as GitHub has it
    here = f"/repos/{exchange.repo}/pulls/{number}/reviews/{answer.body['id']}/comments"
    made = await front.known(f"{here}?per_page=100")
    for comment, note in zip(made, notes, strict=False):
        _keep(front, comment, note, patches)
    if event:
        for comment in await front.known(f"{here}?per_page=100"):
            await _announce(front, exchange, number, comment)
    return answer


def _unfit(body: dict[str, Any], *, is_own: bool) -> str:
    event = body.get("event")
    if event in {"APPROVE", "REQUEST_CHANGES"} and is_own:
        return f"Can not {'approve' if event == 'APPROVE' else 'request changes on'} your own pull request"
    if event in {"COMMENT", "REQUEST_CHANGES"} and not body.get("body") and not body.get("comments"):
        return "Body can't be blank"
    if len(body.get("body") or "") > _MOST_WORDS:
        return f"body is too long (maximum is {_MOST_WORDS} characters)"
    return ""


@ROUTES.on("POST", "/repos/{owner}/{repo}/pulls/{pull_number}/comments")
async def comment(front: Front, exchange: Exchange) -> Answer:
    """One comment on a line."""
    number, body = int(exchange.params["pull_number"]), exchange.json or {}
    pull = front.state.pulls.get((exchange.repo, number))
    if pull is None:
        return refused(404, "Not Found")
    if body.get("in_reply_to"):
        return await _reply(front, exchange, number, int(body["in_reply_to"]))
    patches = await _patches(front, exchange.repo, pull)
    if wrong := _misplaced(patches, body):
        return refused(422, "Validation Failed", errors=[{"resource": "PullRequestReviewComment", "message": wrong}])
    answer = await front.passed_on(exchange, body | {"position": _position(body)})
    if answer.status == 201:
        _keep(front, answer.body, body, patches)
    return answer


@ROUTES.on("GET", "/repos/{owner}/{repo}/pulls/comments")
async def of_repository(front: Front, exchange: Exchange) -> Answer:
    """The comments on lines of all pull requests; the emulator takes the last word of the address for a number."""
    numbers = [number for repo, number in list(front.state.pulls) if repo == exchange.repo]
    found = []
    for number in numbers:
        found += await front.known(f"/repos/{exchange.repo}/pulls/{number}/comments?per_page=100")
    since = exchange.query.get("since", "")
    kept = [each for each in found if each["updated_at"] >= since]
    kept.sort(key=lambda each: each["id"], reverse=exchange.query.get("direction") == "desc")
    return Answer(200, page_of(kept, exchange), links_of(len(kept), exchange, front.url))


@ROUTES.on("POST", "/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies")
async def reply(front: Front, exchange: Exchange) -> Answer:
    """An answer in a thread."""
    return await _reply(front, exchange, int(exchange.params["pull_number"]), int(exchange.params["comment_id"]))


async def _reply(front: Front, exchange: Exchange, number: int, to: int) -> Answer:
    first = await front.known(f"/repos/{exchange.repo}/pulls/comments/{to}")
    passed = {
        "body": (exchange.json or {}).get("body", ""),
        "in_reply_to_id": to,
        "path": first["path"],
        "commit_id": first["commit_id"],
        "position": first["position"],
    }
    answer = await front.passed_on(exchange, passed, path=f"/repos/{exchange.repo}/pulls/{number}/comments")
    if answer.status == 201:
        front.state.comment_lines[answer.body["id"]] = front.state.comment_lines.get(to, {})
        answer.body.update(front.state.comment_lines[answer.body["id"]])
    return answer


async def _patches(front: Front, repo: str, pull: dict[str, Any]) -> dict[str, str]:
    found = await asyncio.to_thread(changed_files, front.state.repositories[repo], pull)
    return {each["filename"]: each.get("patch", "") for each in found}


def _misplaced(patches: dict[str, str], note: dict[str, Any]) -> str:
    """Why GitHub would refuse a comment there."""
    path, side = note.get("path"), note.get("side", "RIGHT")
    if path not in patches:
        return "Path could not be resolved"
    if note.get("subject_type") == "file" or "position" in note:
        return ""
    shown = lines_shown(patches[path])
    if note.get("line") not in shown[side]:
        return "Line could not be resolved"
    if "start_line" in note and note["start_line"] is not None:
        if note["start_line"] not in shown[note.get("start_side", side)]:
            return "Start line could not be resolved"
        if note["start_line"] >= note["line"] and note.get("start_side", side) == side:
            return "Start line must precede the end line"
    return ""


def _position(note: dict[str, Any]) -> int:
    """The emulator wants one; nobody reads it."""
    return int(note.get("position") or note.get("line") or 1)


def _keep(front: Front, made: dict[str, Any], note: dict[str, Any], patches: dict[str, str]) -> None:
    kept: dict[str, Any] = {
        "start_line": None,
        "start_side": None,
        "side": "RIGHT",
        "line": None,
        "subject_type": "line",
    }
    kept |= {name: note[name] for name in _KEPT if name in note}
    kept |= {"original_line": kept["line"], "original_start_line": kept["start_line"]}
    kept["diff_hunk"] = patches.get(note.get("path", ""), "").split("\n@@")[0]
    front.state.comment_lines[made["id"]] = kept
    made.update(kept)


async def _announce(front: Front, exchange: Exchange, number: int, made: dict[str, Any]) -> None:
    login = exchange.token.login or "assay-test[bot]"
    payload = {
        "action": "created",
        "comment": json.loads(json.dumps(made)),
        "pull_request": await front.known(f"/repos/{exchange.repo}/pulls/{number}"),
        "repository": await front.known(f"/repos/{exchange.repo}"),
        "sender": await front.known(f"/users/{login}"),
    }
    front.announce("pull_request_review_comment", payload)
