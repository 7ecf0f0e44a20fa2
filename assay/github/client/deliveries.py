"""Webhook deliveries in GitHub's log; GitHub does not retry by itself, so missed ones are searched and requested."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from pydantic import ValidationError

from assay.github.client.connection import Connection
from assay.github.errors import GithubUnavailable
from assay.github.events.field_types import Id, Moment, Name, Wire


@dataclass(frozen=True, slots=True)
class DeliveryFacts:
    """Attempt to deliver. `guid` is in the webhook's header and stays the same when it is delivered again."""

    id: int
    guid: str
    delivered_at: datetime
    is_redelivery: bool
    status_code: int
    event: str
    action: str | None
    installation_id: int | None
    repository_id: int | None

    @property
    def arrived(self) -> bool:
        return 200 <= self.status_code < 300


class _WireDelivery(Wire):
    id: Id
    guid: Name
    delivered_at: Moment
    redelivery: bool = False
    status_code: Id = 0
    event: Name
    action: Name | None = None
    installation_id: Id | None = None
    repository_id: Id | None = None


def deliveries(connection: Connection, since: datetime) -> Iterator[DeliveryFacts]:
    """Yield deliveries, newest first, back to `since` (timezone-aware)."""
    what = "list webhook deliveries"
    for one in connection.pages("/app/hook/deliveries", what):
        try:
            it = _WireDelivery.model_validate(one)
        except ValidationError:
            raise GithubUnavailable(what, "the answer does not match GitHub's schema") from None
        if it.delivered_at < since:
            return
        yield DeliveryFacts(
            it.id,
            it.guid,
            it.delivered_at,
            it.redelivery,
            it.status_code,
            it.event,
            it.action,
            it.installation_id,
            it.repository_id,
        )


def redeliver(connection: Connection, delivery_id: int) -> None:
    """Request a delivery again, with the same guid."""
    path = f"/app/hook/deliveries/{delivery_id}/attempts"
    connection.send("POST", path, "request a delivery again", is_repeatable=True)
