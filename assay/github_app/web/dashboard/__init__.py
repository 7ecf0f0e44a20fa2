"""Dashboard of the App: validations, rules and metrics, rendered on the server for signed-in users."""

from __future__ import annotations

from assay.github_app.web.dashboard.access.login_links import LoginLinks
from assay.github_app.web.dashboard.rendering import ago
from assay.github_app.web.dashboard.routes import add_pages

__all__ = ["LoginLinks", "add_pages", "ago"]
