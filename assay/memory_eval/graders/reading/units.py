"""Units of measure by family: 480 ms is 0.48 s, and neither is 480 s."""

from __future__ import annotations

from dataclasses import dataclass

COUNT = "count"
"""The family of everything that is counted: people, tickets, connections. Its members are not distinguished."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit; `factors` convert to the family's smallest unit, two if usage differs (1 GB: 10^9 or 2^30 bytes)."""

    family: str
    factors: tuple[float, ...]


def _family(name: str, units: str) -> dict[str, Unit]:
    """Parse lines of a factor and all names of a unit, two-word names joined by "_"."""
    rows = [line.split() for line in units.splitlines() if line.strip()]
    return {word.replace("_", " "): Unit(name, (float(factor),)) for factor, *words in rows for word in words}


def _data() -> dict[str, Unit]:
    units = {"bytes": Unit("data", (1,)), "byte": Unit("data", (1,))}
    for power, prefix in enumerate(("kilo", "mega", "giga", "tera", "peta"), start=1):
        both = Unit("data", (1000.0**power, 1024.0**power))
        units |= dict.fromkeys((f"{prefix[0]}b", f"{prefix}byte", f"{prefix}bytes"), both)
        binary = Unit("data", (1024.0**power,))
        units |= dict.fromkeys((f"{prefix[0]}ib", f"{prefix[:2]}bibyte", f"{prefix[:2]}bibytes"), binary)
    return units


_TIME = """
    0.001 us microsecond microseconds
    1 ms msec msecs millisecond milliseconds millis
    1e3 s sec secs second seconds
    6e4 min mins minute minutes
    3.6e6 h hr hrs hour hours
    8.64e7 d day days
    6.048e8 week weeks
"""
_LENGTH = """
    1e-3 mm millimeter millimeters millimetre millimetres
    1e-2 cm centimeter centimeters centimetre centimetres
    1 m meter meters metre metres
    1e3 km kilometer kilometers kilometre kilometres
    0.0254 inch inches
    0.3048 ft foot feet
    0.9144 yard yards
    1609.344 mile miles
"""
_ENERGY = """
    1 wh watt_hour watt_hours
    1e3 kwh kilowatt_hour kilowatt_hours
    1e6 mwh megawatt_hour megawatt_hours
    1e9 gwh gigawatt_hour gigawatt_hours
"""
_MASS = """
    1e-3 mg
    1 gram grams
    28.35 ounce ounces
    453.6 lb lbs
    1e3 kg kilo kilos kilogram kilograms
    1e6 ton tons tonne tonnes
"""

UNITS: dict[str, Unit] = {
    **_family("time", _TIME),
    **_family("month", "1 month months\n 3 quarter quarters\n 12 year years"),
    **_family("length", _LENGTH),
    **_family("USD", "0.01 cent cents\n 1 usd dollar dollars us_dollar us_dollars bucks"),
    **_family("EUR", "1 eur euro euros"),
    **_family("GBP", "1 gbp pound pounds quid"),
    **_family("JPY", "1 jpy yen"),
    **_family("CHF", "1 chf franc francs"),
    **_family("INR", "1 inr rupee rupees"),
    **_family("%", "1 % percent per_cent pct percentage_point percentage_points pp"),
    **_family("energy", _ENERGY),
    **_family("power", "1 watt watts\n 1e3 kw kilowatt kilowatts\n 1e6 mw megawatt megawatts"),
    **_family("mass", _MASS),
    **_family("frequency", "1 hz rpm\n 1e3 khz\n 1e6 mhz\n 1e9 ghz"),
    **_family("speed", "1 kmh\n 1.609 mph\n 1.852 knots"),
    **_family("volume", "1 ml\n 1e3 liter liters litre litres\n 3785 gallon gallons"),
    **_family("temperature", "1 celsius fahrenheit kelvin degree degrees ° °c °f"),
    **_data(),
}
"""Units by the words they are written with, lower case."""

CURRENCY_SIGNS = {"$": "USD", "us$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}

SCALES = {
    **dict.fromkeys("k thousand thousands grand".split(), 1e3),
    **dict.fromkeys("m mn mm mio mil mill million millions".split(), 1e6),
    **dict.fromkeys("b bn billion billions".split(), 1e9),
    **dict.fromkeys("t tn trillion".split(), 1e12),
    "hundred": 1e2,
    "dozen": 12.0,
}
"""Words between a number and its unit."""

MEASURED = frozenset(unit.family for unit in UNITS.values())
"""Families of measured units, as opposed to counted things."""


def unit_named(name: str | None) -> Unit | None:
    """Return the unit of a question's gold; None for a plain number."""
    if name is None or not name.strip():
        return None
    word = name.strip().lower()
    return UNITS.get("dollars" if word in ("usd", "$", "us$") else word, Unit(COUNT, (1.0,)))
