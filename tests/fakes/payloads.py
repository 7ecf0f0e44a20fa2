"""GitHub's example payloads of every webhook there is (npm `@octokit/webhooks-examples`)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.fakes.front.deliveries import headers_for

_FILE = Path(__file__).resolve().parent / "node/node_modules/@octokit/webhooks-examples/api.github.com/index.json"


@dataclass(frozen=True, slots=True)
class Example:
    """One payload; `name` tells it from the others of its event."""

    event: str
    action: str | None
    name: str
    payload: dict[str, Any]

    @property
    def body(self) -> bytes:
        """The bytes to be signed."""
        return json.dumps(self.payload).encode()

    def __str__(self) -> str:
        return self.name


@cache
def examples() -> tuple[Example, ...]:
    """All of them, in the order of their events."""
    found = []
    for webhook in json.loads(_FILE.read_bytes()):
        for number, payload in enumerate(webhook["examples"]):
            action = payload.get("action")
            name = "-".join([webhook["name"], *([action] if action else []), str(number)])
            found.append(Example(webhook["name"], action, name, payload))
    return tuple(found)


def signed(body: bytes, secret: str, event: str, guid: str = "") -> dict[str, str]:
    """The headers GitHub would send with this body; a new delivery id unless one is given."""
    return headers_for(body, event, secret, guid=guid)
