"""Fitted numbers: the weight of each word, and the calibration of decisions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


def weight_of(word: str) -> float:
    """Return the inverse document frequency of a stem, from word_weights.json: 1 for "to", 8 for the rarest."""
    table = _table()
    return float(table["weights"].get(word, table["rarest"]))


@cache
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = json.loads(
        files("assay.github_app.rule_matching").joinpath("word_weights.json").read_text("utf-8")
    )
    return table


@cache
def calibration() -> Mapping[str, Any]:
    """Return `cut` (a probability), `gate` (log odds), `intercept` and `weights` by feature name."""
    text = files("assay.github_app.rule_matching").joinpath("calibration.json").read_text("utf-8")
    table: Mapping[str, Any] = json.loads(text)
    return table
