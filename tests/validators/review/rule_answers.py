"""Answers of a model that is asked about rules in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.fakes.model import Asked, Says, Step


def is_refutation(asked: Asked) -> bool:
    """Return whether a request is the second pass."""
    return "try to refute" in json.dumps(asked.body["messages"][0])


def place(path: str, quote: str, side: str = "head") -> dict[str, str]:
    """Return a place as the model names it."""
    return {"side": side, "path": path, "quote": quote}


def broken(asked: Asked, rule: str, where: Mapping[str, str], why: str = "d says nothing") -> Step:
    """Answer that the rule with these words is broken there; as the second pass, that it stands."""
    if is_refutation(asked):
        return Says({"verdict": "stands", "reason": "it does", "evidence": [dict(where)]})
    number = next((int(one.split(".")[0]) for one in asked.prompt.splitlines() if rule in one and one[0].isdigit()), 0)
    return Says({"findings": [finding(number, where, why)]})


def finding(number: int, where: Mapping[str, str], why: str = "d says nothing") -> dict[str, Any]:
    """Return one finding of an answer."""
    return {"rule": number, "place": dict(where), "why": why}
