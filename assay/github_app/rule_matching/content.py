"""Content words of a comment."""

from __future__ import annotations

from functools import cache

from assay.github_app.rule_matching.intents import tables
from assay.github_app.rule_matching.stances import Reading
from assay.github_app.rule_matching.words import BREAK, stem, without_code


def content_words(reading: Reading) -> list[tuple[str, int]]:
    """Return the distinct content stems with their polarity (-1 advised against)."""
    generic = generic_words()
    found: dict[str, int] = {}
    for word, sign in zip(reading.words, reading.governed, strict=True):
        plain = without_code(word)
        if word != BREAK and plain not in generic and (len(plain) > 1 or word != plain) and not plain.isdigit():
            found.setdefault(plain, sign)
    return list(found.items())


@cache
def generic_words() -> frozenset[str]:
    """Return the stems too generic to be the subject of a rule."""
    return frozenset(stem(word) for word in tables()["generic"])
