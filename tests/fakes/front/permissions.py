"""What a token may do, as GitHub's page "Permissions required for GitHub Apps" has it, and what a person may."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.fakes.front.exchange import Answer, Exchange, refused
from tests.fakes.front.routing import ROUTES

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

_REPO = r"/repos/[^/]+/[^/]+"
_CONVERSATION = ("issues", "pull_requests")
# Below a repository: the path, and the permissions of which one is enough. The first line that fits counts.
_NEEDED: list[tuple[re.Pattern[str], tuple[str, ...]]] = [
    (re.compile(_REPO + rest), names)
    for rest, names in [
        (r"", ("metadata",)),
        (r"/installation", ("metadata",)),
        (r"/collaborators.*", ("metadata",)),
        (r"/rules/branches/.+", ("metadata",)),
        (r"/commits/[^/]+/pulls", ("pull_requests", "contents")),
        (r"/(check-runs|check-suites).*", ("checks",)),
        (r"/commits/.+/(check-runs|check-suites)", ("checks",)),
        (r"/statuses/.+", ("statuses",)),
        (r"/commits/.+/(status|statuses)", ("statuses",)),
        (r"/pulls/\d+/merge", ("contents",)),
        (r"/pulls.*", ("pull_requests",)),
        (r"/(issues|labels).*", _CONVERSATION),
        (r"/actions/.*", ("actions",)),
        (r"/code-scanning/.*", ("security_events",)),
        (r"/branches/.+/protection.*", ("administration",)),
        (r"/(branches|commits|compare|contents|git|readme|tarball|zipball|releases|tags|languages).*", ("contents",)),
    ]
]
# A role and the older word for it, which knows no triage and no maintain.
_OLDER = {"admin": "admin", "maintain": "write", "write": "write", "triage": "read", "read": "read", "none": "none"}
_RIGHTS = ("none", "read", "triage", "write", "maintain", "admin")
_GRANTED = {"pull": "read", "triage": "triage", "push": "write", "maintain": "maintain", "admin": "admin"}


def lacking(front: Front, exchange: Exchange) -> Answer | None:
    """The refusal a request below a repository earns, if its token was not made for it."""
    needed = next((names for pattern, names in _NEEDED if pattern.fullmatch(exchange.path)), None)
    if needed is None:
        return None
    token, repo = exchange.token, "/".join(exchange.path.split("/")[2:4])
    if token is None:
        is_open = exchange.method == "GET" and repo in front.state.public
        return None if is_open else refused(404 if exchange.method == "GET" else 401, "Not Found")
    if token.kind == "app":
        is_open_to_apps = exchange.path.endswith("/installation")
        return None if is_open_to_apps else refused(401, "A JSON web token could not be used here")
    if token.kind in ("job", "installation") and not token.reaches(repo):
        is_open = exchange.method == "GET" and repo in front.state.public
        return None if is_open else refused(404, "Not Found")
    if not token.reaches(repo) or (token.kind == "installation" and repo in front.state.forks):
        return refused(404, "Not Found")
    level = "read" if exchange.method in {"GET", "HEAD"} else "write"
    if not any(token.may(name, level) for name in needed):
        answer = refused(403, "Resource not accessible by integration")
        answer.headers["x-accepted-github-permissions"] = "; ".join(f"{name}={level}" for name in needed)
        return answer
    return None


@ROUTES.on("GET", "/repos/{owner}/{repo}/collaborators/{username}/permission")
async def permission(front: Front, exchange: Exchange) -> Answer:
    """The role the test gave a person; the emulator makes an administrator of every member."""
    login = exchange.params["username"]
    if login not in front.state.people:
        return refused(404, f"{login} is not a user")
    role = front.state.permissions.get((exchange.repo, login), "none")
    have = _RIGHTS.index(role)
    granted = {name: have >= _RIGHTS.index(least) for name, least in _GRANTED.items()}
    user = (await front.passed_on(exchange, path=f"/users/{login}")).body
    return Answer(
        200,
        {
            "permission": _OLDER[role],
            "role_name": role,
            "user": user | {"permissions": granted, "role_name": role},
        },
    )
