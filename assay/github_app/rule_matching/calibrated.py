"""Calibration fitted on labelled comments: weights and decision thresholds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def calibration() -> Mapping[str, Any]:
    """Return `cut` (a probability), `gate` (log odds), `intercept` and `weights` by feature name."""
    text = files("assay.github_app.rule_matching").joinpath("calibration.json").read_text("utf-8")
    table: Mapping[str, Any] = json.loads(text)
    return table
