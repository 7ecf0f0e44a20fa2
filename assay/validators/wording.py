"""Counts and lists in report texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_CREDENTIALS = re.compile(r"//[^/@\s\"']+@")
MOST_QUOTED = 100


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return `1 warning` or `2 warnings`."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def numbered(names: Iterable[str]) -> Iterator[str]:
    """Yield the names; one that was there before gets a number: `lint`, `lint (2)`."""
    seen: set[str] = set()
    for name in names:
        unique, count = name, 1
        while unique in seen:
            count += 1
            unique = f"{name} ({count})"
        seen.add(unique)
        yield unique


def shortened(text: str, most: int) -> str:
    """Return a text on one line, with `...` at its end if it is longer than `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."


def listed(names: Sequence[str], most: int) -> str:
    """Return `a, b and 3 more`: the first names and the number of others."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def one_line(text: str) -> str:
    """Return a text as one line of printable characters."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def quoted(text: str) -> str:
    """Return a repository text for a reason: short, and without the credentials of an address."""
    plain = _CREDENTIALS.sub("//…@", " ".join(text.split()))
    return plain if len(plain) <= MOST_QUOTED else plain[: MOST_QUOTED - 1] + "…"
