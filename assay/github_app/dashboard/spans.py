"""Spans of time on the pages: how far back one looks, and the weeks and months in between."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta

PERIODS = {"30": "30 days", "90": "90 days", "180": "half a year", "365": "a year", "all": "all there is"}
"""How far back a page looks, by the value in its address."""
USUAL = "180"


def since(period: str, now: datetime) -> datetime | None:
    """From when on pull requests count; None: from the first."""
    return None if period == "all" else now - timedelta(days=int(period))


def buckets(known: Iterable[str]) -> list[str]:
    """Every week (`2026-W09`) or month (`2026-03`) from the first to the last: those where nothing happened too."""
    names = sorted(set(known))
    if not names:
        return []
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
