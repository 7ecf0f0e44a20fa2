"""Webhooks: what happened, signed, sent, and remembered for `/app/hook/deliveries`."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4


def signature(body: bytes, secret: str) -> str:
    """The value of `X-Hub-Signature-256`."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


@dataclass(slots=True)
class Delivery:
    """One webhook: `guid` stays the same when it is delivered again, `id` does not."""

    id: int
    guid: str
    event: str
    action: str | None
    payload: dict[str, Any]
    secret: str
    hook_id: int = 777
    redelivery: bool = False
    delivered_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    duration_s: float = 0.0
    status_code: int = 0
    status: str = "not delivered"
    body: bytes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Write down the bytes that are signed."""
        self.body = json.dumps(self.payload).encode()

    @property
    def headers(self) -> dict[str, str]:
        """What goes with the body, signature included."""
        return headers_for(self.body, self.event, self.secret, guid=self.guid, hook_id=self.hook_id)


def headers_for(body: bytes, event: str, secret: str, *, guid: str = "", hook_id: int = 777) -> dict[str, str]:
    """A webhook's headers as GitHub sends them."""
    return {
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/0000000",
        "X-GitHub-Delivery": guid or str(uuid4()),
        "X-GitHub-Event": event,
        "X-GitHub-Hook-ID": str(hook_id),
        "X-GitHub-Hook-Installation-Target-ID": "4001",
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        "X-Hub-Signature-256": signature(body, secret),
    }


async def send(delivery: Delivery, url: str, client: Any) -> None:
    """Deliver once, as GitHub does: ten seconds to answer, and no second try."""
    began = time.monotonic()
    delivery.delivered_at = datetime.now(UTC)
    try:
        answer = await client.post(url, content=delivery.body, headers=delivery.headers, timeout=10)
        delivery.status_code = answer.status_code
        delivery.status = "OK" if answer.is_success else f"Invalid HTTP Response: {answer.status_code}"
    except Exception as error:  # noqa: BLE001 - whatever went wrong, GitHub shrugs and writes it down
        delivery.status_code = 0
        delivery.status = f"failed to connect to host: {type(error).__name__}"
    delivery.duration_s = time.monotonic() - began
