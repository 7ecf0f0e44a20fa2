"""The 329 example payloads, as (event, payload), and fresh copies of one to change."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from tests.fakes import payloads


@cache
def examples() -> tuple[tuple[str, dict[str, Any]], ...]:
    """(event, payload) of each."""
    return tuple((one.event, one.payload) for one in payloads.examples())


def example(event: str, action: str | None = None) -> dict[str, Any]:
    """A fresh copy of the first example of an event."""
    found = next(p for name, p in examples() if name == event and (action is None or p.get("action") == action))
    copied: dict[str, Any] = json.loads(json.dumps(found))
    return copied
