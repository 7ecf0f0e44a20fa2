"""Every route the front answers itself."""

from __future__ import annotations

from tests.fakes.front import apps, checks, permissions
from tests.fakes.front.routing import ROUTES

__all__ = ["ROUTES", "apps", "checks", "permissions"]
