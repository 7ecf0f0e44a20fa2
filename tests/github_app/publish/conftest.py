"""What these tests may ask for."""

from __future__ import annotations

from tests.github_app.open_pull import app, opened

__all__ = ["app", "opened"]
