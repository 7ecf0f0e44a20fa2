"""MCP server (Model Context Protocol) for agents: rules, insights, feedback and validation."""

from assay.github_app.mcp_server.access import Access, AppTokens, FixedToken
from assay.github_app.mcp_server.knowledge import (
    FeedbackResult,
    Insight,
    Knowledge,
    NoKnowledge,
    Rule,
    Rules,
    Unanswerable,
)
from assay.github_app.mcp_server.local_knowledge import LocalKnowledge
from assay.github_app.mcp_server.remote_knowledge import RemoteKnowledge
from assay.github_app.mcp_server.serving import LOOPBACK, serve_http, serve_stdio
from assay.github_app.mcp_server.tools import make_server
from assay.github_app.mcp_server.validating import LocalValidation

__all__ = [
    "LOOPBACK",
    "Access",
    "AppTokens",
    "FeedbackResult",
    "FixedToken",
    "Insight",
    "Knowledge",
    "LocalKnowledge",
    "LocalValidation",
    "NoKnowledge",
    "RemoteKnowledge",
    "Rule",
    "Rules",
    "Unanswerable",
    "make_server",
    "serve_http",
    "serve_stdio",
]
