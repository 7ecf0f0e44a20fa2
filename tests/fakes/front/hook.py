"""The App's webhook: what was delivered, and delivering it again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.fakes.front.deliveries import Delivery
from tests.fakes.front.exchange import Answer, Exchange, refused
from tests.fakes.front.routing import ROUTES
from tests.fakes.front.state import INSTALLATION_ID

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

_HERE = "/app/hook/deliveries"


@ROUTES.on("GET", _HERE)
async def listed(front: Front, exchange: Exchange) -> Answer:
    """Newest first, by cursor."""
    if exchange.token is None or exchange.token.kind != "app":
        return refused(401, "A JSON web token could not be decoded")
    size = max(1, min(100, int(exchange.query.get("per_page", 30))))
    found = sorted(front.state.deliveries, key=lambda each: -each.id)
    if wanted := exchange.query.get("status"):
        found = [each for each in found if _is_fine(each) == (wanted == "success")]
    if cursor := exchange.query.get("cursor"):
        found = [each for each in found if each.id < int(cursor.removeprefix("v1_"))]
    page, rest = found[:size], found[size:]
    links = {}
    if rest:
        links["link"] = f'<{front.url}{_HERE}?per_page={size}&cursor=v1_{page[-1].id}>; rel="next"'
    return Answer(200, [_brief(each) for each in page], links)


@ROUTES.on("GET", _HERE + "/{delivery_id}")
async def one(front: Front, exchange: Exchange) -> Answer:
    """One delivery with what was sent and answered."""
    found = _find(front, exchange)
    if isinstance(found, Answer):
        return found
    return Answer(200, _brief(found) | {
        "url": front.state.webhook_url or "",
        "request": {"headers": found.headers, "payload": found.payload},
        "response": {"headers": {}, "payload": ""},
    })  # fmt: skip


@ROUTES.on("POST", _HERE + "/{delivery_id}/attempts")
async def again(front: Front, exchange: Exchange) -> Answer:
    """Deliver again: a new delivery under the old GUID."""
    found = _find(front, exchange)
    if isinstance(found, Answer):
        return found
    copy = json.loads(json.dumps(found.payload))
    number = next(front.state.ids)
    second = Delivery(number, found.guid, found.event, found.action, copy, front.state.webhook_secret, redelivery=True)
    front.state.deliveries.append(second)
    front.deliver(second)
    return Answer(202, {})


@ROUTES.on("GET", "/app/hook/config")
async def config(front: Front, exchange: Exchange) -> Answer:
    """Where webhooks go."""
    if exchange.token is None or exchange.token.kind != "app":
        return refused(401, "A JSON web token could not be decoded")
    url = front.state.webhook_url or ""
    return Answer(200, {"content_type": "json", "secret": "********", "url": url, "insecure_ssl": "0"})


def _find(front: Front, exchange: Exchange) -> Delivery | Answer:
    if exchange.token is None or exchange.token.kind != "app":
        return refused(401, "A JSON web token could not be decoded")
    found = [each for each in front.state.deliveries if str(each.id) == exchange.params["delivery_id"]]
    return found[0] if found else refused(404, "Not Found")


def _is_fine(delivery: Delivery) -> bool:
    return 200 <= delivery.status_code < 300


def _brief(delivery: Delivery) -> dict[str, Any]:
    return {
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": delivery.delivered_at.isoformat(),
        "redelivery": delivery.redelivery,
        "duration": round(delivery.duration_s, 2),
        "status": delivery.status,
        "status_code": delivery.status_code,
        "event": delivery.event,
        "action": delivery.action,
        "installation_id": INSTALLATION_ID,
        "repository_id": delivery.payload.get("repository", {}).get("id"),
        "throttled_at": None,
    }
