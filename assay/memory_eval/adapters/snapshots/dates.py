"""The day or moment an entry was written, in any notation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any

_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_MOST_NUMBER = 10**15
_MOST_MOMENT = 10**18
_FIRST, _LAST = datetime(2000, 1, 1, tzinfo=UTC).timestamp(), datetime(2100, 1, 1, tzinfo=UTC).timestamp()


def day_of(value: Any) -> date | None:
    """Return the first ISO day in a text, or the day of a Unix time in seconds or milliseconds; else None."""
    if isinstance(value, str):
        found = _ISO.search(value[:200])
        return _day(*map(int, found.groups())) if found else None
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST_NUMBER:
        for seconds in (value, value / 1000):
            if _FIRST <= seconds < _LAST:
                return datetime.fromtimestamp(seconds, UTC).date()
    return None


def moment_of(value: Any) -> datetime | None:
    """Return a moment, an ISO text or a Unix time in seconds, milliseconds or microseconds as one in UTC; else None.

    A text without a zone is UTC, as the stores write it; a day alone is its midnight.
    """
    if isinstance(value, datetime):
        return _in_utc(value)
    if isinstance(value, str):
        try:
            found = datetime.fromisoformat(value.strip()[:40].removesuffix(" UTC"))
        except ValueError:
            day = day_of(value)
            return None if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC)
        return _in_utc(found)
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST_MOMENT:
        for seconds in (value, value / 1e3, value / 1e6):
            if _FIRST <= seconds < _LAST:
                return datetime.fromtimestamp(seconds, UTC)
    return None


def _in_utc(found: datetime) -> datetime | None:
    try:
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except OverflowError:  # year 1 or 9999, shifted out of the calendar
        return None


def first_day_of(values: Iterable[Any]) -> date | None:
    """Return the day of the first value that has one."""
    return next((day for value in values if (day := day_of(value))), None)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
