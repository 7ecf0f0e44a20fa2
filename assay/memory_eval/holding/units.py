"""Units of the world's numbers, in every form that memories write them."""

from __future__ import annotations

UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("ms", "msec", "millisecond"), ("time", 0.001)),
    **dict.fromkeys(("s", "sec", "second"), ("time", 1.0)),
    **dict.fromkeys(("min", "minute"), ("time", 60.0)),
    **dict.fromkeys(("h", "hr", "hour"), ("time", 3600.0)),
    **dict.fromkeys(("d", "day"), ("time", 86400.0)),
    "week": ("time", 604800.0),
    **dict.fromkeys(("kb", "kib", "kilobyte"), ("bytes", 1e3)),
    **dict.fromkeys(("mb", "mib", "megabyte"), ("bytes", 1e6)),
    **dict.fromkeys(("gb", "gib", "gigabyte"), ("bytes", 1e9)),
    **dict.fromkeys(("tb", "tib", "terabyte"), ("bytes", 1e12)),
    **dict.fromkeys(("%", "percent", "pct", "per"), ("percent", 1.0)),
    **dict.fromkeys(("kwh", "kilowatt"), ("energy", 1.0)),
    "mwh": ("energy", 1e3),
    **dict.fromkeys(("meter", "metre"), ("length", 1.0)),
    **dict.fromkeys(("km", "kilometer", "kilometre"), ("length", 1e3)),
}
"""Singular of a unit: its family, and its factor to the family's own unit."""

COUNT_WORDS = {
    **dict.fromkeys(
        "people person employee staff member attendee participant colleague spectator head".split(), "people"
    ),
    **dict.fromkeys("customer client subscriber".split(), "customers"),
    **dict.fromkeys("connection conn".split(), "connections"),
    "ticket": "tickets",
    **dict.fromkeys("sign signup registration".split(), "signups"),
    **dict.fromkeys("visitor visit tourist".split(), "visitors"),
    **dict.fromkeys("core cpu vcpu".split(), "cores"),
}
"""Singular of a counted thing: its family. Any other word after a number says nothing about its unit."""

MULTIPLIERS = {
    **dict.fromkeys(("k", "thousand"), 1e3),
    **dict.fromkeys(("m", "mn", "mio", "million"), 1e6),
    **dict.fromkeys(("b", "bn", "billion"), 1e9),
}

OF_WORLD: dict[str, tuple[str, float]] = {
    "USD": ("usd", 1.0),
    "people": ("people", 1.0),
    "ms": UNITS["ms"],
    "MB": UNITS["mb"],
    "GB": UNITS["gb"],
    "TB": UNITS["tb"],
    "%": UNITS["%"],
    "connections": ("connections", 1.0),
    "customers": ("customers", 1.0),
    "sign-ups": ("signups", 1.0),
    "tickets": ("tickets", 1.0),
    "kWh": ("energy", 1.0),
    "m": ("length", 1.0),
    "visitors": ("visitors", 1.0),
    "cores": ("cores", 1.0),
    "days": UNITS["day"],
    "minutes": UNITS["min"],
}
"""Family and factor of the units in world/attributes.py."""
