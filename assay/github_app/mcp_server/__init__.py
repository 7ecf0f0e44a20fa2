"""MCP server (Model Context Protocol) for agents: rules, insights, feedback and validation."""

from assay.github_app.mcp_server.access import Access, OneToken, TokensOfTheApp
from assay.github_app.mcp_server.knowledge import Insight, Kept, Knowledge, Rule, Unanswerable
from assay.github_app.mcp_server.local_knowledge import LocalKnowledge
from assay.github_app.mcp_server.remote_knowledge import RemoteKnowledge
from assay.github_app.mcp_server.serving import LOOPBACK, http_app, serve_http, serve_stdio
from assay.github_app.mcp_server.tools import make_server
from assay.github_app.mcp_server.validating import Validating

__all__ = [
    "LOOPBACK",
    "Access",
    "Insight",
    "Kept",
    "Knowledge",
    "LocalKnowledge",
    "OneToken",
    "RemoteKnowledge",
    "Rule",
    "TokensOfTheApp",
    "Unanswerable",
    "Validating",
    "http_app",
    "make_server",
    "serve_http",
    "serve_stdio",
]
