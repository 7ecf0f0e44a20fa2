"""The side a comment takes on each axis of the lexicon, and its certainty.

"Never log the token", "the logger prints credentials" and "mask the password in this log line" take the same side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from assay.github_app.rule_matching.lexicon import PatternMatch, lexicon
from assay.github_app.rule_matching.weights import weight_of
from assay.github_app.rule_matching.words import BREAK, is_filler, stem, tokens_of, without_code

_SEEN_AFTER = 6
"""Words after a match in which a judgement of it may follow."""

_REACH = 7
"""Words governed by a cue for or against something."""

_RARE = 6.0
"""Word weight from which a single word is certain."""

_SURE_FROM = 2
"""Words from which a pattern is certain."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Words of a text (without filler words), their polarity, and the sides the text takes.

    `governed` has one number per word: 1 asked for, -1 advised against, -2 said to be absent, 0 neither.
    `stances`: axis -> -1..1, side times certainty. `evidence`: axis -> the words that support that side.
    """

    words: tuple[str, ...]
    governed: tuple[int, ...]
    stances: Mapping[str, float]
    evidence: Mapping[str, frozenset[str]]


@lru_cache(maxsize=4096)
def read(text: str) -> Reading:
    """Read one cleaned text."""
    tokens = tokens_of(text)
    governed = _governed(tokens)
    kept = [place for place, token in enumerate(tokens) if not is_filler(token)]
    words = (*(tokens[place] for place in kept), BREAK)
    signs = (*(governed[place] for place in kept), 0)
    return Reading(words, signs, *_stances(words, signs))


def _stances(words: tuple[str, ...], governed: tuple[int, ...]) -> tuple[dict[str, float], dict[str, frozenset[str]]]:
    votes: dict[str, list[tuple[float, PatternMatch]]] = defaultdict(list)
    for found in lexicon().find(words):
        weight = _weight(found, words)
        votes[found.pattern.axis].append((weight * _side(found, words, governed), found))
    stances: dict[str, float] = {}
    evidence: dict[str, frozenset[str]] = {}
    for axis, cast in votes.items():
        total = sum(vote for vote, _ in cast)
        if total:
            agreeing = [(abs(vote), found) for vote, found in cast if vote * total > 0]
            stances[axis] = min(1.0, max(vote for vote, _ in agreeing)) * (1 if total > 0 else -1)
            places = {place for _, found in agreeing for place in range(found.start, found.end)}
            evidence[axis] = frozenset(without_code(words[place]) for place in places)
    return stances, evidence


def _side(found: PatternMatch, words: tuple[str, ...], governed: tuple[int, ...]) -> float:
    """Return 1 for the rule, -1 for its opposite."""
    before = governed[found.start - 1] if found.start and words[found.start - 1] != BREAK else 0
    after = _judged_after(words, found.end)
    if found.pattern.side == "anti":
        most = 2.0 if found.pattern.num_words >= _SURE_FROM else 1.0
        return most if before == -1 or (before != 1 and after < 0) else -most
    if found.pattern.side == "pro":
        against = before == -1 or (before != 1 and after < 0)
        return -1.0 if against else 1.0
    # "compare with X instead of Y" is asked for, yet it is advice against Y.
    turned = -1 in governed[found.start : found.end]
    welcome = (before == 1 and after >= 0 and not turned) or (before == 0 and after > 0)
    return -1.0 if welcome else 1.0


def _weight(found: PatternMatch, words: tuple[str, ...]) -> float:
    """Return the certainty of a match: full for several words, or for one rare word."""
    if found.pattern.num_words >= _SURE_FROM:
        return 1.0
    return 1.0 if weight_of(without_code(words[found.start])) >= _RARE else 0.6


def _judged_after(words: tuple[str, ...], end: int) -> int:
    cues = _cues()
    for place in range(end, min(end + _SEEN_AFTER, len(words))):
        word = without_code(words[place])
        if word == BREAK:
            break
        if word in cues["unneeded_after"] or _pair(words, place) in cues["unneeded_after_two"]:
            return -1
        if word in cues["welcome_after"]:
            return -1 if place and words[place - 1] == "not" else 1
    return 0


def _governed(tokens: tuple[str, ...]) -> list[int]:
    """Return the polarity of each word, set by earlier cues in its clause."""
    found: list[int] = []
    sign, turned_at, prefers = 0, 0, False
    for place, word in enumerate(tokens):
        turn = _turn(tokens, place, sign, prefers)
        if word == BREAK:
            prefers = False
        elif word in _cues()["prefers"]:
            prefers = True
        if turn is not None:
            sign, turned_at = turn, place
        elif place - turned_at > _REACH:
            sign = 0
        found.append(sign)
    return found


def _turn(tokens: tuple[str, ...], place: int, sign: int, prefers: bool) -> int | None:
    """Return the polarity from this word on; None if the word is not a cue."""
    cues = _cues()
    word, before = tokens[place], tokens[place - 1] if place else BREAK
    if word == BREAK:
        return 0
    two = cues["against_two"]
    if _pair(tokens, place) in two or (place and _pair(tokens, place - 1) in two) or word in cues["against"]:
        return -1
    if (word == "over" and sign == 1) or (prefers and word in ("to", "over", "than")):
        return -1
    if word in cues["absent"]:
        return sign if sign == -1 else -2
    if word in cues["reset"]:
        return 0
    if word in cues["towards"] and before not in cues["speaks_of_code"]:
        return -1 if sign < 0 and before in cues["negating"] else 1
    return None


def _pair(words: tuple[str, ...], place: int) -> str:
    return f"{words[place]} {words[place + 1]}" if 0 <= place < len(words) - 1 else ""


@cache
def _cues() -> Mapping[str, frozenset[str]]:
    import yaml

    raw = yaml.safe_load(files("assay.github_app.rule_matching").joinpath("cues.yaml").read_text("utf-8"))
    cues = {name: frozenset(" ".join(map(stem, entry.split())) for entry in entries) for name, entries in raw.items()}
    return {**cues, "negating": cues["against"] | cues["absent"]}
