"""Details next to a value that are not claims: figures in brackets, quoted event types, values of other things."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.mentions import Mention
from assay.memory_eval.graders.reading.normalizing import plain_value

_WHEN = re.compile(r"\((?:as of|since|valid from|from|on) [^()]{0,40}\)")
_FIGURE = re.compile(r"(?<=[^\W\d_] )\([$€£]?\d[^()]{0,24}\)")
_OTHER_POINT = re.compile(r"\(([^\W\d_]+)(?: [^\W\d_]+)?(?: is|:| was) [^()]{0,30}\)")
_QUOTED = re.compile(r"[“\"]([^“”\"]{3,40})[”\"]")
_CLAUSE_END = re.compile(r"[;!?\n()—\u2013]|\.(?=\s|$)|\s-\s|, (?:while|whereas|but)\b")
_NAME = re.compile(r"\b[A-Z][a-z]{2,}\b")
_OF_A_DAY = re.compile(
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)"
    r"(?:[a-z]*(?:ary|ch|il|e|y|st|ber|day))?"
)
_ANOTHER_KIND = re.compile(r"\s*(?:the|its|his|her|their) ([^\W\d_]+) (?:is|was)\b")
_ANY_KIND = frozenset(
    "answer value date day time number figure truth result name one total correction update current present latest "
    "newest right correct final real actual true first last other next new old former previous second".split()
)
_HAS_ANOTHER_SAY = re.compile(
    r" (?:said|says|sp(?:oke|eaks)|gave|gives|puts?|claim\w*|report\w*) [^.;\n]*?(?:\d|\b[a-z]{5,})"
    r"|(?: had| gave| is| was)?(?: the)? (?:lowest|highest|earliest|latest|lower|higher|earlier|later)\b"
)


_MOST_WORDS = 40
"""Longest answer that is read as an explanation of one value; longer ones may be copied turns."""


def without_details(
    answer: AnswerText, asked: str, context: Iterable[str], required: Iterable[str] = (), *, figures: bool
) -> AnswerText:
    """Blank out what the answer adds in brackets, keeping offsets.

    `context`: names that are not claims; `required`: words the answer must add, such as a code word;
    `figures`: whether a number in brackets behind a name is not a claim either.
    """
    patterns = [_WHEN, _FIGURE] if figures else [_WHEN]
    patterns += [
        re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])(?: ?\([^()]*\))?")
        for name in map(plain_value, context)
        if any(map(str.isdigit, name)) and any(map(str.isalpha, name))  # SEC-1234 could be read as a figure
    ]
    text = answer.text
    for pattern in patterns:
        text = pattern.sub(lambda found: " " * len(found[0]), text)
    text = _OTHER_POINT.sub(lambda found: found[0] if found[1] in asked.lower() else " " * len(found[0]), text)
    for phrase in (*_QUOTED.findall(asked), *required):
        text = re.sub(rf"\b{re.escape(plain_value(phrase))}s?\b", lambda found: "_" * len(found[0]), text)
    return replace(answer, text=text)


def about_the_question(answer: AnswerText, mentions: Sequence[Mention], asked: str, gold: Hashable) -> list[Mention]:
    """Drop other values next to the gold that belong to something else: "Ada; for Quiet Tower it's Jun".

    They do in a short answer, in a later, separate clause that names something that is not in the question, or
    says what its subject said.
    """
    if answer.num_words > _MOST_WORDS:
        return list(mentions)
    ends = [0, *(match.end() for match in _CLAUSE_END.finditer(answer.text)), len(answer.text)]
    clauses = {one.start: sum(end <= one.start for end in ends) for one in mentions}
    golden = {clauses[one.start] for one in mentions if one.value == gold}
    spans = [(one.start, one.end) for one in mentions]
    words = set(re.findall(r"\w+", asked.lower()))
    own = min(golden, default=len(ends))
    apart = {
        place
        for one in mentions
        if one.value not in (gold, None) and (place := clauses[one.start]) > own
        if _HAS_ANOTHER_SAY.match(answer.text, one.end)
        or _is_of_another_kind(answer.text, ends[place - 1], words)
        or _names_another(answer.cased, ends[place - 1], ends[place], spans, words)
    }
    return [one for one in mentions if one.value in (gold, None) or clauses[one.start] not in apart]


def _is_of_another_kind(text: str, start: int, asked: set[str]) -> bool:
    """Return whether a clause is about something that was not asked for: "the deadline is …"."""
    head = _ANOTHER_KIND.match(text, start)
    return head is not None and head[1] not in asked | _ANY_KIND


def _names_another(cased: str, start: int, end: int, spans: Sequence[tuple[int, int]], asked: set[str]) -> bool:
    """Return whether a clause has a name outside the mentions and the question."""
    for name in _NAME.finditer(cased, start, end):
        word = name[0].lower()
        opens = not cased[start : name.start()].strip(" \"'") and not cased[name.end() + 1 : name.end() + 2].isupper()
        if not (opens or word in asked or _OF_A_DAY.fullmatch(word)) and not any(
            low <= name.start() < high for low, high in spans
        ):
            return True
    return False
