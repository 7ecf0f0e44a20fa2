"""Parsing of form posts, with size limits, from the dashboard's own pages only."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl

from fastapi import HTTPException, Request

MOST_FORM_BYTES = 64 * 1024
MOST_FIELDS = 40
_OURS = ("same-origin", "none")


async def form(request: Request) -> Mapping[str, str]:
    """Parse the fields of a form; reject one that the browser says comes from another site (403).

    Raises:
        HTTPException: 403, 413 or 415. The caller checks that the form belongs to the session.
    """
    if request.headers.get("sec-fetch-site", "same-origin") not in _OURS:
        raise HTTPException(403, "This form was sent by another site.")
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        raise HTTPException(415, "This is not a form.")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_FORM_BYTES:
            raise HTTPException(413, "This form is too large.")
    try:
        return dict(parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        raise HTTPException(400, "This form cannot be read.") from None
