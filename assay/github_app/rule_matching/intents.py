"""Intent of a review comment: asks for a change, asks a question, praises, or other.

Only comments that ask count as a reported mistake; docs/learning/comparing.md gives the measured accuracy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib.resources import files

from assay.github_app.rule_matching.comment_text import prose

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^a-z])|\n+")
_WORDS = re.compile(r"[^\W_]+(?:['+-][^\W_]+)*|\+1")
_THUMBS = re.compile(
    "[\N{THUMBS UP SIGN}\N{PARTY POPPER}\N{HEAVY BLACK HEART}\N{ROCKET}\N{CLAPPING HANDS SIGN}\N{SPARKLES}]"
)
MOST_SENTENCES = 40


class Intent(StrEnum):
    """Purpose of a comment."""

    asks = "asks"
    question = "question"
    praise = "praise"
    other = "other"


def intent(text: str) -> Intent:
    """Return the intent of a raw comment: `asks` if any sentence asks."""
    body = prose(text)
    if "```suggestion" in text[:6_000]:
        return Intent.asks
    found = [intent_of_sentence(sentence) for sentence in sentences(body)]
    for one in (Intent.asks, Intent.question, Intent.praise):
        if one in found:
            return one
    return Intent.praise if _THUMBS.search(text[:200]) else Intent.other


def sentences(body: str) -> list[str]:
    """Split a cleaned comment into at most `MOST_SENTENCES` sentences."""
    return [part.strip() for part in _SENTENCE.split(body)[: MOST_SENTENCES * 2] if part.strip()][:MOST_SENTENCES]


def intent_of_sentence(sentence: str) -> Intent:
    """Return the intent of one cleaned sentence."""
    plain = _plain(sentence)
    if has_phrase(plain, "doubts"):
        return Intent.question
    is_praise = begins_with(plain, "praise")
    if sentence.rstrip(" )\"'*_").endswith("?"):
        if begins_with(plain, "curious"):
            return Intent.question
        suggests = has_phrase(plain, "suggests") or bool(_DEMAND.search(plain))
        return Intent.asks if suggests else Intent.question
    if (is_praise or _PRAISING.search(plain)) and not re.search(
        r"\b(?:but|please|should|could|however|although)\b", plain
    ):
        return Intent.praise
    if begins_with(plain, "answers") and not re.search(r"\b(?:please|must|however)\b", plain):
        return Intent.other
    if _directs(plain) or has_phrase(plain, "one_off"):
        return Intent.asks
    return Intent.other


def is_answer(sentence: str) -> bool:
    """Return whether a sentence only answers or acknowledges: "done, thanks"."""
    return begins_with(_plain(sentence), "answers")


def begins_with(plain: str, table: str) -> bool:
    """Return whether a lower-case sentence begins with a phrase of that table."""
    return any(plain == phrase or plain.startswith(phrase + " ") for phrase in tables()[table])


def has_phrase(plain: str, table: str) -> bool:
    """Return whether a lower-case sentence contains a phrase of that table."""
    padded = f" {plain} "
    return any(f" {phrase} " in padded for phrase in tables()[table])


def _plain(sentence: str) -> str:
    return " ".join(word.lower() for word in _WORDS.findall(sentence)[:80])


def is_one_off(body: str) -> bool:
    """Return whether a comment corrects one place only, and says nothing that lasts."""
    plain = _plain(body)
    return has_phrase(plain, "one_off") and not has_phrase(plain, "lasting")


def _directs(plain: str) -> bool:
    first = plain.split(" ", 1)[0]
    return bool(_DEMAND.search(plain) or _FORBIDS.search(plain) or first in tables()["verbs"])


_FORBIDS = re.compile(r"\b(?:don'?t|do not|never|avoid|no|not|without|use|prefer)\b")
_PRAISING = re.compile(
    r"\b(?:(?:is|are|looks?|was|were) (?:so |really |very |pretty |just )*"
    r"(?:great|awesome|nice|lovely|excellent|fantastic|amazing)|i (?:really )?love|nicely done|thanks? (?:you )?for)\b"
)
_DEMAND = re.compile(
    r"\b(?:should|must|please|pls|plz|need(?:s|ed)? to|needs|has to|have to|let'?s|missing|lacks?|unused|unnecessary"
    r"|redundant|duplicated?|wrong|incorrect|not needed|instead|nit|todo|too (?:long|many|much|big|broad|wide)"
    r"|hard-?coded|leaks?|breaks?|swallow(?:s|ed|ing)?|trailing"
    r"|would (?:be (?:better|nicer|good)|prefer)|i'd (?!rather keep)\w+|'d (?:prefer|rather)|no longer|better"
    r"|could (?:be|live|use|also|just|go|have|move)|can be|may be|might be|would be)\b"
)


@cache
def tables() -> Mapping[str, tuple[str, ...]]:
    """Return the word lists of no_rule.yaml, in lower case."""
    import yaml

    raw = yaml.safe_load(files("assay.github_app.rule_matching").joinpath("no_rule.yaml").read_text("utf-8"))
    return {name: tuple(str(entry).lower() for entry in entries) for name, entries in raw.items()}
