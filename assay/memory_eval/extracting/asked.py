"""What a question asks for, told by its wording alone: which kind of answer, of whom, at which time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from assay.memory_eval.extracting.values import dates_in, names_in
from assay.memory_eval.retrieval import words_of


class Form(StrEnum):
    """The kind of answer a question wants."""

    yes_no = "yes_no"
    tally = "tally"
    changes = "changes"
    number = "number"
    day = "day"
    listing = "listing"
    sources = "sources"
    name = "name"
    words = "words"


class When(StrEnum):
    """Which of several values that held one after another is meant."""

    last = "last"
    first = "first"
    previous = "previous"
    at_a_day = "at_a_day"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as read. `names` are who and what it speaks of; `quoted` is what it cites; `unit` as it says it."""

    text: str
    form: Form
    when: When
    names: tuple[str, ...]
    quoted: tuple[str, ...] = ()
    day: date | None = None
    unit: str = ""


_MOST_READ = 2_000
_SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[\"“A-Z])")
_QUOTED = re.compile(r"[\"“]([^\"”]{2,200})[\"”]")
_NOT_NAMES = frozenset(
    "a according all also among answer as at be before by count did do does for forget from give going has have how i "
    "if in is it just kindly leave list name never next of on one out please put quickly remind say since so tell that "
    "the these think this to today under was we were what when where which who whom whose with yes you".split()
)
_FORMS = {
    Form.yes_no: ("yes or no", r"is that (?:so|right|true|correct)", "affirm or deny", "true or false"),
    Form.sources: ("each source", "source by source", "which sources", "competing claims", "who says what"),
    Form.changes: ("how (?:many times|often) .{0,200}chang", "how often was", "how many changes", "count the changes"),
    Form.listing: (
        r"\blist\b", "name (?:every|all)", r"name the \w+ (?:whose|that|who)", "all of them", "which of these",
        r"in order\b", "out of (?:these|this list)", "going through",
    ),
    Form.tally: (r"how many (?:different|of|incidents|events|entries|times)\b", "count (?:them|the|how)"),
    Form.day: (r"\bwhen\b", r"(?:which|what|the) (?:date|day)\b", "day, month and year", "time of day"),
    Form.number: (
        "how (?:much|many|large|long|far|big|old|tall|high)", "per ?cent", "amount",
        "the (?:exact )?(?:number|figure|sum)", "by how", "which port",
    ),
    Form.name: (r"\bwho(?:se|m)?\b", r"(?:full|the|a) name\b"),
}  # fmt: skip
_UNITS = (("$", r"dollar|\bUSD\b|money|budget|cost\b"), ("%", r"per ?cent|percentage|%"))
_UNIT = re.compile(r"(?:number|figure) (?:in|of) ([a-z-]+)|how many ([a-z-]+)|in (minutes|days|hours|seconds|ms)\b")
_WHENS = (
    (When.first, r"very beginning|originally|at first|start out|initial|the first value|first of the"),
    (When.previous, r"\bprevious|before (?:the|its) (?:last|latest)|used to be|formerly"),
)


def asked(question: str) -> Asked:
    """Read a question. Anything at all is some question; what says nothing of its form wants words."""
    text = " ".join(question[:_MOST_READ].split())
    quoted = tuple(match[1].strip() for match in _QUOTED.finditer(text))
    days = dates_in(text)
    form = next((form for form, wordings in _FORMS.items() if _says(text, wordings)), Form.words)
    when = next((when for when, wording in _WHENS if re.search(wording, text, re.IGNORECASE)), When.last)
    if days and when is When.last and form is not Form.yes_no:
        when = When.at_a_day
    return Asked(
        text=_asking_part(text),
        form=form,
        when=when,
        names=_names(text),
        quoted=quoted,
        day=days[-1].day if days else None,
        unit=_unit(text),
    )


def _says(text: str, wordings: Iterable[str]) -> bool:
    return any(re.search(wording, text, re.IGNORECASE) for wording in wordings)


def _asking_part(text: str) -> str:
    """Without the sentences that neither ask nor name anything: openers, and how to answer."""
    sentences = _SENTENCE.split(text)
    kept = [sentence for sentence in sentences if "?" in sentence or _names(sentence)]
    return " ".join(kept or sentences)


def _names(text: str) -> tuple[str, ...]:
    names = []
    for found in names_in(text):
        words = found.text.split()
        while words and words[0].lower() in _NOT_NAMES:
            words = words[1:]
        if words and words_of(" ".join(words)):
            names.append(" ".join(words))
    return tuple(dict.fromkeys(names))


def _unit(text: str) -> str:
    sign = next((sign for sign, wording in _UNITS if re.search(wording, text, re.IGNORECASE)), "")
    found = _UNIT.search(text)
    return sign or (next(filter(None, found.groups()), "") if found else "")
