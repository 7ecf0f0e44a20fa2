"""Field types of bodies and queries, with their limits."""

from __future__ import annotations

import base64
import binascii
import json
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import Query
from pydantic import AfterValidator, AwareDatetime, Field, JsonValue

from assay.github.errors import ApiRefused
from assay.github_app.provenance.declarations import TASK_ID

MOST_TEXT = 64 * 1024
MOST_PROMPT = 256 * 1024
MOST_DATA_CHARS = 16 * 1024
MOST_PAGE = 200
AHEAD = timedelta(days=1)
_REPOSITORY = r"^[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}$"


def _plausible(at: datetime) -> datetime:
    """Return the time in UTC; refuse times that are probably in another unit. Clocks may be off by a day."""
    if not 2000 <= at.year < 2200 or at > datetime.now(UTC) + AHEAD:
        raise ValueError("must be a time with time zone, between the year 2000 and tomorrow")
    return at.astimezone(UTC)


def _small(data: dict[str, Any]) -> dict[str, Any]:
    try:
        text = json.dumps(data, allow_nan=False)
    except ValueError:
        raise ValueError("not JSON: NaN or infinity") from None
    if len(text) > MOST_DATA_CHARS:
        raise ValueError(f"more than {MOST_DATA_CHARS} characters")
    return data


TaskId = Annotated[str, Field(pattern=TASK_ID)]
RepositoryName = Annotated[str, Field(pattern=_REPOSITORY)]
Moment = Annotated[AwareDatetime, AfterValidator(_plausible)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Line = Annotated[str, Field(min_length=1, max_length=500)]
Text = Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]
Prompt = Annotated[str, Field(min_length=1, max_length=MOST_PROMPT)]
Count = Annotated[int, Field(ge=0, lt=2**53)]
Seconds = Annotated[float, Field(ge=0, le=10 * 365 * 86400, allow_inf_nan=False)]
Data = Annotated[dict[str, JsonValue], AfterValidator(_small)]

InRepository = Annotated[str | None, Query(alias="repo", pattern=_REPOSITORY)]
Question = Annotated[str | None, Query(alias="q", min_length=1, max_length=500)]
PageSize = Annotated[int, Query(alias="limit", ge=1, le=MOST_PAGE)]
After = Annotated[str | None, Query(alias="after", max_length=400)]
"""Cursor of the previous page (`next` in its response)."""


def mark(at: datetime, last_id: str) -> str:
    """Return the cursor for the page after this item."""
    return base64.urlsafe_b64encode(json.dumps([at.isoformat(), last_id]).encode()).rstrip(b"=").decode()


def place_of(after: str | None) -> tuple[datetime, str] | None:
    """Return time and id of a cursor's item. Raises `ApiRefused` (422) for a malformed cursor."""
    if after is None:
        return None
    try:
        at, last_id = json.loads(base64.urlsafe_b64decode(after + "=" * (-len(after) % 4)))
        moment = datetime.fromisoformat(at)
        if not isinstance(last_id, str) or moment.tzinfo is None:
            raise ValueError
        return moment.astimezone(UTC), last_id
    except (ValueError, TypeError, OverflowError, RecursionError, binascii.Error):
        raise ApiRefused(422, "after: must be `next` of an earlier page", code="api.invalid-page") from None
