"""What these tests may ask for."""

from __future__ import annotations

from tests.github_app.action.workflow import workflow

__all__ = ["workflow"]
