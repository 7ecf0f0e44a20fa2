"""Changes of a package's constraint: to an address, back, to another major version, wider or narrower."""

from __future__ import annotations

import re
from enum import StrEnum

_ADDRESS = re.compile(
    r"@ |git[+@:]|(?:git|https?|ssh|file)://|(?:github|gitlab|bitbucket|gist):|[\w.-]+/[\w.-]+(?:#|$)"
)
_REVISION = re.compile(r"(?<=[\w/])@[\w./-]+$")
_LOCAL = re.compile(r"(?:@ )?(?:file:|[./~])|@ [\w-]+(?:/[\w.-]+)*/?$", re.IGNORECASE)
"""Address that is a path, such as `@ libs/name`, unlike npm's `owner/name`."""
_ONE = re.compile(r"(?:^|(?<=[\s,(\[|]))(===?|~=|!=|<=|>=|~>|<|>|\^|~|=)?\s{0,9}v?(\d{1,9}(?:\.\d{1,9}){0,3})")
Numbers = tuple[int, ...]


class Move(StrEnum):
    """Kind of constraint change; the value is its wording in a statement, with `{}` for the packages."""

    to_address = "takes {} from an address instead of a registry"
    back = "moves {} back to an earlier version"
    major = "requires another major version of {}"
    early = "requires another minor version of {}, before 1.0"
    from_address = "takes {} from a registry instead of an address"
    wider = "allows more versions of {}"
    narrower = "allows fewer versions of {}"
    other = "moves the version of {}"


def move(ecosystem: str, was: str | None, now: str | None) -> Move:
    """Return the kind of constraint change; `other` also if the two cannot be compared."""
    if _is_address(now) or _is_address(was):
        if _is_address(now) == _is_address(was):
            return Move.other
        return Move.to_address if _is_address(now) else Move.from_address
    before, after = bounds(ecosystem, was), bounds(ecosystem, now)
    if before is None or after is None:
        return Move.other
    (low, high), (new_low, new_high) = before, after
    if new_low > low:
        if was is None or not low:
            return Move.narrower
        if new_low[:1] != low[:1]:
            return Move.major
        return Move.early if low[0] == 0 and new_low[:2] != low[:2] else Move.other
    if new_low < low:
        return Move.wider if new_high is None or new_high > low else Move.back
    return _by_ends(high, new_high)


def _by_ends(high: Numbers | None, new_high: Numbers | None) -> Move:
    if high == new_high:
        return Move.other
    return Move.wider if new_high is None or (high is not None and new_high > high) else Move.narrower


def _is_address(version: str | None) -> bool:
    return version is not None and _ADDRESS.match(version) is not None


def source_of(version: str | None) -> str | None:
    """Return the address a package is fetched from, without branch or commit; None for a registry or a folder."""
    if not _is_address(version) or version is None or _LOCAL.match(version):
        return None
    address = re.split(r"[#?]", version.removeprefix("@ "), maxsplit=1)[0]
    return _REVISION.sub("", address).removeprefix("git+")


def bounds(ecosystem: str, version: str | None) -> tuple[Numbers, Numbers | None] | None:
    """Return (lowest version, first excluded version or None); None for a constraint without a number."""
    if version is None:
        return (), None
    ranges = [_range(ecosystem, part) for part in re.split(r"\|\|?", version)]
    known = [found for found in ranges if found is not None]
    if not known:
        return None
    highs = [high for _, high in known]
    return min(low for low, _ in known), None if None in highs else max(high for high in highs if high is not None)


def _range(ecosystem: str, text: str) -> tuple[Numbers, Numbers | None] | None:
    lows: list[Numbers] = []
    highs: list[Numbers] = []
    for match in _ONE.finditer(text[:500]):
        numbers = _numbers(match[2])
        match match[1]:
            case "!=":
                continue
            case "<" | "<=":
                highs.append(numbers if match[1] == "<" else (*numbers, 0))
            case ">" | ">=":
                lows.append(numbers)
            case _:
                lows.append(numbers)
                highs.extend(_end(match[1] or _BARE.get(ecosystem, "="), numbers))
    if not lows and not highs:
        return None
    return max(lows, default=()), min(highs, default=None)


_BARE = {"cargo": "^"}
"""Meaning of a version without an operator; in other ecosystems it is exact, as the one that Go then selects."""


def _end(operator: str, numbers: Numbers) -> list[Numbers]:
    """Return the first excluded version."""
    padded = (*numbers, 0, 0)
    match operator:
        case ">=":
            return []
        case "^":
            return [(padded[0] + 1,) if padded[0] else (0, padded[1] + 1)]
        case "~":
            return [(padded[0], padded[1] + 1)]
        case "~=" | "~>":
            kept = numbers[:-1] or numbers
            return [(*kept[:-1], kept[-1] + 1)]
        case _:
            return [(*numbers, 0)]


def _numbers(text: str) -> Numbers:
    numbers = [int(part) for part in text.split(".")]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
