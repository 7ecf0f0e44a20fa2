"""Details next to a value that are not claims: brackets, asides about near-twins, quoted event types."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.normalizing import plain_value

_WHEN = re.compile(r"\((?:as of|status of|since|valid from|stated on|from|on) [^()]{0,40}\)")
_FIGURE = re.compile(r"\([$€£]?\d[^()]{0,24}\)")
_OTHER_POINT = re.compile(r"\(([^\W\d_]+)(?: [^\W\d_]+)?(?: is|:| was) [^()]{0,30}\)")
_NEAR_TWIN = re.compile(
    r"[(,;.]\s*(?:not to be (?:confused|mistaken|taken|mixed up)|unlike|as opposed to)\b[^();.]*\)?"
    r"|[(,;.][^();.]{0,40}\b(?:similarly named|similar name|namesake)\b[^();.]*\)?"
)
_CONTRAST = re.compile(r"\b(?:whereas|while) (?:the )?((?:[A-Z][\w-]*\.? ?)+)[^,;.()]*")
_QUOTED = re.compile(r"[“\"]([^“”\"]{3,40})[”\"]")


def without_details(
    answer: AnswerText, asked: str, context: Iterable[str], required: Iterable[str] = (), *, figures: bool
) -> AnswerText:
    """Blank out what the answer adds in brackets or about similar names, keeping offsets.

    `context`: names that are not claims; `required`: words the answer must add, such as a code word;
    `figures`: whether a number in brackets behind a name is not a claim either.
    """
    text = answer.text
    named = [plain_value(name) for name in context]
    for pattern in (_WHEN, _NEAR_TWIN):
        text = pattern.sub(_blank, text)
    for other in _CONTRAST.finditer(answer.cased):
        if other[1].strip().lower() not in asked.lower():
            text = text[: other.start()] + " " * len(other[0]) + text[other.end() :]
    if figures:
        text = _FIGURE.sub(lambda found: _blank(found) if _follows_a_name(text, found.start()) else found[0], text)
    for name in named:
        text = (
            re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])(?: ?\([^()]*\))?", _blank, text) if _is_name(name) else text
        )
    text = _OTHER_POINT.sub(lambda found: found[0] if found[1] in asked.lower() else _blank(found), text)
    for phrase in (*_quoted_in(asked), *map(plain_value, required)):
        text = re.sub(rf"\b{re.escape(phrase)}s?\b", lambda found: "_" * len(found[0]), text)
    return replace(answer, text=text)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _is_name(value: str) -> bool:
    """Return whether a context value is a name with a number in it, like SEC-1234, that could be read as a figure."""
    return any(sign.isdigit() for sign in value) and any(sign.isalpha() for sign in value)


def _follows_a_name(text: str, place: int) -> bool:
    return text[:place].rstrip()[-1:].isalpha()


@lru_cache(maxsize=4096)
def _quoted_in(asked: str) -> tuple[str, ...]:
    return tuple(plain_value(found[1]) for found in _QUOTED.finditer(asked))
