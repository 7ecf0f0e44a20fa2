"""REST API for agents and their harnesses: tasks, events, feedback, traces, insights, rules, metrics."""

from __future__ import annotations

from assay.github_app.web.api.caller import Caller
from assay.github_app.web.api.mounting import make_api
from assay.github_app.web.api.routing import ApiContext, Body, Route, answered, body_of

__all__ = ["ApiContext", "Body", "Caller", "Route", "answered", "body_of", "make_api"]
