"""What a person may do in a repository; the emulator makes an administrator of every member."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fakes.front.exchange import Answer, Exchange, refused
from tests.fakes.front.routing import ROUTES

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

# A role and the older word for it, which knows no triage and no maintain.
_OLDER = {"admin": "admin", "maintain": "write", "write": "write", "triage": "read", "read": "read", "none": "none"}


@ROUTES.on("GET", "/repos/{owner}/{repo}/collaborators/{username}/permission")
async def permission(front: Front, exchange: Exchange) -> Answer:
    """The role a person has: what the test granted, else what anybody has."""
    login = exchange.params["username"]
    person = front.state.people.get(login)
    if denied := lacking(exchange, "metadata", "read"):
        return denied
    if person is None:
        return refused(404, "Not Found")
    role = front.state.permissions.get((exchange.repo, login), "none")
    user = await front.passed_on(exchange, path=f"/users/{login}")
    rights = ["none", "read", "triage", "write", "maintain", "admin"]
    have = rights.index(role)
    granted = {
        name: have >= rights.index(needed)
        for name, needed in {"pull": "read", "triage": "triage", "push": "write", "maintain": "maintain", "admin": "admin"}.items()
    }
    answer = {"permission": _OLDER[role], "role_name": role, "user": user.body | {"permissions": granted, "role_name": role}}
    return Answer(200, answer)


def lacking(exchange: Exchange, permission_name: str, level: str) -> Answer | None:
    """The refusal a token earns that was not made for this."""
    token = exchange.token
    if token is None:
        return refused(401, "Requires authentication")
    if token.kind == "app":
        return refused(401, "A JSON web token could not be used here")
    if not token.reaches(exchange.repo):
        return refused(404, "Not Found")
    if not token.may(permission_name, level):
        return refused(403, "Resource not accessible by integration")
    return None
