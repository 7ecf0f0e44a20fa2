"""An answer picked out of what was found: the clause that fits the question, and in it the value of the kind wanted.

No model and no ground truth: the question's wording says what kind of answer it wants, the newest clause that fits
wins, and where nothing speaks of what is asked the answer is that it was never told. Modest on purpose: it does not
count beyond what one look finds, does not add up, and does not follow a chain of facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from assay.memory_eval.extracting.asked import Asked, Form, When, asked
from assay.memory_eval.extracting.clauses import Clause, Passage, clauses_of
from assay.memory_eval.extracting.picking import distinct, names_of, values_of
from assay.memory_eval.extracting.values import dates_in, names_in, numbers_in
from assay.memory_eval.retrieval import Index, Kind, words_of

NEVER_TOLD = "I don't know; you never told me that."
MOST_LISTED = 12
MOST_SENTENCES = 3
MOST_OPTIONS = 3
"""A question that names so many things gives a choice of them."""

_AS_GOOD = 0.6
"""A clause counts as speaking of the same as the best one from this share of its score on."""

Scored = Sequence[tuple[float, Clause]]


@dataclass(frozen=True, slots=True)
class Picked:
    """An answer, how sure the picking is (0.0 to 1.0), and the places of the entries it was taken from."""

    answer: str
    confidence: float
    places: tuple[int, ...] = ()


def pick(question: str, passages: Sequence[Passage], kind: Kind) -> Picked:
    """Answer from these passages alone, clauses compared with the question the way entries were (`kind`)."""
    wanted = asked(question)
    names = _known(wanted.names, passages)
    if wanted.names and not names:
        return Picked(NEVER_TOLD, 0.6)
    is_choice = wanted.form is Form.listing and len(names) >= MOST_OPTIONS
    fitting = _fitting(wanted, clauses_of(passages, names, 1 if is_choice else None), kind)
    if not fitting:
        return Picked(NEVER_TOLD, 0.4)
    answer, used = _chosen(names, fitting) if is_choice else _ANSWERS.get(wanted.form, _value)(wanted, fitting)
    if not answer:
        return Picked(NEVER_TOLD, 0.3)
    return Picked(answer, _confidence(wanted, used), tuple(dict.fromkeys(clause.place for clause in used)))


def _known(names: Sequence[str], passages: Sequence[Passage]) -> tuple[str, ...]:
    """The names that anything found speaks of."""
    texts = [passage.text.lower() for passage in passages]
    return tuple(name for name in names if any(name.lower() in text for text in texts))


def _fitting(wanted: Asked, clauses: Sequence[Clause], kind: Kind) -> Scored:
    """The clauses that speak of what is asked, best first; the names are left out, for all the clauses have them."""
    about = wanted.text
    for name in wanted.names:
        about = about.replace(name, " ")
    found = Index([clause.text for clause in clauses], kind).search(about, len(clauses))
    best = found[0][1] if found else 1.0
    return [(score / best, clauses[place]) for place, score in found]


def _value(wanted: Asked, fitting: Scored) -> tuple[str, list[Clause]]:
    """The one value that holds at the time asked for."""
    holding = [(score, clause, values) for score, clause in fitting if (values := values_of(wanted, clause))]
    if not holding:
        return "", []
    best = holding[0][0]
    told = sorted(
        (
            (clause.day or date.min, clause.place, values[0], clause)
            for score, clause, values in holding
            if score >= best * _AS_GOOD
        ),
        key=lambda one: one[:2],
    )
    return _at_the_time(wanted, told)


def _at_the_time(wanted: Asked, told: Sequence[tuple[date, int, str, Clause]]) -> tuple[str, list[Clause]]:
    """Of values in the order they held: the newest, the first, the one before, or the one that held on a day."""
    if wanted.when is When.first:
        chosen = told[0]
    elif wanted.when is When.previous:
        before = [one for one in told if one[2].lower() != told[-1][2].lower()]
        chosen = before[-1] if before else told[-1]
    elif wanted.when is When.at_a_day and wanted.day:
        held = [one for one in told if one[0] <= wanted.day]
        chosen = held[-1] if held else told[0]
    else:
        chosen = told[-1]
    return chosen[2], [chosen[3]]


def _listing(wanted: Asked, fitting: Scored) -> tuple[str, list[Clause]]:
    """Every name that the clauses that fit speak of."""
    used = _good(fitting)
    names = distinct([name for clause in used for name in names_of(wanted, clause)])[:MOST_LISTED]
    return ", ".join(names), used


def _chosen(names: Sequence[str], fitting: Scored) -> tuple[str, list[Clause]]:
    """Those of the names given that the clauses that fit speak of."""
    used = [clause for clause in _good(fitting) if any(name in clause.sentence for name in names)]
    told = [name for name in names if any(name in clause.sentence for clause in used)]
    return ", ".join(told), used


def _count(_wanted: Asked, fitting: Scored) -> tuple[str, list[Clause]]:
    """How many entries fit; where they were all found in one look."""
    used = _good(fitting)
    return str(len({clause.place for clause in used})), used


def _changes(_wanted: Asked, fitting: Scored) -> tuple[str, list[Clause]]:
    """One fewer than there were different values."""
    used = _good(fitting)
    values = distinct([value for clause in used for value in _any_value(clause)])
    return (str(max(0, len(values) - 1)), used) if values else ("", [])


def _any_value(clause: Clause) -> list[str]:
    found = numbers_in(clause.text) or names_in(clause.text) or dates_in(clause.text)
    return [found[-1].text] if found else []


def _yes_no(wanted: Asked, fitting: Scored) -> tuple[str, list[Clause]]:
    """Yes where one sentence has all the values the question has."""
    values = [found.text.strip() for read in (dates_in, numbers_in) for found in read(wanted.text)]
    values = [*values, *wanted.quoted, *wanted.names]
    for _, clause in fitting:
        if all(value.lower() in clause.sentence.lower() for value in values):
            return "Yes", [clause]
    return "No", [fitting[0][1]]


def _sources(_wanted: Asked, fitting: Scored) -> tuple[str, list[Clause]]:
    """The sentences themselves: each says who says what."""
    used = _good(fitting)
    return " ".join(distinct([clause.sentence for clause in used])[:MOST_SENTENCES]), used


def _good(fitting: Scored) -> list[Clause]:
    return [clause for score, clause in fitting if score >= _AS_GOOD]


def _confidence(wanted: Asked, used: Iterable[Clause]) -> float:
    """How many of the question's words what was used has, between a guess and nearly sure."""
    asked_for = set(words_of(wanted.text))
    said = {word for clause in used for word in words_of(clause.sentence)}
    return round(0.2 + 0.7 * len(asked_for & said) / len(asked_for), 2) if asked_for else 0.2


_ANSWERS = {
    Form.yes_no: _yes_no,
    Form.tally: _count,
    Form.changes: _changes,
    Form.listing: _listing,
    Form.sources: _sources,
}
