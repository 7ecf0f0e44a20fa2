"""Code scanning: takes SARIF, unpacks it and looks at its size, as GitHub does."""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import zlib
from typing import TYPE_CHECKING
from uuid import uuid4

from tests.fakes.front.exchange import Answer, Exchange, refused
from tests.fakes.front.routing import ROUTES

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

_HERE = "/repos/{owner}/{repo}/code-scanning/sarifs"
_MOST_BYTES = 10 * 1024 * 1024
_MOST_RESULTS = 25_000


@ROUTES.on("POST", _HERE)
async def upload(front: Front, exchange: Exchange) -> Answer:
    """One upload."""
    body = exchange.json or {}
    try:
        packed = base64.b64decode(body["sarif"], validate=True)
        sarif = json.loads(gzip.decompress(packed))
    except (KeyError, ValueError, binascii.Error, OSError, EOFError, zlib.error) as error:
        return refused(400, f"Invalid SARIF. {type(error).__name__}")
    if len(packed) > _MOST_BYTES:
        return refused(413, "Payload too large")
    number = str(uuid4())
    num_results = [len(run.get("results", [])) for run in sarif.get("runs", [])]
    failed = max(num_results, default=0) > _MOST_RESULTS
    front.state.sarifs[number] = body | {"sarif": sarif, "repo": exchange.repo, "failed": failed}
    return Answer(202, {"id": number, "url": f"{front.url}/repos/{exchange.repo}/code-scanning/sarifs/{number}"})


@ROUTES.on("GET", _HERE + "/{sarif_id}")
async def outcome(front: Front, exchange: Exchange) -> Answer:
    """What came of an upload."""
    found = front.state.sarifs.get(exchange.params["sarif_id"])
    if found is None:
        return refused(404, "Not Found")
    if found["failed"]:
        return Answer(200, {"processing_status": "failed", "analyses_url": None, "errors": ["too many results"]})
    return Answer(
        200,
        {
            "processing_status": "complete",
            "analyses_url": f"{front.url}/repos/{exchange.repo}/code-scanning/analyses",
            "errors": None,
        },
    )
