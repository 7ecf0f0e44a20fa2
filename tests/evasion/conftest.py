"""What these tests may ask for."""

from __future__ import annotations

from tests.github_app.action.conftest import env_of
from tests.github_app.action.workflow import workflow
from tests.github_app.rooms import empty_database, room, store

__all__ = ["empty_database", "env_of", "room", "store", "workflow"]
