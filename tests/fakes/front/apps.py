"""The App itself: its tokens, its installation."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from tests.fakes.front.exchange import Answer, Exchange, refused
from tests.fakes.front.routing import ROUTES
from tests.fakes.front.tokens import Token

if TYPE_CHECKING:
    from tests.fakes.github_front import Front


@ROUTES.on("POST", "/app/installations/{installation_id}/access_tokens")
async def access_token(front: Front, exchange: Exchange) -> Answer:
    """Let the emulator make a token, and remember how far it reaches."""
    if exchange.token is None or exchange.token.kind != "app":
        return refused(401, "A JSON web token could not be decoded")
    if front.state.suspended:
        return refused(403, "This installation has been suspended")
    answer = await front.passed_on(exchange)
    if answer.status == 201:
        made = answer.body
        named = made.get("repositories")
        front.state.tokens[made["token"]] = Token(
            made["token"],
            "installation",
            installation_id=int(exchange.params["installation_id"]),
            permissions={"metadata": "read"} | made["permissions"],
            repositories=None if named is None else frozenset(each["full_name"] for each in named),
            expires_at=datetime.fromisoformat(made["expires_at"]).timestamp(),
        )
    return answer
