"""Extract a rule in normal form from a review comment, without a language model.

"Please don't use any here!" -> CanonicalRule("Rule: use explicit types, not `any`", ...)
"nit: this is redundant" -> None
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from functools import cache
from math import fsum
from typing import Any

from assay.github_app.rule_matching.comment_text import CommentText, prose
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
from assay.github_app.rule_matching.lexicon import lexicon
from assay.github_app.rule_matching.network import holds_rule
from assay.github_app.rule_matching.stances import Reading, read
from assay.github_app.rule_matching.weights import calibration, weight_of
from assay.github_app.rule_matching.words import BREAK, stem, without_code

MOST_SAID = 700
SHORT = 240
"""Maximum length of a comment used whole; only the asking sentences of longer ones are used."""

MOST_OBJECTS = 6
_SURE = 1.0
_VALUE = r"[\"'`]?[\w./-]{1,30}[\"'`]?"
_VALUE_FOR_VALUE = re.compile(
    rf"(?i)\b(?:should|must|need to)\s+(?:be|say|read)\s+{_VALUE},?\s*(?:,|not|instead of|rather than)"
    rf"\s+(?:not\s+)?{_VALUE}\W*$"
)
_EXPLAINED = 0.75
"""Share of the content words, by weight, that the lexicon must recognise to word the rule."""

_KNOWN, _KNOWN_WELL = 1.5, 3.0

_TELLING = 3
"""Fewest content words of a complaint that may apply elsewhere."""

_PERSONAL = re.compile(r"(?i)\W*(?:i|i'm|i've|i'll|my|me|you|we were|we had|hope|hmm|hi|hey|sorry|moving|adding)\b")
_FORBIDDING = frozenset(("dont", "never", "avoid", "stop"))
_BAD_START = re.compile(r"(?i)^(?:never|no|avoid|do not|don't|drop|remove)\b")


class Polarity(StrEnum):
    """Whether a rule asks for something, advises against it, or prefers one thing to another."""

    do = "do"
    dont = "dont"
    prefer = "prefer"


@dataclass(frozen=True, slots=True)
class CanonicalRule:
    """Rule in normal form. `said` is the shortened comment, which comparisons use.

    `objects` and `over` (the rejected alternatives) are stems. `axis` is the lexicon's name, prefixed with a minus for
    the opposite side and empty if unknown. `key` is a hash of the normal form, 12 hex digits.
    """

    text: str
    polarity: Polarity
    action: str
    objects: tuple[str, ...]
    over: tuple[str, ...]
    language: str | None
    paths: tuple[str, ...]
    key: str
    axis: str = ""
    said: str = ""

    def as_mapping(self) -> dict[str, Any]:
        """Return the rule as JSON data; `rule_from` reads it back."""
        return asdict(self)


def canonical_rule(comment: CommentText) -> CanonicalRule | None:
    """Return the rule in a comment; None for questions, praise, answers and corrections of a single place."""
    text = prose(comment.body)
    said = _asking_text(text)
    if not said:
        return None
    reading = read(said)
    if not _lasts(said, reading) or holds_rule(text) + _lexicon_bonus(reading) < gate():
        return None
    return rule_of(said, reading, comment.path)


def gate() -> float:
    """Return the network's log odds from which a comment counts as holding a rule."""
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


def rule_of(said: str, reading: Reading, path: str | None, text: str = "") -> CanonicalRule:
    """Return the normal form of a comment's words; `text` overrides the wording."""
    axis, side = strongest(reading)
    content = content_words(reading)
    against = [word for word, sign in content if sign == -1]
    wanted = [word for word, sign in content if sign != -1]
    axis_end = f"{'' if side > 0 else '-'}{axis}" if axis else ""
    rule_text = wording_of(axis_end)
    if rule_text and not _says_it(rule_text, reading.evidence[axis], dict(content)):
        rule_text = ""
    polarity = _polarity(rule_text, wanted, against)
    objects = _heaviest(against if polarity is Polarity.dont and against else wanted or against)
    over = _heaviest(against) if polarity is Polarity.prefer else ()
    action = _action(reading, polarity)
    normal = json.dumps([str(polarity), action, sorted(objects), sorted(over), axis_end])
    return CanonicalRule(
        text=text or f"Rule: {rule_text or _shortly(said)}",
        polarity=polarity,
        action=action,
        objects=objects,
        over=over,
        language=language_said(said, path),
        paths=(),
        key=hashlib.sha256(normal.encode("utf-8", "surrogatepass")).hexdigest()[:12],
        axis=axis_end,
        said=said,
    )


def wording_of(axis_end: str) -> str:
    """Return the lexicon's wording for one side of an axis, as named by `CanonicalRule.axis`; "" for none."""
    axis = lexicon().axes.get(axis_end.removeprefix("-"))
    return "" if axis is None else (axis.opposite if axis_end.startswith("-") else axis.rule)


def strongest(reading: Reading) -> tuple[str, float]:
    """Return the axis with the most evidence and its side; ("", 0) if none is certain.

    Broad axes are used only if no specific one is certain.
    """
    sure = {
        axis: side
        for axis, side in reading.stances.items()
        if abs(side) >= _SURE and (side > 0 or lexicon().axes[axis].opposite)
    }
    if not sure:
        return "", 0.0

    def rank(name: str) -> tuple[bool, float, str]:
        return not lexicon().axes[name].is_broad, fsum(map(weight_of, reading.evidence[name])), name

    axis = max(sure, key=rank)
    return axis, sure[axis]


def _says_it(rule_text: str, evidence: frozenset[str], content: Mapping[str, int]) -> bool:
    """Return whether the lexicon's wording covers the comment and does not contradict it.

    Rules are delivered to agents literally. If the wording omits half of what the reviewer named, or asks for what the
    reviewer advises against, the reviewer's own words are the better rule.
    """
    total = fsum(map(weight_of, content))
    if not total:
        return True
    if fsum(weight_of(word) for word in content if word in evidence) < _EXPLAINED * total:
        return False
    worded = dict(content_words(read(rule_text)))
    shared = worded.keys() & content.keys()
    opposed = {word for word in shared if (worded[word] < 0) != (content[word] < 0)}
    # A pattern of several words covers what "don't use any types" is against; a single word does not cover "no Lombok".
    return bool(shared) and (not opposed or (len(evidence) > 1 and opposed <= evidence))


def _asking_text(body: str) -> str:
    parts = sentences(body)
    asking = [part for part in parts if _advises(part)]
    if not asking:
        return ""
    whole = " ".join(parts)
    return whole if len(whole) <= SHORT else " ".join(asking)[:MOST_SAID]


def _advises(sentence: str) -> bool:
    """Return whether a sentence asks for a change, or takes a side without asking: "a div isn't a button"."""
    kind = intent_of_sentence(sentence)
    if kind is not Intent.other:
        return kind is Intent.asks
    if is_answer(sentence) or _PERSONAL.match(sentence):
        return False
    reading = read(sentence)
    is_complaint = any(sign < 0 for sign in reading.governed) and len(content_words(reading)) >= _TELLING
    return bool(reading.stances) or is_complaint


def _lasts(said: str, reading: Reading) -> bool:
    """Return whether the words may apply beyond this place."""
    plain = " ".join(re.findall(r"[^\W_]+(?:['+-][^\W_]+)*", said.lower())[:150])
    is_sure = bool(strongest(reading)[0])
    lasting = has_phrase(plain, "lasting")
    if _VALUE_FOR_VALUE.search(said) and not is_sure:
        return False
    if has_phrase(plain, "one_off") and not lasting:
        return False
    content = [word for word, _ in content_words(reading)]
    if not content:
        return is_sure
    if not is_sure and all(word in _process_words() for word in content):
        return False
    return bool(reading.stances) or lasting or len(content) >= 2 or not _FORBIDDING.isdisjoint(reading.words)


def _lexicon_bonus(reading: Reading) -> float:
    """Return the log odds that a certain axis adds to the network's, more if many words support it."""
    axis, _ = strongest(reading)
    if not axis:
        return 0.0
    return _KNOWN_WELL if len(reading.evidence[axis]) > 2 else _KNOWN


@cache
def _process_words() -> frozenset[str]:
    return frozenset(map(stem, tables()["process"]))


def _polarity(rule_text: str, wanted: list[str], against: list[str]) -> Polarity:
    if rule_text:
        if _BAD_START.match(rule_text):
            return Polarity.dont
        return Polarity.prefer if re.search(r"\b(?:not|instead of|over|rather than)\b", rule_text) else Polarity.do
    if against and wanted:
        return Polarity.prefer
    return Polarity.dont if against else Polarity.do


def _action(reading: Reading, polarity: Polarity) -> str:
    for word, sign in zip(reading.words, reading.governed, strict=True):
        if word != BREAK and sign == (-1 if polarity is Polarity.dont else 1):
            return without_code(word)
    return "avoid" if polarity is Polarity.dont else "use"


def _heaviest(words: list[str]) -> tuple[str, ...]:
    return tuple(sorted(dict.fromkeys(words), key=lambda word: (-weight_of(word), word))[:MOST_OBJECTS])


def _shortly(said: str) -> str:
    line = re.sub(r"(?i)\b(?:please|pls|plz|kindly)\b,?\s*", "", " ".join(said.split())).strip(" .!,")
    line = re.sub(r"(?i)^(?:can|could|would|should) (?:we|you) (?:please )?", "", line).rstrip("?")
    # Removes the "see" left behind by a removed URL.
    line = re.sub(r"(?i)[\s,;(-]*\b(?:see|cf\.?|as per|per)$", "", line)
    return line if len(line) <= SHORT else line[: SHORT - 1].rsplit(" ", 1)[0] + "…"
