"""Every route the front answers itself: importing a module puts its routes into the table."""

from __future__ import annotations

from tests.fakes.front import (
    actions,
    apps,
    checks,
    code_scanning,
    graphql,
    history,
    hook,
    jobs,
    oidc,
    permissions,
    pulls,
    reactions,
    reviews,
    rules,
    signing_in,
    statuses,
)
from tests.fakes.front.routing import ROUTES

__all__ = [
    "ROUTES",
    "actions",
    "apps",
    "checks",
    "code_scanning",
    "graphql",
    "history",
    "hook",
    "jobs",
    "oidc",
    "permissions",
    "pulls",
    "reactions",
    "reviews",
    "rules",
    "signing_in",
    "statuses",
]
