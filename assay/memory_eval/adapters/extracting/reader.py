"""Extractive answering: the newest of the clauses that match a question best.

Uses no model and no ground truth. It is a baseline by design: it neither counts nor adds up, and follows no chain of
facts. Without a matching clause it abstains.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from assay.memory_eval.adapters.extracting.retrieval import Index, Kind, words_of
from assay.memory_eval.graders.naming import days_in, figures_in
from assay.memory_eval.graders.reading.dates import DateMention
from assay.memory_eval.graders.reading.plain_text import plain_value
from assay.memory_eval.graders.reading.quantities import Quantity

NEVER_TOLD = "I don't know; you never told me that."
READER = "assay-extract v2"
"""Name and version of this reader; raised whenever the same entries would give another answer."""
NUM_FOUND = 30
"""Entries retrieved for one question."""

_MOST_READ = 5_000
_MOST_CLAUSES = 400
_MOST_WORDS = 24
_AS_GOOD = 0.5
"""Share of the best clause's score from which a clause counts as equally relevant."""
_GUESS = 0.05
"""Score of a clause that has nothing but a value of the kind that is asked for."""
_STEM = 5
_LONGEST_LABEL = 4

_SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[\"“(A-Z0-9])|\n+")
_CLAUSE = re.compile(r";\s+|\s+\|\s+|,? and (?=[a-z])|, (?=[a-z])|,? (?:what is more|on top of that|besides|also),? ")
_QUOTED = re.compile(r"[\"“]([^\"”]{2,200})[\"”]")
_NAME = re.compile(
    r"\b[A-Z][\w'&.-]*\w(?: (?:of|the|de|van|von|&) (?=[A-Z])| [A-Z][\w'&-]*\w| \d+\b)*"
    r"|\b[a-z]{1,30}(?:-[a-z]{1,30}){0,4}-\d+\b"
)
_NOT_NAMES = frozenset(
    "a about according after all also among an and answer any apart as at be before besides but by calendar change "
    "count did do does during else every finance for forget from give going had has have he her here his how however "
    "i if in is it its just keep kindly let list money my name never next no not note now of on once one or our out "
    "please put quickly recorded remind say she since so something tell than that the their then there these they "
    "think this those to today two under until was we were what when where which who whom whose why with written yes "
    "you your".split()
)
_HOLDS_FROM = re.compile(r"(?:as of|since|from|effective|recorded on|notes? of|dated|starting|on|file of)\s+$")
_MARK = re.compile(r"(?:as of|since|effective|made on|recorded on|notes of|from|^on) $")
_YES_NO = re.compile(r"yes or no|is that (?:so|right|true|correct)|affirm or deny|true or false", re.IGNORECASE)
_DAY = re.compile(r"\bwhen\b|(?:which|what|the) (?:date|day)\b|day, month and year|time of day", re.IGNORECASE)
_NUMBER = re.compile(
    r"how (?:much|many|large|long|far|big|old|tall|high)|per ?cent|amount|\b(?:number|figure|sum)\b", re.IGNORECASE
)
_SOURCE = re.compile(r"\bsources?\b|who says|competing claims", re.IGNORECASE)
_MONEY = re.compile(r"dollar|\bUSD\b|money|budget|cost\b", re.IGNORECASE)
_LEFT_BEHIND = re.compile(r"\b(?:from|not|no longer|instead of|than|used to be|replaces) (?:at |by |on )?$")
_FIRST = re.compile(r"very beginning|originally|at first|start out|initial|the first value|first of the", re.IGNORECASE)
_PREVIOUS = re.compile(r"\bprevious|before (?:the|its) (?:last|latest)|used to be|formerly", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Passage:
    """A retrieved entry: its place in the order stored, its text, and the day the store gives it, if any."""

    place: int
    text: str
    day: date | None = None


@dataclass(frozen=True, slots=True)
class Picked:
    """An answer, the confidence of the extraction (0.0 to 1.0), and the places of the entries used."""

    answer: str
    confidence: float
    places: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Clause:
    """One clause: its words, its sentence, the entry's place, and the day from which it holds."""

    text: str
    sentence: str
    place: int
    day: date | None


def looked_up(question: str, index: Index, passage_at: Callable[[int], Passage]) -> Picked:
    """Answer from the entries an index finds; `passage_at` returns the entry at a place."""
    found = index.search(question, NUM_FOUND)
    return pick(question, [passage_at(place) for place, _ in found], index.kind)


def pick(question: str, passages: Sequence[Passage], kind: Kind) -> Picked:
    """Answer from these passages alone; clauses are compared with the question as the entries were (`kind`)."""
    asked = _asking_part(question[:_MOST_READ])
    names, quoted = names_in(asked), _QUOTED.findall(asked)
    known = [name for name in names if any(_says(one.text, name) for one in passages)]
    passages = [one for one in passages if all(_says(one.text, text) for text in quoted)]
    if (names and not known) or not passages:
        return Picked(NEVER_TOLD, 0.3)
    clauses = [one for passage in passages for one in _clauses(passage)]
    most = max((sum(_says(one.sentence, name) for name in known) for one in clauses), default=0)
    clauses = [one for one in clauses if sum(_says(one.sentence, name) for name in known) == most][:_MOST_CLAUSES]
    good = _fitting(question, asked, known, clauses, kind)
    if not good:
        return Picked(NEVER_TOLD, 0.2)
    if _YES_NO.search(question):
        values = [*names, *re.findall(r"\$?\d[\d,.]*\d|\d", asked)]
        used = next((one for _, one in good if all(_says(one.sentence, value) for value in values)), None)
        return Picked("No" if used is None else "Yes", 0.3, ((used or good[0][1]).place,))
    ordered = sorted((one for _, one in good), key=lambda one: (one.day or date.min, one.place))
    chosen = _at_the_time(question, asked, ordered)
    words = chosen.sentence if _SOURCE.search(question) else chosen.text
    value = next(iter(_values(question, known, chosen)), " ".join(words.split()[:_MOST_WORDS]))
    return Picked(value, _confidence(asked, chosen), (chosen.place,))


def _values(question: str, names: Sequence[str], clause: _Clause) -> list[str]:
    """Return the days or the numbers of a clause that are not in the question, if it asks for one."""
    plain, asked = plain_value(clause.text), plain_value(question)
    for name in names:  # the 4 of "Q4 2018" is not an amount
        plain = plain.replace(plain_value(name), " " * len(name))
    found: Sequence[DateMention | Quantity] = ()
    if _DAY.search(question):
        found = [one for one in days_in(plain) if not _MARK.search(plain[: one.start])] or days_in(plain)
    elif _NUMBER.search(question):
        found = figures_in(plain, None)
        sign = "$" if _MONEY.search(question) else "%" if re.search("per ?cent|%", asked) else ""
        signs = [sign] if sign else []
        found = [one for one in found if [mark for mark in "$%" if mark in plain[one.start : one.end]] == signs]
    as_written = clause.text if len(clause.text) == len(plain) else plain
    values = [as_written[one.start : one.end].strip() for one in found if not _LEFT_BEHIND.search(plain[: one.start])]
    return [one for one in values if one.lower() not in asked]


def names_in(text: str) -> list[str]:
    """Return runs of capitalised words, and names such as web-03, without words that begin a sentence."""
    found: list[str] = []
    for match in _NAME.finditer(_QUOTED.sub(" ", text)):
        words = match[0].removesuffix("'s").split(" ")
        while words and words[0].lower() in _NOT_NAMES:
            words = words[1:]
        name = " ".join(words)
        if name and not days_in(plain_value(f"1 {words[0]} 2020")) and not any(name in one for one in found):
            found.append(name)
    return list(dict.fromkeys(found))


def _asking_part(text: str) -> str:
    """Return the text without sentences that neither ask nor name anything: openers, and instructions on the form."""
    sentences = _SENTENCE.split(" ".join(text.split()))
    asking = [one for one in sentences if "?" in one]
    if not any(map(names_in, asking)):  # the entity was named in an earlier sentence
        asking = [one for one in sentences if "?" in one or names_in(one) or _QUOTED.search(one)]
    return " ".join(asking or sentences)


@lru_cache(maxsize=4096)  # the same turns are found for many questions
def _clauses(passage: Passage) -> tuple[_Clause, ...]:
    return tuple(_read(passage))


def _read(passage: Passage) -> Iterator[_Clause]:
    text = passage.text[:_MOST_READ]
    whole = _valid_from(text) or passage.day
    for sentence in filter(None, map(str.strip, re.split(r"(?<=[.!?])\s+(?=[\"“(A-Z0-9])|\n+", text))):
        day = _valid_from(sentence) or whole
        for part in _CLAUSE.split(sentence):
            # "location: Ottawa" stays together, a long head and its clause do not.
            head, colon, rest = part.partition(": ")
            halves = (head, rest) if colon and len(head.split()) > _LONGEST_LABEL else (part,)
            yield from (_Clause(half, sentence, passage.place, day) for one in halves if (half := one.strip(" .,")))


def _valid_from(text: str) -> date | None:
    """Return the day a text holds from ("as of 3 May 2025")."""
    plain = plain_value(text)
    days = [one.days[0] for one in days_in(plain) if _HOLDS_FROM.search(plain[max(0, one.start - 14) : one.start])]
    whole = [day for day in days if all(day)]
    return date(*whole[-1]) if whole else None


def _fitting(
    question: str, asked: str, names: Sequence[str], clauses: Sequence[_Clause], kind: Kind
) -> list[tuple[float, _Clause]]:
    """Return the best clauses; names of the question are left out, for all clauses have them."""
    about = asked
    for name in names:
        about = about.replace(name, " ")
    scores: dict[int, float] = {}
    if kind != "embeddings":
        _add(scores, Index([_stems(one.text) for one in clauses], "bm25").search(_stems(about), len(clauses)))
    if kind != "bm25":
        _add(scores, Index([one.text for one in clauses], "embeddings").search(about, len(clauses)))
    if _DAY.search(question) or _NUMBER.search(question):
        having = [place for place, clause in enumerate(clauses) if _values(question, names, clause)]
        scores = {place: scores.get(place, _GUESS) for place in having}
    best = max(scores.values(), default=0.0)
    return [(score, clauses[place]) for place, score in sorted(scores.items()) if score >= best * _AS_GOOD]


def _add(scores: dict[int, float], found: Sequence[tuple[int, float]]) -> None:
    for place, score in found:
        scores[place] = scores.get(place, 0.0) + score / found[0][1]


def _at_the_time(question: str, asked: str, ordered: Sequence[_Clause]) -> _Clause:
    """Return the newest clause, the first, the one before the newest, or the one that held on a day asked for."""
    days = [date(*day) for one in days_in(plain_value(asked)) for day in one.days[:1] if all(day)]
    if _FIRST.search(question):
        return ordered[0]
    if _PREVIOUS.search(question):
        return next((one for one in reversed(ordered) if one.text.lower() != ordered[-1].text.lower()), ordered[-1])
    held = [one for one in ordered if not days or (one.day or date.min) <= days[-1]]
    return held[-1] if held else ordered[0]


def _stems(text: str) -> str:
    """Truncate long words, so that "allergic" matches "allergy"; a crude stemmer is enough here."""
    return " ".join(word[:_STEM] if word.isalpha() else word for word in words_of(text))


def _confidence(asked: str, used: _Clause) -> float:
    """Return the share of the question's words in the used clause; never near 1, for most extractions are wrong."""
    wanted = set(words_of(asked))
    return round(0.1 + 0.5 * len(wanted & set(words_of(used.sentence))) / len(wanted), 2) if wanted else 0.1


def _says(text: str, value: str) -> bool:
    """Return whether a text contains a value as whole words, ignoring case: "INC-10" is not in "INC-101"."""
    text, value = text.lower(), value.lower()
    start = text.find(value) if value else -1
    while start >= 0:
        end = start + len(value)
        is_whole = not (text[start - 1 : start].isalnum() and value[0].isalnum())
        if is_whole and not (text[end : end + 1].isalnum() and value[-1].isalnum()):
            return True
        start = text.find(value, start + 1)
    return False
