"""Reading of request bodies with limits on size and time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from assay.github.errors import ApiRefused, ResultsRefused

if TYPE_CHECKING:
    from fastapi import Request

READ_WITHIN_S = 30.0


async def bounded_body(request: Request, most_bytes: int, refused: type[ApiRefused | ResultsRefused]) -> bytes:
    """Read a body of at most `most_bytes`. Raises `refused`: 413 too large, 408 too slow.

    A body with too large a declared length is not read at all.
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
