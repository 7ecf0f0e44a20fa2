"""How a value is looked for in a lexed text: by the keys of a number or date, or by its words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.memory_eval.adapters.extracting.retrieval import singular
from assay.memory_eval.holding.lexing import Lexed, lexed, number_key, number_keys
from assay.memory_eval.holding.told import type_of
from assay.memory_eval.holding.units import COUNT_WORDS, measure_named
from assay.memory_eval.truth import AnswerType
from assay.memory_eval.world.attributes import ATTRIBUTES

LONG_FROM = 4
"""Content words from which a text value is found by most of its words, in any order."""
LONG_SHARE = 0.75
_PREFIX = 4
"""Letters by which words of a long value are compared, so that "deploy" is found in "deploying"."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A value in the forms to look for. Exactly one of the three is not empty.

    `keys`: any of these keys of a number or date. `words`: these tokens in sequence. `many`: most of these tokens.
    """

    keys: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    many: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """One text for equal values, whatever their wording."""
        return (
            min(self.keys, key=lambda key: (key.startswith(":"), key))
            if self.keys
            else " ".join(self.words or self.many)
        )


def wanted(attribute: str, value: Any) -> Wanted:
    """Return the forms of a value of an attribute."""
    kind = type_of(attribute, value)
    if kind is AnswerType.number:
        return Wanted(keys=_number_keys(attribute, float(value)))
    if kind is AnswerType.date:
        return Wanted(keys=frozenset({str(value)}))
    tokens = tuple(lexed(str(value)).tokens)
    return Wanted(many=tokens) if len(tokens) >= LONG_FROM else Wanted(words=tokens)


def spans_of(value: Wanted, text: Lexed) -> Iterator[Span]:
    """Yield where a text has the value, as spans of characters."""
    if value.keys:
        yield from ((one.start, one.end) for one in text.mentions if not value.keys.isdisjoint(one.keys))
    elif value.words:
        yield from _sequences(value.words, text)
    elif value.many and _has_most(value.many, text):
        yield 0, len(text.text)


def _number_keys(attribute: str, value: float) -> frozenset[str]:
    unit = ATTRIBUTES[attribute].unit if attribute in ATTRIBUTES else None
    bare = number_key("", value)
    if unit is None:
        return frozenset({bare})
    measure = measure_named(unit.lower())
    if measure:
        return frozenset({bare, *number_keys(measure, value)})
    return frozenset({bare, number_key(COUNT_WORDS.get(singular(unit), ""), value)})


def _sequences(words: tuple[str, ...], text: Lexed) -> Iterator[Span]:
    tokens, size = text.tokens, len(words)
    begin = 0
    while True:
        try:
            begin = tokens.index(words[0], begin)
        except ValueError:
            return
        if tuple(tokens[begin : begin + size]) == words:
            yield text.spans[begin][0], text.spans[begin + size - 1][1]
        begin += 1


def _has_most(many: tuple[str, ...], text: Lexed) -> bool:
    tokens = set(text.tokens)
    prefixes = {token[:_PREFIX] for token in tokens}
    if any(token[0].isdigit() and token not in tokens for token in many):
        return False
    return sum(token in tokens or token[:_PREFIX] in prefixes for token in many) >= LONG_SHARE * len(many)
