"""The 329 example payloads that GitHub's own library publishes (npm `@octokit/webhooks-examples`)."""

from __future__ import annotations

import functools
import json
from typing import Any

from tests.conftest import ROOT

_FILE = ROOT / "tests/fakes/node/node_modules/@octokit/webhooks-examples/api.github.com/index.json"


@functools.cache
def examples() -> tuple[tuple[str, dict[str, Any]], ...]:
    """(event, payload) of each."""
    described = json.loads(_FILE.read_bytes())
    return tuple((one["name"], payload) for one in described for payload in one["examples"])


def example(event: str, action: str | None = None) -> dict[str, Any]:
    """A fresh copy of the first example of an event."""
    found = next(p for name, p in examples() if name == event and (action is None or p.get("action") == action))
    copied: dict[str, Any] = json.loads(json.dumps(found))
    return copied
