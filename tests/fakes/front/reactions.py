"""Reactions to pull requests and to comments."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tests.fakes.front.exchange import Answer, Exchange, page_of, refused
from tests.fakes.front.routing import ROUTES

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

_CONTENTS = {"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"}
_PLACES = ("issues", "issues/comments", "pulls/comments")


def _add_routes(place: str) -> None:
    here = f"/repos/{{owner}}/{{repo}}/{place}/{{number}}/reactions"

    @ROUTES.on("POST", here)
    async def create(front: Front, exchange: Exchange) -> Answer:
        content = (exchange.json or {}).get("content")
        if content not in _CONTENTS:
            return refused(422, "Validation Failed", errors=["content is not included in the list"])
        login = exchange.token.login or "assay-test[bot]"
        kept = _kept(front, exchange, place)
        for each in kept:
            if each["content"] == content and each["user"]["login"] == login:
                return Answer(200, each)
        number = next(front.state.ids)
        made = {
            "id": number,
            "node_id": f"REA_{number}",
            "user": await front.known(f"/users/{login}"),
            "content": content,
            "created_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        kept.append(made)
        return Answer(201, made)

    @ROUTES.on("GET", here)
    async def listed(front: Front, exchange: Exchange) -> Answer:
        kept = _kept(front, exchange, place)
        wanted = exchange.query.get("content")
        return Answer(200, page_of([each for each in kept if wanted in (None, each["content"])], exchange))

    @ROUTES.on("DELETE", here + "/{reaction_id}")
    async def remove(front: Front, exchange: Exchange) -> Answer:
        kept = _kept(front, exchange, place)
        kept[:] = [each for each in kept if str(each["id"]) != exchange.params["reaction_id"]]
        return Answer(204)


def _kept(front: Front, exchange: Exchange, place: str) -> list[dict[str, Any]]:
    return front.state.reactions.setdefault((exchange.repo, place, int(exchange.params["number"])), [])


for _place in _PLACES:
    _add_routes(_place)
