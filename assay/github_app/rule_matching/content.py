"""Which words of a comment tell what it is about."""

from __future__ import annotations

from functools import cache

from assay.github_app.rule_matching.intents import tables
from assay.github_app.rule_matching.stances import Reading
from assay.github_app.rule_matching.words import BREAK, stem, without_code


def content_words(reading: Reading) -> list[tuple[str, int]]:
    """The stems that tell what a text is about, each once, with which way they are governed (-1 advised against)."""
    generic = generic_words()
    found: dict[str, int] = {}
    for word, sign in zip(reading.words, reading.governed, strict=True):
        plain = without_code(word)
        if word != BREAK and plain not in generic and (len(plain) > 1 or word != plain) and not plain.isdigit():
            found.setdefault(plain, sign)
    return list(found.items())


@cache
def generic_words() -> frozenset[str]:
    """The stems that say nothing about what a rule would be about."""
    return frozenset(stem(word) for word in tables()["generic"])
