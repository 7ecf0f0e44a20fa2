"""Statements of an entry: the words of each sentence, the names in it, and whether it denies.

Two entries are compared by them wherever texts cannot be: in the record of a memory, which has no text, and in its
health. `loves` and `hates` are one word with opposite signs, so that a reversal shows as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

MOST_STATEMENTS = 400
"""Sentences of one entry; entries are split at 20,000 characters."""

_BREAK = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"\w+(?:[.,:/@'-]\w+)*")
_NAME = re.compile(r"[^\W\d_a-z][^\W\d_]*(?:['-][^\W\d_]+)*")
_STOP = frozenset(
    "a an the of to in on at as is are was were be been am it its that this these those and or has have had"
    " do does did s now any ever".split()
)
_DENIALS = frozenset("not no never nor neither without cannot nothing none longer stopped".split())
_LIKES = frozenset("like likes liked love loves loved enjoy enjoys adore adores prefer prefers favours favors".split())
_DISLIKES = frozenset("dislike dislikes hate hates hated detest detests loathe loathes avoid avoids refuses".split())


class Statement(NamedTuple):
    """One sentence, for comparing; `names` are the capitalized words in it and are not among `words`."""

    words: frozenset[str]
    names: frozenset[str]
    is_denied: bool

    @property
    def all_words(self) -> frozenset[str]:
        """The words and the names."""
        return self.words | self.names


def names_within(texts: Iterable[str]) -> frozenset[str]:
    """Return the words that are capitalized inside sentences, where only names are."""
    return frozenset(
        word.casefold().removesuffix("'s")
        for text in texts
        for sentence in _BREAK.split(text)
        for word in _WORD.findall(sentence)[1:]
        if _NAME.fullmatch(word)
    )


def statements_of(text: str, known_names: frozenset[str]) -> tuple[Statement, ...]:
    """Return the statements of a text; a word at the start of a sentence is a name if it is a known one."""
    found = (_statement(sentence, known_names) for sentence in _BREAK.split(text)[:MOST_STATEMENTS])
    return tuple(one for one in found if one.all_words)


def _statement(sentence: str, known_names: frozenset[str]) -> Statement:
    words: set[str] = set()
    names: set[str] = set()
    num_denials = 0
    for word in _WORD.findall(sentence.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")):
        plain = word.casefold().removesuffix("'s")
        if plain in _DENIALS or plain.endswith("n't"):
            num_denials += plain != "longer"
        elif plain in _LIKES or plain in _DISLIKES:
            num_denials += plain in _DISLIKES
            words.add("like")
        elif plain not in _STOP:
            is_name = _NAME.fullmatch(word) is not None and plain in known_names
            (names if is_name else words).add(_singular(plain))
    return Statement(frozenset(words), frozenset(names), num_denials % 2 == 1)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
