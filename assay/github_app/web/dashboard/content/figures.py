"""Number formats of the dashboard; unknown values are a dash."""

from __future__ import annotations

UNKNOWN = "\N{EN DASH}"


def percent(share: float | None) -> str:
    """Format a share as `42 %`."""
    return UNKNOWN if share is None else f"{share * 100:.0f} %"


def number(value: float | None) -> str:
    """Format a number with two significant digits."""
    return UNKNOWN if value is None else f"{value:,.2f}".rstrip("0").rstrip(".")


def duration(seconds: float | None) -> str:
    """Format a time span in its natural unit."""
    if seconds is None:
        return UNKNOWN
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def in_unit(value: float | None, unit: str) -> str:
    """Format a metric's value: `share` as percent, `s` as a time span, others as a number with its unit."""
    if unit == "share":
        return percent(value)
    if unit == "s":
        return duration(value)
    return number(value)


def difference_in(value: float | None, unit: str) -> str:
    """Format a signed difference; of shares in points: from 40 % to 50 % is 10 points."""
    if value is None:
        return UNKNOWN
    sign = "\N{MINUS SIGN}" if value < 0 else "+"
    return f"{sign}{abs(value) * 100:.0f} points" if unit == "share" else f"{sign}{in_unit(abs(value), unit)}"
