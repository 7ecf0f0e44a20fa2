"""What these tests may ask for."""

from __future__ import annotations

from tests.github_app.action.workflow import workflow
from tests.github_app.open_pull import app

__all__ = ["app", "workflow"]
