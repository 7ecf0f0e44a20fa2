"""The door for GitHub's webhooks: a bounded body, and a signature checked before anything else is looked at."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

from assay.github.errors import WebhookRefused

READ_WITHIN_S = 10.0
"""GitHub gives up after 10 seconds; who sends slower than that is not GitHub."""
MOST_AT_ONCE = 256 * 1024 * 1024
"""Bytes of all bodies that are being read: nobody knows yet whose they are. Room for one is always left."""

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
        WebhookRefused: 503 without a secret or where too much comes at once, 413 too large, 408 too slow, 401 not
            signed or not by GitHub, 400 without the headers GitHub always sends, 415 not JSON.
    """
    if not secret:
        raise WebhookRefused(503, "no webhook secret is set, so nothing can be believed")
    signature = headers.get("x-hub-signature-256")
    _must_be_short(headers.get("content-length"), most_bytes)
    _must_look_signed(signature)
    body = await _bounded(chunks, most_bytes)
    verify(secret, body, signature)
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
    if not hmac.compare_digest(sign(secret, body), _must_look_signed(signature)):
        raise WebhookRefused(401, "signed with another secret, or changed on the way")


def sign(secret: str, body: bytes) -> str:
    """The signature GitHub would send with this body."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def _must_look_signed(signature: str | None) -> str:
    if signature is None or not _SIGNATURE.fullmatch(signature):
        raise WebhookRefused(401, "not signed with sha256")
    return signature


class _Reading:
    """How many bytes of bodies are in memory; one for this process, whose web server is one thread."""

    num_bytes = 0


def _must_be_short(declared: str | None, most: int) -> None:
    """What is declared too large is not read at all."""
    if declared is not None and (not declared.isascii() or not declared.isdigit() or int(declared[:20]) > most):
        raise WebhookRefused(413, f"more than {most} bytes")


async def _bounded(chunks: AsyncIterator[bytes], most: int) -> bytes:
    """The body; what lies about its length is cut off."""
    body = bytearray()
    try:
        async with asyncio.timeout(READ_WITHIN_S):
            async for chunk in chunks:
                body += chunk
                _Reading.num_bytes += len(chunk)
                if len(body) > most:
                    raise WebhookRefused(413, f"more than {most} bytes")
                if _Reading.num_bytes > max(MOST_AT_ONCE, len(body)):
                    raise WebhookRefused(503, "too much comes at once")
    except TimeoutError:
        raise WebhookRefused(408, "the body took too long") from None
    finally:
        _Reading.num_bytes -= len(body)
    return bytes(body)
