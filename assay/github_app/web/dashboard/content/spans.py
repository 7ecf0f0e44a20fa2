"""Periods of the dashboard, and the weeks and months in them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta

PERIODS = {"30": "30 days", "90": "90 days", "180": "half a year", "365": "a year", "all": "all time"}
"""Periods by their URL value."""
USUAL = "180"


def since(period: str, now: datetime) -> datetime | None:
    """Return the start of the period; None for all time."""
    return None if period == "all" else now - timedelta(days=int(period))


def buckets(known: Iterable[str], ends: Iterable[str] = ()) -> list[str]:
    """Return every week (`2026-W09`) or month (`2026-03`) from first to last, including empty ones.

    `ends` are those of the period, which the known ones may not reach; without a known one there is none.
    """
    names = sorted(set(known))
    if not names:
        return []
    names = sorted({*names, *ends})
    step, found = (_week_after if "W" in names[0] else _month_after), [names[0]]
    while found[-1] < names[-1]:
        found.append(step(found[-1]))
    return found


def _week_after(name: str) -> str:
    year, week = name.split("-W")
    then = date.fromisocalendar(int(year), int(week), 1) + timedelta(days=7)
    after = then.isocalendar()
    return f"{after.year}-W{after.week:02}"


def _month_after(name: str) -> str:
    year, month = map(int, name.split("-"))
    return f"{year + month // 12}-{month % 12 + 1:02}"
