"""Figures as people read them; what is not known is a dash."""

from __future__ import annotations

UNKNOWN = "\N{EN DASH}"


def percent(share: float | None) -> str:
    """A share as `42 %`."""
    return UNKNOWN if share is None else f"{share * 100:.0f} %"


def number(value: float | None) -> str:
    """A number with two digits that count, no more."""
    return UNKNOWN if value is None else f"{value:,.2f}".rstrip("0").rstrip(".")


def duration(seconds: float | None) -> str:
    """A time span in the unit one would say it in."""
    if seconds is None:
        return UNKNOWN
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def in_unit(value: float | None, unit: str) -> str:
    """A metric's value: `share` as percent, `s` as a time span, anything else as a number with its unit."""
    if unit == "share":
        return percent(value)
    if unit == "s":
        return duration(value)
    return number(value)


def difference_in(value: float | None, unit: str) -> str:
    """A difference with its sign; of shares in points: from 40 % to 50 % are 10 points."""
    if value is None:
        return UNKNOWN
    sign = "\N{MINUS SIGN}" if value < 0 else "+"
    return f"{sign}{abs(value) * 100:.0f} points" if unit == "share" else f"{sign}{in_unit(abs(value), unit)}"
