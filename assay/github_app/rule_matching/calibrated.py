"""The numbers that were fitted to labelled comments: weights, and from where on the answer is yes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def calibration() -> Mapping[str, Any]:
    """`cut` (a probability), `gate` (log odds), `intercept` and `weights` by the name of the number they weigh."""
    text = files("assay.github_app.rule_matching").joinpath("calibration.json").read_text("utf-8")
    table: Mapping[str, Any] = json.loads(text)
    return table
