"""Advice that reviewers of any project give (advice.yaml), recognised in a comment by word patterns.

A pattern shows what a comment asks for, not that two comments are the same: it groups past comments for a maintainer to
read, and causes no reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from assay.github_app.rule_matching.comment_text import prose
from assay.github_app.rule_matching.intents import Intent, intent_of_sentence, is_answer, sentences
from assay.github_app.rule_matching.languages import language_of

MOST_CHARACTERS = 200
"""Prose of a comment that is read as one request; of a longer one only the first sentence counts."""

MOST_OF_SENTENCE = 140
"""Longest sentence that is read: in longer ones the words of a pattern stand by chance."""

# Words and what stands between them have no character in common, so there is one way to read a text: no pattern
# takes longer than the text is.
_WORD = r"[\w`'&!.()]"
_BETWEEN = r"[^\w`'&!.()]+"
_NEXT = rf"[`)]?{_BETWEEN}[`(]?"
_GAP = rf"[`)]?(?:{_BETWEEN}{_WORD}+){{0,%d}}?{_BETWEEN}[`(]?"
_NOT = re.compile(
    r"(?i)(?:\b(?:no|not|never|without|already|thanks|thank|for now|instead of|rather than|unless)|n't)"
    r"(?:\W+\w+){0,2}\W+$"
)

_TOLD = re.compile(r"(?i)\W*(?:i|we)(?:'ll|'ve| will| have| opted| did| added| moved| renamed| split)\b|it'?s fine\b")
"""How a person states what they did or will do."""


@dataclass(frozen=True, slots=True, eq=False)
class Advice:
    """A rule in the wording of a style guide, why, how comments ask for it, and its language (None: any)."""

    rule: str
    why: str
    asks: tuple[re.Pattern[str], ...]
    language: str | None = None

    @property
    def forbids(self) -> bool:
        """Whether a comment asks for it with a negation too: "we should not swallow this"."""
        return self.rule.startswith(("Avoid ", "Never ", "Do not "))


@cache
def advice() -> tuple[Advice, ...]:
    """Return all advice, in the order of the file."""
    import yaml

    raw = yaml.safe_load(files("assay.github_app.learning.extract").joinpath("advice.yaml").read_text("utf-8"))
    return tuple(Advice(one["rule"], one["why"], tuple(map(_pattern, one["asks"])), one.get("in")) for one in raw)


def why_of(rule: str) -> str:
    """Return the reason for a rule of `advice`; "" for any other."""
    return next((one.why for one in advice() if one.rule == rule), "")


def advice_in(body: str, path: str | None = None) -> str:
    """Return the rule that a raw comment asks for, by the pattern with the most words and gaps; "" for none."""
    text = prose(body)
    first = sentences(text)[: 3 if len(text) <= MOST_CHARACTERS else 1]
    language = language_of(path) if path else None
    for sentence in first:
        if len(sentence) > MOST_OF_SENTENCE or not _may_ask(sentence):
            continue
        found = max(_hits(sentence, language), key=lambda hit: hit[1], default=None)
        if found is not None:
            return found[0]
    return ""


def _may_ask(sentence: str) -> bool:
    return not (intent_of_sentence(sentence) is Intent.praise or is_answer(sentence) or _TOLD.match(sentence))


def _hits(sentence: str, language: str | None) -> Iterator[tuple[str, int]]:
    """Yield each rule that a sentence asks for, with the number of words and gaps in its first pattern that fits."""
    for one in advice():
        if one.language not in (None, language):
            continue
        for pattern in one.asks:
            match = pattern.search(sentence)
            if match and (one.forbids or not _NOT.search(sentence[: match.start()])):
                yield one.rule, pattern.pattern.count("(?:")
                break


def _pattern(row: str) -> re.Pattern[str]:
    between = {"..": _GAP % 4, ".": _GAP % 2}
    made = ""
    for word in row.split():
        if word in between:
            made += between[word]
        else:
            made += ("" if not made or made.endswith(tuple(between.values())) else _NEXT) + _word(word)
    return re.compile(rf"(?<![\w-]){made}(?![\w-])", re.IGNORECASE)


def _word(word: str) -> str:
    return "(?:" + "|".join(re.escape(one) for one in word.split("|")) + ")"
