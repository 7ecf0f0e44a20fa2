"""Reading of GitHub's webhooks: a bounded body, whose signature is verified before anything is parsed."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

from assay.github.errors import WebhookRefused

READ_WITHIN_S = 10.0
"""Seconds; GitHub's own time-out for deliveries is 10."""
MOST_AT_ONCE = 256 * 1024 * 1024
"""Maximum bytes of all unverified bodies in memory; one body is always accepted."""

_SIGNATURE = re.compile(r"sha256=[0-9a-f]{64}")
_DELIVERY = re.compile(r"[A-Za-z0-9-]{1,64}")
_EVENT = re.compile(r"[a-z0-9_]{1,64}")


@dataclass(frozen=True, slots=True)
class Delivery:
    """Delivery signed by GitHub, with its unparsed body."""

    id: str
    event: str
    body: bytes


async def read_delivery(
    headers: Mapping[str, str], chunks: AsyncIterator[bytes], *, secret: str, most_bytes: int
) -> Delivery:
    """Read a delivery and verify its signature; `headers` are looked up by lower-case name.

    Raises:
        WebhookRefused: 503 without a secret or above `MOST_AT_ONCE`, 413 too large, 408 too slow, 401 without a valid
            signature, 400 without the headers GitHub always sends, 415 not JSON.
    """
    if not secret:
        raise WebhookRefused(503, "no webhook secret is set, so no signature can be verified")
    signature = headers.get("x-hub-signature-256")
    _must_be_short(headers.get("content-length"), most_bytes)
    _must_look_signed(signature)
    body = await _bounded(chunks, most_bytes)
    verify(secret, body, signature)
    if headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise WebhookRefused(415, "set the webhook's content type to application/json")
    delivery_id, event = headers.get("x-github-delivery", ""), headers.get("x-github-event", "")
    if not _DELIVERY.fullmatch(delivery_id) or not _EVENT.fullmatch(event):
        raise WebhookRefused(400, "X-GitHub-Delivery or X-GitHub-Event is missing or malformed")
    return Delivery(delivery_id, event, body)


def verify(secret: str, body: bytes, signature: str | None) -> None:
    """Check `X-Hub-Signature-256` over the raw bytes, in constant time. Raises `WebhookRefused`."""
    if not secret:
        raise WebhookRefused(503, "no webhook secret is set, so no signature can be verified")
    if not hmac.compare_digest(sign(secret, body), _must_look_signed(signature)):
        raise WebhookRefused(401, "the signature does not match the body and the webhook secret")


def sign(secret: str, body: bytes) -> str:
    """Return the signature that GitHub sends with this body."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def _must_look_signed(signature: str | None) -> str:
    if signature is None or not _SIGNATURE.fullmatch(signature):
        raise WebhookRefused(401, "not signed with sha256")
    return signature


class _BytesInMemory:
    """Bytes of bodies in memory, per process: the web server runs in one thread."""

    num_bytes = 0


def _must_be_short(declared: str | None, most: int) -> None:
    """Refuse a body by its declared length, before reading it."""
    if declared is not None and (not declared.isascii() or not declared.isdigit() or int(declared[:20]) > most):
        raise WebhookRefused(413, f"more than {most} bytes")


async def _bounded(chunks: AsyncIterator[bytes], most: int) -> bytes:
    """Read at most `most` bytes; the declared length may be wrong."""
    body = bytearray()
    try:
        async with asyncio.timeout(READ_WITHIN_S):
            async for chunk in chunks:
                body += chunk
                _BytesInMemory.num_bytes += len(chunk)
                if len(body) > most:
                    raise WebhookRefused(413, f"more than {most} bytes")
                if _BytesInMemory.num_bytes > max(MOST_AT_ONCE, len(body)):
                    raise WebhookRefused(503, "too many deliveries at once")
    except TimeoutError:
        raise WebhookRefused(408, "the body took too long") from None
    finally:
        _BytesInMemory.num_bytes -= len(body)
    return bytes(body)
