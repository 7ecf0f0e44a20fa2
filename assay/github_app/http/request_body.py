"""The body of a request to the web server, read within bounds of size and time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from assay.github.errors import ApiRefused, ResultsRefused

if TYPE_CHECKING:
    from fastapi import Request

READ_WITHIN_S = 30.0


async def bounded_body(request: Request, most_bytes: int, refused: type[ApiRefused | ResultsRefused]) -> bytes:
    """The body as it came, no more than `most_bytes`. Raises `refused`: 413 too large, 408 too slow.

    What is declared too large is not read at all; what lies about its length is cut off.
    """
    declared = request.headers.get("content-length", "0")
    if not declared.isascii() or not declared.isdigit() or int(declared[:20]) > most_bytes:
        raise refused(413, f"more than {most_bytes} bytes")
    body = bytearray()
    try:
        async with asyncio.timeout(READ_WITHIN_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most_bytes:
                    raise refused(413, f"more than {most_bytes} bytes")
    except TimeoutError:
        raise refused(408, "the body took too long") from None
    return bytes(body)
