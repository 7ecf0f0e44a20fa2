"""Webhook deliveries in GitHub's log; GitHub does not retry by itself, so missed ones are searched and requested."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from assay.github.client.connection import Connection, understood
from assay.github.events.field_types import Id, Moment, Name, Wire


class DeliveryFacts(Wire):
    """Attempt to deliver. `guid` is in the webhook's header and stays the same when it is delivered again."""

    id: Id
    guid: Name
    delivered_at: Moment
    status_code: Id = 0
    event: Name

    @property
    def arrived(self) -> bool:
        return 200 <= self.status_code < 300


def deliveries(connection: Connection, since: datetime) -> Iterator[DeliveryFacts]:
    """Yield deliveries, newest first, back to `since` (timezone-aware)."""
    what = "list webhook deliveries"
    for one in connection.pages("/app/hook/deliveries", what):
        attempt = understood(DeliveryFacts.model_validate, one, what)
        if attempt.delivered_at < since:
            return
        yield attempt


def delivery_page(connection: Connection, cursor: str | None) -> tuple[tuple[DeliveryFacts, ...], str | None]:
    """Return a page of deliveries, newest first, and the cursor of the next one; None for the last."""
    what = "list webhook deliveries"
    parameters = {} if cursor is None else {"cursor": cursor}
    found, following = connection.page("/app/hook/deliveries", what, parameters)
    return tuple(understood(DeliveryFacts.model_validate, one, what) for one in found), (following or {}).get("cursor")


def redeliver(connection: Connection, delivery_id: int) -> None:
    """Request a delivery again, with the same guid."""
    path = f"/app/hook/deliveries/{delivery_id}/attempts"
    connection.send("POST", path, "request a delivery again", is_repeatable=True)
