"""REST API for agents and their harnesses: tasks, events, feedback, traces, insights, rules, metrics."""

from __future__ import annotations

from assay.github_app.web.api.caller import Caller, Callers
from assay.github_app.web.api.mounting import PARTS, make_api
from assay.github_app.web.api.routing import ApiContext, Body, Route, answered, body_of, problem

__all__ = ["PARTS", "ApiContext", "Body", "Caller", "Callers", "Route", "answered", "body_of", "make_api", "problem"]
