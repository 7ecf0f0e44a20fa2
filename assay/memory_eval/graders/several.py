"""Plain prose with several values read against the gold: members, pairs, and explanations by their words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import snowballstemmer

from assay.memory_eval.graders.naming import Span, aliases_of, rivals_of, shown, spans_of, values_under
from assay.memory_eval.graders.reading.cues import WITHHELD, abstains, is_denied, is_void
from assay.memory_eval.graders.reading.plain_text import Text, plain_value, words_of
from assay.memory_eval.truth import Question

ENOUGH = 0.7
"""Share of the content words of another explanation that may say it; the expected one needs all of them."""

NO = re.compile(r"\b(?:no|nope|nah|false|incorrect|wrong|untrue|never|not|negative)\b|n't\b")
_PART = re.compile(r"[;\n•]|\.(?=\s|$)|, (?=\D)|\band\b|\bwhile\b|\bbut\b|\bwhereas\b")
_LISTED = re.compile(r"[;\n•|]|\.(?=\s|$)|, (?!\d{4}\b|\d{1,2}:)|\band\b")
_PROSE = re.compile(r"\b(?:of|who|that|that's|from|they|them|it|is|are|was|only|for|also)\b|[:\"{\[]")
_STOP = frozenset(
    "a an the of to in on at for from with by as is was are were be been it its that this and or had has have did"
    " do does so sat kept".split()
)
_STEMMER = snowballstemmer.stemmer("english")


class Reading(NamedTuple):
    """Accuracy from 0 to 1, or None if it cannot be read; the reason; and less than 1.0 certainty if it is softened."""

    score: float | None
    why: str
    certainty: float = 1.0


def read_set(question: Question, text: Text) -> Reading:
    """Read the members that an answer claims; wrong ones take off as much as right ones give."""
    gold = [shown(one) for one in question.answer.value or ()]
    if not gold:
        return Reading(None, "the question's own answer has no members")
    aliases = aliases_of(question)
    spans = {one: spans_of(text, one, question.answer.unit, aliases.get(one, ())) for one in gold}
    right = [one for one in gold if _claimed(text, spans[one])]
    taken = [span for found in spans.values() for span in found]
    others = dict.fromkeys([*values_under(question, "candidates"), *rivals_of(question)])
    found = {one: spans_of(text, one, None, aliases.get(one, ())) for one in others if one not in gold}
    wrong = [one for one, own in found.items() if _claimed(text, (span for span in own if not _within(span, taken)))]
    num_items = _bare_items(text.text)
    if len(right) == len(gold) and not wrong and num_items <= len(gold):
        is_doubtful = abstains(text.text) or is_void(text.text, [spans[one][0] for one in gold])
        return Reading(None if is_doubtful else 1.0, "it has every member")
    if len(right) == len(gold) and NO.search(text.text):
        return Reading(None, "it may say that some do not belong")
    num_wrong = max(len(wrong), num_items - len(gold))
    score = max(0.0, (len(right) - num_wrong) / len(gold)) ** 3
    return Reading(score, f"it has {len(right)} of {len(gold)} members and {num_wrong} that do not belong")


def num_listed(text: str) -> int:
    """Return the number of parts of a text that are a few words without a verb or a binding."""
    parts = (one.strip(" .") for one in _LISTED.split(text))
    return sum(1 for one in parts if one and len(one.split()) <= 4 and not _PROSE.search(one))


def _bare_items(text: str) -> int:
    """Return the number of items of a text that is a list and nothing else; 0 for any other text."""
    items = [one.strip(" .") for one in re.split(r"[,;\n•]|\band\b", text) if one.strip(" .")]
    is_bare = all(len(one.split()) <= 4 and not _PROSE.search(one) for one in items)
    return len(items) if is_bare else 0


def read_ordered(question: Question, text: Text) -> Reading:
    """Read whether all members are named, in order."""
    gold = [shown(one) for one in question.answer.value or ()]
    aliases = aliases_of(question)
    places = [next(iter(spans_of(text, one, None, aliases.get(one, ()))), None) for one in gold]
    known = [place for place in places if place is not None]
    if not gold or len(known) < len(gold):
        return Reading(0.0 if gold else None, f"it has {len(known)} of {len(gold)} members")
    if known == sorted(known):
        is_doubtful = abstains(text.text) or is_void(text.text, known)
        return Reading(None if is_doubtful else 1.0, "it has every member in order")
    return Reading(None if re.search(r"\b(?:before|after|last|first)\b", text.text) else 0.0, "its order is another")


def read_pairs(question: Question, text: Text) -> Reading:
    """Read which pairs of a name and a value an answer binds."""
    gold = [(shown(name), value) for name, value in question.answer.value or ()]
    if not gold:
        return Reading(None, "the question's own answer has no pairs")
    aliases = aliases_of(question)
    named = _named(text, [name for name, _ in gold], aliases)
    if text.text.startswith("{") and any(len(own) > 1 for own in named):
        return Reading(None, "it names a source with several values")
    units = units_of_members(question)
    bound = _bound(text, gold, units, aliases, [next(iter(own), None) for own in named])
    if bound is None:
        return Reading(None, "it has every value, and binds them in a way that is not read")
    right = sum(bound)
    untold = question.rubric.get("untold")
    parts = [Text.of(part) for part in _PART.split(text.text) if part.strip()]
    for label, names in untold.items() if isinstance(untold, Mapping) else ():
        for part in parts:
            if any(spans_of(part, one) for one in (label, *names)) and not WITHHELD.search(part.text):
                return Reading(None, f"it may give a value for {label}")
    if right == len(gold):
        spans = [span for own in named for span in own]
        is_doubtful = is_void(text.text, () if WITHHELD.search(text.text) else spans)
        return Reading(None if is_doubtful else 1.0, "it has every pair")
    return Reading((right / len(gold)) ** 3, f"it has {right} of {len(gold)} pairs")


def _bound(
    text: Text,
    gold: Sequence[tuple[str, Any]],
    units: Sequence[str | None],
    aliases: Mapping[str, Sequence[str]],
    places: Sequence[Span | None],
) -> list[bool] | None:
    """Return which pairs a text binds, by order: each value after its name, or each before it; None if neither."""
    order = sorted((span, at) for at, span in enumerate(places) if span is not None)
    has_all = all(_said(text, value, unit, aliases) for (_, value), unit in zip(gold, units, strict=True))
    found: list[list[bool]] = []
    for is_after in (True, False):
        bound = [False] * len(gold)
        foreign = 0
        for number, (span, at) in enumerate(order):
            begin, end = (span[1], len(text.text)) if is_after else (0, span[0])
            if is_after and number + 1 < len(order):
                end = order[number + 1][0][0]
            if not is_after and number:
                begin = order[number - 1][0][1]
            part = Text.of(text.text[begin:end])
            bound[at] = _said(part, gold[at][1], units[at], aliases)
            foreign += not bound[at] and any(
                _said(part, value, unit, aliases) for (_, value), unit in zip(gold, units, strict=True)
            )
        if all(bound) or (is_after and foreign == len(order) == len(gold)):
            return bound
        found.append(bound)
    return None if has_all and len(order) == len(gold) else max(found, key=sum)


def _named(text: Text, names: Sequence[str], aliases: Mapping[str, Sequence[str]]) -> list[list[Span]]:
    """Return where a text has each name or one of its others, and not as a part of another."""
    found = [{span for one in (name, *aliases.get(name, ())) for span in spans_of(text, one)} for name in names]
    every = set().union(*found)
    return [sorted(span for span in own if not _within(span, every - {span})) for own in found]


def read_text(question: Question, text: Text) -> Reading:
    """Read whether an answer has the words of every claim."""
    free = frozenset(word for one in values_under(question, "names") for word in _stems(plain_value(one)))
    claims = [[shown(one) for one in wordings] for wordings in question.answer.value or ()]
    if not claims:
        return Reading(None, "the question's own answer has no claims")
    stems = _stems(text.text)
    own = {wording for wordings in claims for wording in wordings}
    right = sum(any(_means(stems, wording, free, 1.0) for wording in wordings) for wordings in claims)
    enough = 1.0 if right == len(claims) else ENOUGH
    if any(_means(stems, other, free, enough) for other in rivals_of(question) if other not in own):
        return Reading(None, "it has the words of another explanation")
    if right < len(claims):
        is_other = not any(stems & _stems(plain_value(one)) - free for one in own)
        is_short = len(text.words) <= 2 or (abstains(text.text) and is_other)
        return Reading(
            0.0 if is_short and not right else None, f"it has {right} of {len(claims)} claims in their words"
        )
    has_denial = NO.search(text.text) is not None and not any(NO.search(plain_value(one)) for one in own)
    return Reading(None if has_denial or is_void(text.text) else 1.0, "it has the words of every claim")


def _claimed(text: Text, spans: Iterable[Span]) -> bool:
    return any(not is_denied(text.text, *span) for span in spans)


def _within(span: Span, others: Iterable[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in others)


def _said(text: Text, value: Any, unit: str | None, aliases: Mapping[str, Sequence[str]]) -> bool:
    name = shown(value)
    if any(not is_denied(text.text, *span) for span in spans_of(text, value, unit, aliases.get(name, ()))):
        return True
    return len(words_of(name)) > 3 and _means(_stems(text.text), name)


def units_of_members(question: Question) -> list[str | None]:
    """Return the unit of each member of the gold."""
    types = question.rubric.get("member_types")
    units = [one.get("unit") if isinstance(one, Mapping) else None for one in types or ()]
    return [*units, *[question.answer.unit] * (len(question.answer.value) - len(units))]


def _means(stems: frozenset[str], wording: str, free: frozenset[str] = frozenset(), enough: float = ENOUGH) -> bool:
    """Return whether a text has most words of a wording and all of its figures, and no other figure."""
    wanted = _stems(plain_value(wording)) - free
    figures = {one for one in wanted if one[0].isdigit()}
    if not wanted or not figures <= stems or (figures and {one for one in stems - free if one[0].isdigit()} - figures):
        return False
    return len(wanted & stems) >= enough * len(wanted)


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    words = [word for word in re.findall(r"\w+", text) if word not in _STOP]
    return frozenset(_STEMMER.stemWords(words))
