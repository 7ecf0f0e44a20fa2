"""What the emulator's webhooks lack beside GitHub's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fakes.front.checks import shown
from tests.fakes.front.state import INSTALLATION_ID

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

# Announced by the fake itself, because they follow from what happened in git.
OWN_EVENTS = {("push", None), ("pull_request", "opened"), ("pull_request", "closed")}
_INSTALLATION = {"id": INSTALLATION_ID, "node_id": "MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9uNDI0Mg=="}


def dressed(front: Front, event: str, payload: dict[str, Any]) -> dict[str, Any]:
    """The payload as GitHub would send it to the App."""
    payload = payload | {"installation": _INSTALLATION}
    if event == "check_run":
        payload["check_run"] = shown(front, payload["check_run"])
    return payload
