"""The App's pages: what was judged, what was said, what waits. Rendered here, for people who were let in."""

from __future__ import annotations

from assay.github_app.dashboard.entrance import Entrance
from assay.github_app.dashboard.routes import add_pages, ago

__all__ = ["Entrance", "add_pages", "ago"]
