"""What a question asks for, parsed from its wording: kind of answer, entity and time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from assay.memory_eval.adapters.extracting.values import dates_in, names_in, numbers_in


class Form(StrEnum):
    """The requested kind of answer."""

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
    """Requested one of several successive values."""

    last = "last"
    first = "first"
    previous = "previous"
    at_a_day = "at_a_day"


@dataclass(frozen=True, slots=True)
class Asked:
    """A parsed question. `names` are the entities in it; `keys` other literals; `unit` as written."""

    text: str
    form: Form
    when: When
    names: tuple[str, ...]
    keys: tuple[str, ...] = ()
    day: date | None = None
    unit: str = ""


_MOST_READ = 2_000
_SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[\"“A-Z])")
_QUOTED = re.compile(r"[\"“]([^\"”]{2,200})[\"”]")
_FORMS = {
    Form.yes_no: ("yes or no", r"is that (?:so|right|true|correct)", "affirm or deny", "true or false"),
    Form.sources: ("each source", "source by source", "which sources", "competing claims", "who says what"),
    Form.changes: ("how (?:many times|often) .{0,200}chang", "how often was", "how many changes", "count the changes"),
    Form.listing: (
        r"\blist\b", "name (?:every|all)", r"name the \w+ (?:whose|that|who)", "all of them", "which of these",
        r"in order\b", "out of (?:these|this list)", "going through",
    ),
    Form.tally: (
        r"how many (?:different|of|times)\b", "count (?:them|the|how)",
        "(?:how many|number of) .{3,200}(?:did I|do you|have come)",
    ),
    Form.day: (r"\bwhen\b", r"(?:which|what|the) (?:date|day)\b", "day, month and year", "time of day"),
    Form.number: (
        "how (?:much|many|large|long|far|big|old|tall|high)", "per ?cent", "amount",
        "the (?:exact )?(?:number|figure|sum)", "by how", "which port",
    ),
    Form.name: (r"\bwho(?:se|m)?\b", r"(?:full|the|a) name\b"),
}  # fmt: skip
_UNITS = (("$", r"dollar|\bUSD\b|money|budget|cost\b"), ("%", r"per ?cent|percentage|%"))
_CODE = re.compile(r"(?<![\w.])\d{1,5}(?:[.:/]\d{1,5}){2,6}(?![\w])")
_SIGNS = frozenset("$%")
_UNIT = re.compile(
    r"(?:number|figure) (?:in|of) ([A-Za-z-]+)|[Hh]ow many ([a-z-]+)|in (minutes|days|hours|seconds|ms)\b"
)
_WHENS = (
    (When.first, r"very beginning|originally|at first|start out|initial|the first value|first of the"),
    (When.previous, r"\bprevious|before (?:the|its) (?:last|latest)|used to be|formerly"),
)


def asked(question: str) -> Asked:
    """Parse a question. Any text is a question; without a recognized form it asks for words."""
    text = " ".join(question[:_MOST_READ].split())
    part = _asking_part(text)
    days = dates_in(part)
    form = next((form for form, wordings in _FORMS.items() if _says(text, wordings)), Form.words)
    when = next((when for when, wording in _WHENS if re.search(wording, text, re.IGNORECASE)), When.last)
    if days and when is When.last and form is not Form.yes_no:
        when = When.at_a_day
    unit = _unit(text)
    if form is Form.words and unit in _SIGNS:
        form = Form.number
    return Asked(
        text=part,
        form=form,
        when=when,
        names=_names(part),
        keys=_keys(part, when),
        day=days[-1].day if days else None,
        unit=unit,
    )


def _says(text: str, wordings: Iterable[str]) -> bool:
    return any(re.search(wording, text, re.IGNORECASE) for wording in wordings)


def _asking_part(text: str) -> str:
    """Return the text without sentences that neither ask nor name anything: openers, and instructions on the form."""
    sentences = _SENTENCE.split(text)
    asking = [sentence for sentence in sentences if "?" in sentence]
    if not any(_tells_whom(sentence) for sentence in asking):  # the entity was named in an earlier sentence
        asking = [sentence for sentence in sentences if "?" in sentence or _tells_whom(sentence)]
    return " ".join(asking or sentences)


def _tells_whom(sentence: str) -> bool:
    return bool(_names(sentence) or _QUOTED.search(sentence))


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found.text for found in names_in(text)))


def _keys(text: str, when: When) -> tuple[str, ...]:
    """Return further literals: a quotation, a day that is not a point in time, an address, an amount."""
    quoted = [match[1].strip() for match in _QUOTED.finditer(text)]
    days = [] if when is When.at_a_day else [found.text for found in dates_in(text)]
    amounts = [found.text for found in numbers_in(text) if len(found.text) > 1]
    return tuple(dict.fromkeys([*quoted, *days, *amounts, *_CODE.findall(text)]))


def _unit(text: str) -> str:
    sign = next((sign for sign, wording in _UNITS if re.search(wording, text, re.IGNORECASE)), "")
    found = _UNIT.search(text)
    return sign or (next(filter(None, found.groups()), "") if found else "")
