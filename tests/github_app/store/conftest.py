"""Stores for these tests."""

from __future__ import annotations

from tests.github_app.remembering import store

__all__ = ["store"]
