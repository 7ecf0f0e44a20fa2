"""Casing of names."""

from __future__ import annotations

import re
from enum import StrEnum


class Casing(StrEnum):
    """Style of a name of several words."""

    snake = "snake_case"
    camel = "camelCase"
    pascal = "PascalCase"
    screaming = "SCREAMING_SNAKE_CASE"
    kebab = "kebab-case"


_STYLES = (
    (Casing.snake, re.compile(r"[a-z0-9]+(?:_+[a-z0-9]+)+")),
    (Casing.screaming, re.compile(r"[A-Z][A-Z0-9]*(?:_+[A-Z0-9]+)+")),
    (Casing.kebab, re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")),
    (Casing.camel, re.compile(r"[a-z]+[a-z0-9]*(?:[A-Z]+[a-z0-9]*)+")),
    (Casing.pascal, re.compile(r"(?:[A-Z][a-z0-9]+)+[A-Z]*|[A-Z]+(?:[A-Z][a-z0-9]+)+")),
)
_LONGEST = 120


def casing_of(name: str) -> Casing | None:
    """Return the style of a name; None for an ambiguous one (one lower word, one letter) or a mix (`visit_Name`)."""
    bare = name.strip("_$")
    if not 1 < len(bare) <= _LONGEST:
        return None
    return next((casing for casing, pattern in _STYLES if pattern.fullmatch(bare)), None)


def rewritten(name: str, casing: Casing) -> str:
    """Return the name in another style, with its leading and trailing underscores."""
    bare = name.strip("_$")
    start = name.index(bare) if bare else 0
    words = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[0-9]+", bare)]
    joined = {
        Casing.snake: "_".join(words),
        Casing.screaming: "_".join(words).upper(),
        Casing.kebab: "-".join(words),
        Casing.camel: "".join(words[:1] + [word.capitalize() for word in words[1:]]),
        Casing.pascal: "".join(word.capitalize() for word in words),
    }[casing]
    return name[:start] + joined + name[start + len(bare) :]
