"""Webhook deliveries as GitHub remembers them: it never sends one twice by itself, so we look for what we missed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from pydantic import ValidationError

from assay.github.client.connection import Connection
from assay.github.errors import GithubUnavailable
from assay.github.events.github_json import Id, Moment, Name, Wire


@dataclass(frozen=True, slots=True)
class DeliveryFacts:
    """One attempt to deliver. `guid` is what the webhook's header said; it stays the same when sent again."""

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
    """Newest first, back to `since` (aware)."""
    what = "list webhook deliveries"
    for one in connection.pages("/app/hook/deliveries", what):
        try:
            it = _WireDelivery.model_validate(one)
        except ValidationError:
            raise GithubUnavailable(what, "the answer is not what GitHub describes") from None
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
    """Have it sent again, under the same guid."""
    path = f"/app/hook/deliveries/{delivery_id}/attempts"
    connection.send("POST", path, "have a webhook sent again", is_repeatable=True)
