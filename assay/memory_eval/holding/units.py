"""Units of the world's numbers. Counted things have families here: 80 people are not 80 tickets."""

from __future__ import annotations

from assay.memory_eval.graders.reading.units import CURRENCY_SIGNS, UNITS, Unit

_MEASURES = frozenset(UNITS[name].family for name in "usd eur gbp ms gb % kwh m".split())
_OTHER_NAMES = {**{sign: name.lower() for sign, name in CURRENCY_SIGNS.items()}, "per": "%", "kilowatt": "kwh"}
"""First words of "per cent" and "kilowatt hours" among them."""

COUNT_WORDS = {
    **dict.fromkeys(
        "people person employee staff member attendee participant colleague spectator head".split(), "people"
    ),
    **dict.fromkeys("customer client subscriber".split(), "customers"),
    **dict.fromkeys("connection conn".split(), "connections"),
    "ticket": "tickets",
    **dict.fromkeys("sign sign-up signup registration".split(), "signups"),
    **dict.fromkeys("visitor visit tourist".split(), "visitors"),
    **dict.fromkeys("core cpu vcpu".split(), "cores"),
}
"""Singular of a counted thing: its family. Any other word after a number says nothing about its unit."""


def measure_named(word: str) -> Unit | None:
    """Return the unit of measure that a lower-case word after a number names; None for any other word."""
    unit = UNITS.get(_OTHER_NAMES.get(word, word))
    return unit if unit and unit.family in _MEASURES else None
