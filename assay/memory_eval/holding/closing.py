"""When a value ended, as its text, its entry's metadata or a later day say, so that it misleads no reader."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from assay.memory_eval.graders.naming import Span, days_in
from assay.memory_eval.holding.told import Stored

_NEAR = 60
"""Characters before and after a value in which its end may be stated."""

# Words between a cue and its value; none that begins another statement.
_WORDS = r"(?:(?!(?:now|currently|to|is|are|then|but|since)\b)(?:[\w$%./'-]|,(?=\d))+ ){0,3}"
_PAST = (
    "formerly|previously|former|previous|earlier|old|ex|outdated|obsolete|superseded|instead of|rather than|"
    "in place of|no longer|not|replac(?:es|ed|ing)|over from|used to (?:be|have|stand at|read)|before that it was"
)
_ENDED = (
    "until|till|previously|formerly|before that|at first|initially|is outdated|no longer|superseded|invalidated|ended|"
    "was (?:a slip|wrong|an error|replaced|superseded|corrected)"
)
_BEFORE = re.compile(
    rf"(?:\b(?:{_PAST})\b[:\s-]* ?{_WORDS}|\(not |\(was "
    r"|\b(?:previous|former|old|earlier)(?: [\w.'-]+){1,8} was )[$€£]?$"
)
_AFTER = re.compile(rf"^[%\w]*(?: ?->|[)\s]*[(\[,;-]? ?(?:valid |held )?(?:{_ENDED})\b| {_WORDS}(?:{_ENDED})\b)")
_FROM = re.compile(r"\bfrom (?:[\w$]+ )?[$€£]?$")
_TO = re.compile(r"^[%\w]*(?: [a-z]+)? (?:to|into|up to|down to)\b")
_GOES_ON = re.compile(r"\b(?:present|now|current(?:ly)?|ongoing|today)\b")
_PART = re.compile(r"[;\n]")


class Ending(NamedTuple):
    """Whether a value is said to have ended, and the day it holds from, as a text to be compared; "" without one."""

    is_closed: bool
    day: str = ""


def ending_of(text: str, span: Span, entry: Stored, now: str) -> Ending:
    """Return how the value at a span of a normalized text ends; `now` is the day of the world's last turn."""
    before, after = text[max(0, span[0] - _NEAR) : span[0]], text[span[1] : span[1] + _NEAR]
    if entry.is_ended or _BEFORE.search(before) or _AFTER.match(after):
        return Ending(is_closed=True)
    if _FROM.search(before) and _TO.match(after):
        return Ending(is_closed=True)
    behind = _days(_PART.split(after, maxsplit=1)[0])
    if len(behind) >= 2 and after.lstrip()[:1] in "([" and not _GOES_ON.search(after):
        return Ending(behind[1] <= now, behind[0])
    own = _days(text[span[0] : span[1]])
    ahead = [day for day in _days(_PART.split(before)[-1]) if day not in own]
    first = [day for day in _days(text[:40]) if day not in own]
    day = ahead[-1] if ahead else behind[0] if behind and after.lstrip()[:1] in "([" else first[0] if first else ""
    return Ending(is_closed=False, day=day or entry.day or "")


def _days(text: str) -> list[str]:
    found = []
    for one in days_in(text):
        year, month, day = one.days[0]
        if year:
            found.append(date(year, month, day or 1).isoformat())
    return found
