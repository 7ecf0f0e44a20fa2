"""Webhooks: which of the emulator's are passed on, and how they are made like GitHub's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tests.fakes.front.dressing import dress, organization
from tests.fakes.front.state import INSTALLATION_ID

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

# Announced by the fake itself, because they follow from what happened in git, or not wanted: the emulator says "edited"
# for whatever it is asked to change.
_OWN = {("push", None), ("pull_request", "opened"), ("pull_request", "closed"), ("check_suite", "requested")}
# What GitHub sends for issues alone. Of these it sends the same for a pull request under that name.
_OF_ISSUES = {"labeled", "unlabeled", "assigned", "unassigned", "locked", "unlocked", "edited"}
_INSTALLATION = {"id": INSTALLATION_ID, "node_id": "MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9uNDI0Mg=="}


async def heard(front: Front, event: str, payload: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """What GitHub would send where the emulator says this; `None` for nothing."""
    told = await _as_github_tells(front, event, payload)
    # GitHub sends what the App subscribed to.
    return told if told and told[0] in front.state.events else None


async def _as_github_tells(front: Front, event: str, payload: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    action = payload.get("action")
    if (event, action) in _OWN:
        return None
    payload.pop("installation", None)
    repo = payload.get("repository", {}).get("full_name", "")
    if event == "issues":
        number = payload["issue"]["number"]
        if (repo, number) not in front.state.pulls:
            return event, payload
        if action not in _OF_ISSUES:
            return None
        event = "pull_request"
        pull = await front.known(f"/repos/{repo}/pulls/{number}")
        payload = {name: value for name, value in payload.items() if name != "issue"}
        payload |= {"number": number, "pull_request": pull}
        if "label" in payload:
            payload["label"] = await front.known(f"/repos/{repo}/labels/{quote(payload['label']['name'])}")
    elif event == "pull_request":
        payload.setdefault("number", payload["pull_request"]["number"])
        if action == "edited":
            payload.setdefault("changes", {})
    elif event == "issue_comment" and (repo, payload["issue"]["number"]) in front.state.pulls:
        payload["issue"].setdefault("pull_request", _links(front, repo, payload["issue"]["number"]))
    elif event == "check_run" and action == "requested_action":
        payload.setdefault("requested_action", {"identifier": ""})
    return event, payload


def dressed(front: Front, payload: dict[str, Any]) -> dict[str, Any]:
    """The payload as GitHub would send it to the App; a copy, since what it tells of goes on changing."""
    payload = dress(front, json.loads(json.dumps(payload)))
    return {"installation": _INSTALLATION, "organization": organization(front)} | payload


def _links(front: Front, repo: str, number: int) -> dict[str, Any]:
    page = f"{front.url}/{repo}/pull/{number}"
    api = f"{front.url}/repos/{repo}/pulls/{number}"
    return {"url": api, "html_url": page, "diff_url": f"{page}.diff", "patch_url": f"{page}.patch", "merged_at": None}
