"""The interface for agents and their harnesses: tasks, events, feedback, traces, insights; rules and figures."""

from __future__ import annotations

from assay.github_app.api.caller import Caller, Callers
from assay.github_app.api.door import Door, Route, Told, answered, body_of, problem
from assay.github_app.api.mounting import PARTS, make_api

__all__ = ["PARTS", "Caller", "Callers", "Door", "Route", "Told", "answered", "body_of", "make_api", "problem"]
