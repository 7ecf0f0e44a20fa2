"""The door for GitHub's webhooks: a bounded body, and a signature checked before anything else is looked at."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

from assay.github_app.errors import WebhookRefused

READ_WITHIN_S = 10.0
"""GitHub gives up after 10 seconds; who sends slower than that is not GitHub."""

_SIGNATURE = re.compile(r"sha256=[0-9a-f]{64}")
_DELIVERY = re.compile(r"[A-Za-z0-9-]{1,64}")
_EVENT = re.compile(r"[a-z0-9_]{1,64}")


@dataclass(frozen=True, slots=True)
class Delivery:
    """A delivery that GitHub signed; its body is not looked into yet."""

    id: str
    event: str
    body: bytes


async def read_delivery(
    headers: Mapping[str, str], chunks: AsyncIterator[bytes], *, secret: str, most_bytes: int
) -> Delivery:
    """Read and believe a delivery.

    `headers` are asked for lower-case names.

    Raises:
        WebhookRefused: 503 without a secret, 413 too large, 408 too slow, 401 not signed or not by GitHub, 400 without
            the headers GitHub always sends, 415 not JSON.
    """
    if not secret:
        raise WebhookRefused(503, "no webhook secret is set, so nothing can be believed")
    body = await _bounded(headers.get("content-length"), chunks, most_bytes)
    verify(secret, body, headers.get("x-hub-signature-256"))
    if headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise WebhookRefused(415, "set the webhook's content type to application/json")
    delivery_id, event = headers.get("x-github-delivery", ""), headers.get("x-github-event", "")
    if not _DELIVERY.fullmatch(delivery_id) or not _EVENT.fullmatch(event):
        raise WebhookRefused(400, "X-GitHub-Delivery or X-GitHub-Event is missing or not as GitHub sends it")
    return Delivery(delivery_id, event, body)


def verify(secret: str, body: bytes, signature: str | None) -> None:
    """Check `X-Hub-Signature-256` over the raw bytes, in constant time. Raises `WebhookRefused`."""
    if not secret:
        raise WebhookRefused(503, "no webhook secret is set, so nothing can be believed")
    if signature is None or not _SIGNATURE.fullmatch(signature):
        raise WebhookRefused(401, "not signed with sha256")
    if not hmac.compare_digest(sign(secret, body), signature):
        raise WebhookRefused(401, "signed with another secret, or changed on the way")


def sign(secret: str, body: bytes) -> str:
    """The signature GitHub would send with this body."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


async def _bounded(declared: str | None, chunks: AsyncIterator[bytes], most: int) -> bytes:
    """The body; what is declared too large is not read at all, what lies about its length is cut off."""
    if declared is not None and (not declared.isascii() or not declared.isdigit() or int(declared[:20]) > most):
        raise WebhookRefused(413, f"more than {most} bytes")
    body = bytearray()
    try:
        async with asyncio.timeout(READ_WITHIN_S):
            async for chunk in chunks:
                body += chunk
                if len(body) > most:
                    raise WebhookRefused(413, f"more than {most} bytes")
    except TimeoutError:
        raise WebhookRefused(408, "the body took too long") from None
    return bytes(body)
