"""Extract a rule in normal form from a review comment, without a language model.

"Please don't use any here!" -> CanonicalRule("Rule: use explicit types, not `any`", ...)
"nit: this is redundant" -> None
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from functools import cache
from typing import Any

from assay.github_app.rule_matching.comment_text import CommentText, prose
from assay.github_app.rule_matching.gate import holds_rule
from assay.github_app.rule_matching.intents import (
    Intent,
    content_words,
    has_phrase,
    intent_of_sentence,
    is_answer,
    sentences,
    tables,
)
from assay.github_app.rule_matching.languages import language_said
from assay.github_app.rule_matching.phrasebook import known_rule
from assay.github_app.rule_matching.polarity import Reading, read
from assay.github_app.rule_matching.weights import calibration, weight_of
from assay.github_app.rule_matching.wording import imperative
from assay.github_app.rule_matching.words import BREAK, CODE, stem, without_code

SHORT = 240
"""Maximum length of a comment used whole; of a longer one, only the sentence that states the advice is used."""

MOST_SAID = 700
MOST_OBJECTS = 6
_VALUE = r"[\"'`]?[\w./-]{1,30}[\"'`]?"
_VALUE_FOR_VALUE = re.compile(
    rf"(?i)\b(?:should|must|need to)\s+(?:be|say|read)\s+{_VALUE},?\s*(?:,|not|instead of|rather than)"
    rf"\s+(?:not\s+)?{_VALUE}\W*$"
)
_PERSONAL = re.compile(r"(?i)\W*(?:i|i'm|i've|i'll|my|me|you|we were|we had|hope|hmm|hi|hey|sorry|moving|adding)\b")
_STANDING = re.compile(r"(?i)\balready\b")
"""Said of how things are, where nothing is asked for."""

_FORBIDDING = frozenset(("dont", "never", "avoid", "stop"))
_BAD_START = re.compile(r"(?i)^(?:never|no|avoid|do not|don't|drop|remove)\b")
_NO = re.compile(r"(?i)\bno\b")


class Polarity(StrEnum):
    """Whether a rule asks for something, advises against it, or prefers one thing to another."""

    do = "do"
    dont = "dont"
    prefer = "prefer"


@dataclass(frozen=True, slots=True)
class CanonicalRule:
    """Rule in normal form. `said` is the sentence of the comment that states it, which comparisons use too.

    `objects` and `over` (the rejected alternatives) are stems. `key` is a hash of the normal form, 12 hex digits.
    `focus` is the share of the comment's prose that `said` is, 1 for a rule without a comment.
    """

    text: str
    polarity: Polarity
    action: str
    objects: tuple[str, ...]
    over: tuple[str, ...]
    language: str | None
    paths: tuple[str, ...]
    key: str
    said: str = ""
    focus: float = 1.0

    def as_mapping(self) -> dict[str, Any]:
        """Return the rule as JSON data; `rule_from` reads it back."""
        return asdict(self)


def canonical_rule(comment: CommentText) -> CanonicalRule | None:
    """Return the rule in a comment; None for questions, praise, answers and corrections of a single place."""
    rule = asked_for(comment)
    return rule if rule is not None and starts_rule(rule) else None


def asked_for(comment: CommentText) -> CanonicalRule | None:
    """Return what a comment asks for as a rule, also where it may hold for this place only; None if it asks nothing."""
    body = prose(comment.body)
    said = _advice_in(body)
    known = known_rule(said) if said else ""
    if not said or not (known or _lasts(said, read(said))):
        return None
    rule = rule_of(said, comment.path, f"Rule: {(known or imperative(said)).rstrip('.')}")
    return replace(rule, focus=round(min(1.0, len(said) / len(body)), 3))


def starts_rule(rule: CanonicalRule) -> bool:
    """Return whether a comment's words pass the gate, so that it may start a rule."""
    return bool(known_rule(rule.said)) or holds_rule(rule.said) >= gate()


def gate() -> float:
    """Return the log odds of `holds_rule` from which a comment counts as stating a rule."""
    return float(calibration()["gate"])


def rule_from(mapping: Mapping[str, Any]) -> CanonicalRule:
    """Parse the result of `as_mapping`, also after a JSON round trip; raises `ValueError` if it is not a rule."""
    known = {field.name for field in fields(CanonicalRule)}
    try:
        values = {name: value for name, value in mapping.items() if name in known}
        for name in ("objects", "over", "paths"):
            values[name] = tuple(str(one) for one in values[name])
        return CanonicalRule(**{**values, "polarity": Polarity(values["polarity"])})
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"not a canonical rule: {type(error).__name__}") from None


def stated(text: str) -> CanonicalRule:
    """Return a rule that a person worded, without a comment."""
    said = text.removeprefix("Rule: ").strip().rstrip(".")
    return replace(rule_of(said, None, f"Rule: {said}"), said="")


def rule_of(said: str, path: str | None, text: str) -> CanonicalRule:
    """Return the normal form of a comment's words, with `text` as its wording."""
    worded = text.removeprefix("Rule: ")
    reading = read(known_rule(said) or said)
    content = content_words(reading)
    asked = [word for word, sign in content if sign == 1]
    # "no print, use the logger" is against print; "no tests" alone asks for tests.
    turned = -2 if asked and _NO.search(said) else -1
    against = [word for word, sign in content if sign in (-1, turned)]
    wanted = [word for word, _ in content if word not in against]
    polarity = _polarity(worded, wanted, against)
    objects = _heaviest(against if polarity is Polarity.dont and against else wanted or against)
    over = _heaviest(against) if polarity is Polarity.prefer else ()
    action = _action(reading, polarity)
    normal = json.dumps([str(polarity), action, sorted(objects), sorted(over)])
    return CanonicalRule(
        text=text,
        polarity=polarity,
        action=action,
        objects=objects,
        over=over,
        language=language_said(said, path),
        paths=(),
        key=hashlib.sha256(normal.encode("utf-8", "surrogatepass")).hexdigest()[:12],
        said=said,
    )


def _advice_in(body: str) -> str:
    """Return the words of a cleaned comment that state advice: all of a short one, else its likeliest sentence."""
    parts = sentences(body)
    asking = [part for part in parts if _may_advise(part)]
    if not asking:
        return ""
    whole = " ".join(parts)
    return whole if len(whole) <= SHORT else max(asking, key=holds_rule)[:MOST_SAID]


def _may_advise(sentence: str) -> bool:
    """Return whether a sentence asks for a change, or only names a problem: "a div isn't a button", "no timeout"."""
    kind = intent_of_sentence(sentence)
    if kind is not Intent.other:
        return kind is Intent.asks
    return not is_answer(sentence) and not _PERSONAL.match(sentence) and not _STANDING.search(sentence)


def _lasts(said: str, reading: Reading) -> bool:
    """Return whether the words may apply beyond this place."""
    plain = " ".join(re.findall(r"[^\W_]+(?:['+-][^\W_]+)*", said.lower())[:150])
    lasting = has_phrase(plain, "lasting")
    if _VALUE_FOR_VALUE.search(said) or (has_phrase(plain, "one_off") and not lasting):
        return False
    content = [word for word, _ in content_words(reading)]
    if not content or all(word in _process_words() for word in content):
        return False
    names_code = any(word.endswith(CODE) for word in reading.words)
    return lasting or names_code or len(content) >= 2 or not _FORBIDDING.isdisjoint(reading.words)


@cache
def _process_words() -> frozenset[str]:
    return frozenset(map(stem, tables()["process"]))


def _polarity(text: str, wanted: list[str], against: list[str]) -> Polarity:
    if against and wanted:
        return Polarity.prefer
    if _BAD_START.match(text) or against:
        return Polarity.dont
    return Polarity.do


def _action(reading: Reading, polarity: Polarity) -> str:
    for word, sign in zip(reading.words, reading.governed, strict=True):
        if word != BREAK and sign == (-1 if polarity is Polarity.dont else 1):
            return without_code(word)
    return "avoid" if polarity is Polarity.dont else "use"


def _heaviest(words: list[str]) -> tuple[str, ...]:
    return tuple(sorted(dict.fromkeys(words), key=lambda word: (-weight_of(word), word))[:MOST_OBJECTS])
