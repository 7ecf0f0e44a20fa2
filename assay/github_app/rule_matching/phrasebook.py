"""Well-known advice in the wording of a style guide, recognised by its words (phrasebook.yaml)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import fsum

from assay.github_app.rule_matching.intents import content_words
from assay.github_app.rule_matching.polarity import Reading, actions_of, read
from assay.github_app.rule_matching.weights import weight_of
from assay.github_app.rule_matching.words import BREAK, without_code

_NEARLY_ALL = 0.85
"""Share of the words, by weight, that a comment and a phrasing have in common."""


@dataclass(frozen=True, slots=True, eq=False)
class Phrasing:
    """Words of one phrasing, with their polarity, its actions, and the rule it means."""

    rule: str
    content: Mapping[str, int]
    actions: frozenset[str]


@dataclass(frozen=True, slots=True)
class Entry:
    """Rule of the phrasebook: its wording, how reviewers say it, and how they say the contrary."""

    rule: str
    said: tuple[str, ...]
    opposite: tuple[str, ...] = ()


def known_rule(text: str) -> str:
    """Return the rule that a cleaned comment means; "" if it is none of the phrasebook or more than that."""
    return "" if known_opposite(text) else _means(text, is_opposite=False)


def known_opposite(text: str) -> str:
    """Return the rule of which a cleaned comment asks for the contrary; "" for none."""
    return _means(text, is_opposite=True)


def _means(text: str, *, is_opposite: bool) -> str:
    reading = read(text)
    exact = _by_words(is_opposite).get(_words_of(reading))
    if exact is not None:
        return exact
    content, actions = dict(content_words(reading)), actions_of(reading)
    best, rule = 0.0, ""
    for phrasing in _phrasings_with(content, is_opposite=is_opposite):
        if phrasing.actions and not phrasing.actions & actions:
            continue
        share = _share(content, phrasing.content)
        if share > best:
            best, rule = share, phrasing.rule
    return rule if best >= _NEARLY_ALL else ""


@cache
def entries() -> tuple[Entry, ...]:
    """Return all entries, in the order of the file."""
    import yaml

    raw = yaml.safe_load(files("assay.github_app.rule_matching").joinpath("phrasebook.yaml").read_text("utf-8"))
    return tuple(
        Entry(one["rule"], tuple(map(str, one["said"])), tuple(map(str, one.get("opposite", ()))))
        for rules in raw.values()
        for one in rules
    )


def _share(a: Mapping[str, int], b: Mapping[str, int]) -> float:
    """Return the weight of the words that both have with one polarity, over the weight of all words."""
    shared = fsum(weight_of(word) for word in a.keys() & b.keys() if (a[word] == -1) == (b[word] == -1))
    total = fsum(map(weight_of, {*a, *b}))
    return shared / total if total else 0.0


def _phrasings_with(words: Mapping[str, int], *, is_opposite: bool) -> Iterator[Phrasing]:
    table = _by_word(is_opposite)
    yield from dict.fromkeys(place for word in words for place in table.get(word, ()))


def _words_of(reading: Reading) -> tuple[str, ...]:
    return tuple(without_code(word) for word in reading.words if word != BREAK)


def _said(entry: Entry, is_opposite: bool) -> tuple[str, ...]:
    return entry.opposite if is_opposite else (*entry.said, entry.rule)


@cache
def _by_words(is_opposite: bool) -> Mapping[tuple[str, ...], str]:
    return {_words_of(read(said)): entry.rule for entry in entries() for said in _said(entry, is_opposite)}


@cache
def _by_word(is_opposite: bool) -> Mapping[str, tuple[Phrasing, ...]]:
    found: dict[str, list[Phrasing]] = defaultdict(list)
    for entry in entries():
        for said in _said(entry, is_opposite):
            reading = read(said)
            phrasing = Phrasing(entry.rule, dict(content_words(reading)), actions_of(reading))
            # One word without an action says too little: "test" does not ask for a test.
            for word in phrasing.content if len(phrasing.content) > 1 or phrasing.actions else ():
                found[word].append(phrasing)
    return {word: tuple(phrasings) for word, phrasings in found.items()}
