"""Whether a text says of a value that it has ended, so that this text alone does not mislead its reader."""

from __future__ import annotations

import re

from assay.memory_eval.holding.wanted import Span

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
    rf"(?:\b(?:{_PAST})\b[:\s-]* ?{_WORDS}|~~|\(was |\b(?:previous|former|old|earlier)(?: [\w.'-]+){{1,8}} was )[$€£]?$"
)
_AFTER = re.compile(
    rf"^[%\w]*(?:~~| ?(?:→|->)|[)\s]*[(\[,;-]? ?(?:valid |held )?(?:{_ENDED})\b| {_WORDS}(?:{_ENDED})\b)"
)
_FROM = re.compile(r"\bfrom (?:[\w$]+ )?[$€£]?$")
_TO = re.compile(r"^[%\w]*(?: [a-z]+)? (?:to|into|up to|down to)\b")


def is_closed(text: str, span: Span) -> bool:
    """Return whether the value at a span of the folded text is said to have ended."""
    before, after = text[max(0, span[0] - _NEAR) : span[0]], text[span[1] : span[1] + _NEAR]
    if _BEFORE.search(before) or _AFTER.match(after):
        return True
    return _FROM.search(before) is not None and _TO.match(after) is not None
