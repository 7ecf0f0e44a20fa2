"""A review comment as a rule, without a model: what to do or not, with what, instead of what, where.

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

from assay.github_app.rule_matching.calibrated import calibration
from assay.github_app.rule_matching.comment_text import CommentText, prose
from assay.github_app.rule_matching.content import content_words
from assay.github_app.rule_matching.intents import Intent, has_phrase, intent_of_sentence, is_answer, sentences, tables
from assay.github_app.rule_matching.languages import language_said
from assay.github_app.rule_matching.lexicon import lexicon
from assay.github_app.rule_matching.network import holds_rule
from assay.github_app.rule_matching.stances import Reading, read
from assay.github_app.rule_matching.weights import weight_of
from assay.github_app.rule_matching.words import BREAK, stem, without_code

MOST_SAID = 700
SHORT = 240
"""A comment up to this length is taken whole; of a longer one only the sentences that ask."""

MOST_OBJECTS = 6
_SURE = 1.0
_VALUE = r"[\"'`]?[\w./-]{1,30}[\"'`]?"
_VALUE_FOR_VALUE = re.compile(
    rf"(?i)\b(?:should|must|need to)\s+(?:be|say|read)\s+{_VALUE},?\s*(?:,|not|instead of|rather than)"
    rf"\s+(?:not\s+)?{_VALUE}\W*$"
)
_EXPLAINED = 0.75
"""How much of what a comment is about, by weight, the lexicon must have recognised to word its rule."""

_KNOWN, _KNOWN_WELL = 1.5, 3.0

_TELLING = 3
"""A complaint of that many words about the matter says something that may hold elsewhere."""

_PERSONAL = re.compile(r"(?i)\W*(?:i|i'm|i've|i'll|my|me|you|we were|we had|hope|hmm|hi|hey|sorry|moving|adding)\b")
_FORBIDDING = frozenset(("dont", "never", "avoid", "stop"))
_BAD_START = re.compile(r"(?i)^(?:never|no|avoid|do not|don't|drop|remove)\b")


class Polarity(StrEnum):
    """Whether a rule asks for something, advises against something, or prefers one to another."""

    do = "do"
    dont = "dont"
    prefer = "prefer"


@dataclass(frozen=True, slots=True)
class CanonicalRule:
    """A rule in normal form. `said` is what was said, shortened: what it is compared by.

    `objects` and `over` (what it is preferred to) are stems; `axis` is its name in the lexicon, with a minus where it
    takes the other side, empty where the lexicon does not know it; `key` is a hash of the normal form, 12 hex digits.
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
        """The rule as JSON can hold it; `rule_from` reads it back."""
        return asdict(self)


def canonical_rule(comment: CommentText) -> CanonicalRule | None:
    """The rule a comment holds; None for questions, praise, answers, and corrections of this one place."""
    text = prose(comment.body)
    said = _said(text)
    if not said:
        return None
    reading = read(said)
    if not _lasts(said, reading) or holds_rule(text) + _known(reading) < gate():
        return None
    return rule_of(said, reading, comment.path)


def gate() -> float:
    """From which opinion of the network on a comment counts as one that holds a rule."""
    return float(calibration()["gate"])


def rule_from(mapping: Mapping[str, Any]) -> CanonicalRule:
    """A rule from what `as_mapping` gave, or from JSON of it; raises `ValueError` where it is none."""
    known = {field.name for field in fields(CanonicalRule)}
    try:
        values = {name: value for name, value in mapping.items() if name in known}
        for name in ("objects", "over", "paths"):
            values[name] = tuple(str(one) for one in values[name])
        return CanonicalRule(**{**values, "polarity": Polarity(values["polarity"])})
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"that is no canonical rule: {type(error).__name__}") from None


def rule_of(said: str, reading: Reading, path: str | None, text: str = "") -> CanonicalRule:
    """The normal form of what was said, whoever decided that it is a rule; `text` where somebody worded it."""
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
    """How the lexicon words one side of an axis, as `CanonicalRule.axis` names it; "" for none."""
    axis = lexicon().axes.get(axis_end.removeprefix("-"))
    return "" if axis is None else (axis.opposite if axis_end.startswith("-") else axis.rule)


def strongest(reading: Reading) -> tuple[str, float]:
    """The axis a text speaks of most and its side, ("", 0) where it is sure of none; a broad one for want of others."""
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
    """Whether the lexicon's wording says what was said, no less and not the contrary.

    A rule is handed to agents word by word: where the wording leaves out half of what the reviewer named, or wants what
    the reviewer advises against, the reviewer's own words are the better rule.
    """
    total = fsum(map(weight_of, content))
    if not total:
        return True
    if fsum(weight_of(word) for word in content if word in evidence) < _EXPLAINED * total:
        return False
    told = dict(content_words(read(rule_text)))
    shared = told.keys() & content.keys()
    opposed = {word for word in shared if (told[word] < 0) != (content[word] < 0)}
    # A pattern of several words knows what "don't use any types" is against; one word alone does not know "no Lombok".
    return bool(shared) and (not opposed or (len(evidence) > 1 and opposed <= evidence))


def _said(body: str) -> str:
    parts = sentences(body)
    asking = [part for part in parts if _advises(part)]
    if not asking:
        return ""
    whole = " ".join(parts)
    return whole if len(whole) <= SHORT else " ".join(asking)[:MOST_SAID]


def _advises(sentence: str) -> bool:
    """Whether a sentence asks for a change, or takes a side though it asks for nothing: "a div isn't a button"."""
    kind = intent_of_sentence(sentence)
    if kind is not Intent.other:
        return kind is Intent.asks
    if is_answer(sentence) or _PERSONAL.match(sentence):
        return False
    reading = read(sentence)
    is_complaint = any(sign < 0 for sign in reading.governed) and len(content_words(reading)) >= _TELLING
    return bool(reading.stances) or is_complaint


def _lasts(said: str, reading: Reading) -> bool:
    """Whether more than this one place could be meant, as far as its words tell."""
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


def _known(reading: Reading) -> float:
    """What the lexicon's word is worth beside the network's: advice it knows for sure, by some words or by many."""
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
    # An address stood there.
    line = re.sub(r"(?i)[\s,;(-]*\b(?:see|cf\.?|as per|per)$", "", line)
    return line if len(line) <= SHORT else line[: SHORT - 1].rsplit(" ", 1)[0] + "…"
