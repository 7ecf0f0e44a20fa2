"""Whether a text says of a value that it has ended, so that a reader of this text alone does not take it for current."""

from __future__ import annotations

import re

from assay.memory_eval.holding.wanted import Span

_NEAR = 60
"""Characters before and after a value in which its end may be told."""
_WORDS = r"(?:[\w$%.,'/-]+ ){0,3}"
_BEFORE = re.compile(
    r"(?:\b(?:formerly|previously|former|previous|earlier|old|ex|outdated|obsolete|superseded|instead of|rather than|"
    r"in place of|no longer|not|replac(?:es|ed|ing)|over from|used to (?:be|have|stand at|read)|before that it was)"
    rf"\b[:\s-]* ?{_WORDS}|~~|\(was )[$€£]?$"
)
_FROM = re.compile(r"\bfrom (?:[\w$]+ ){0,1}[$€£]?$")
_TO = re.compile(r"^[%\w]*(?: [a-z]+)? ?(?:to|into|->|→|up to|down to)\b ?")
_AFTER = re.compile(
    rf"^[%\w]* ?(?:~~|→|->|[(\[,;]? ?{_WORDS}?(?:until|till|previously|formerly|before that|at first|initially|is outdated|"
    r"no longer|was (?:a slip|wrong|an error|replaced|superseded|corrected)|superseded|invalidated|ended)\b)"
)


def is_closed(text: str, span: Span) -> bool:
    """Return whether the value at a span of the folded text is told to have ended."""
    before, after = text[max(0, span[0] - _NEAR) : span[0]], text[span[1] : span[1] + _NEAR]
    if _BEFORE.search(before) or _AFTER.match(after):
        return True
    return _FROM.search(before) is not None and _TO.match(after) is not None
