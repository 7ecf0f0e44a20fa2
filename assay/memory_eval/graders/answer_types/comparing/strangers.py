"""Unknown names in a list: "Ada, Jun, Qwert Zuiop" has a third name that the dialogue does not contain."""

from __future__ import annotations

import re

from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.mentions import Mention

_JOINT = re.compile(r"(?:,|;|\n•|\n|/|&|\+|\|)?\s*(?:\b(?:and|plus|as well as|along with|or|also)\b)?\s*(?:the |an? )?")
_NAME = re.compile(
    r"([A-Z][^\W\d_]+|[A-Z]{2,})(?:(?: (?:of |the |de |van )?[A-Z][^\W_]*){1,3}(?![^\W_])"
    r"|(?: (?!(?:is|was|are|were|has|have|had|and|or|to|by|who|which|that)\b)[a-z]{2,}){1,3}(?=\W*$))"
)
_END = re.compile(r"\s*(?:$|[,.:;!\n|)/&]|\band\b|\bor\b)")
_OPEN_END = re.compile(
    r"\b(?:and|or|plus|with)(?: \w+)? (?:others?|more|so on|so forth|the rest|the others|several more|maybe more)\b"
    r"|\betc\b|\bamong(?:st)? (?:many |the )?(?:others|other \w+)\b"
    r"|\b(?:some of them|not (?:all|a complete)|incomplete)\b"
)
_JOINED = re.compile(r"(?:\s+(?:and|&|plus|along with|as well as)\s+)\Z")


def num_strangers(answer: AnswerText, mentions: list[Mention], asked: str) -> int:
    """Count capitalised names of several words that share a list with known values and are not in the question."""
    found, known = 0, [(one.start, one.end) for one in mentions]
    lower = asked.lower()
    for name in _NAME.finditer(answer.cased):
        if any(start < name.end() and name.start() < end for start, end in known) or name[0].lower() in lower:
            continue
        if _follows_one(answer.cased, name.start(), known) and _END.match(answer.cased, name.end()):
            known.append(name.span())
            found += 1
    return found


def joins_a_stranger(answer: AnswerText, mentions: list[Mention], asked: str) -> bool:
    """Return whether an unknown name is joined to a known value by "and"."""
    return any(
        _JOINED.fullmatch(answer.cased, one.end, name.start()) is not None
        and name[0].lower() not in asked.lower()
        and _END.match(answer.cased, name.end())
        for one in mentions
        for name in [_NAME.search(answer.cased, one.end, one.end + 60)]
        if name
    )


def is_open_ended(answer: AnswerText) -> bool:
    """Return whether the answer says that there are more: "… and many others"."""
    return _OPEN_END.search(answer.text) is not None


def slashes_as_commas(text: str) -> str:
    """Return a text whose list "a / b / c" reads as "a, b, c": between members, a slash means "and"."""
    return text if " or " in text else text.replace(" / ", " , ")


def _follows_one(text: str, start: int, known: list[tuple[int, int]]) -> bool:
    before = max((end for _, end in known if end <= start), default=None)
    return (
        before is not None
        and start - before < 24
        and start > before
        and _JOINT.fullmatch(text, before, start) is not None
    )
