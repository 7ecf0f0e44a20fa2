"""The App's pages: what was judged, learned and measured. Rendered here, for people who were let in."""

from __future__ import annotations

from assay.github_app.dashboard.entrance import Entrance
from assay.github_app.dashboard.rendering import ago
from assay.github_app.dashboard.routes import add_pages

__all__ = ["Entrance", "add_pages", "ago"]
