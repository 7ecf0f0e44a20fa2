"""Extractive answering: the clause that matches the question, and the value of the requested kind in it.

Uses no model and no ground truth: the question's wording gives the kind of answer, the newest matching clause wins, and
without a match the answer is an abstention. It is a baseline by design: it does not count beyond one search, does not
add up, and does not follow chains of facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from assay.memory_eval.adapters.extracting.asked import Asked, Form, When, asked
from assay.memory_eval.adapters.extracting.clauses import Clause, Passage, clauses_of
from assay.memory_eval.adapters.extracting.picking import distinct, is_unit, names_of, values_of
from assay.memory_eval.adapters.extracting.retrieval import Index, Kind, words_of
from assay.memory_eval.adapters.extracting.values import ASKING, NOT_NAMES, dates_in, names_in, numbers_in, says

NEVER_TOLD = "I don't know; you never told me that."
READER = "assay-extract v1"
"""Name and version of this reader; raised whenever the same entries would give another answer."""
NUM_FOUND = 30
"""Entries retrieved for one question."""

MOST_LISTED = 12
STEM = 5
GUESS = 0.05
SAME_UNIT = 0.5
MOST_NAME_WORDS = 5
LEAST_CITED = 4
MOST_SENTENCES = 3
LEAST_OPTIONS = 3
"""Least number of names in a question that offers a choice."""

_AS_GOOD = 0.5
"""Share of the best clause's score from which a clause counts as equally relevant."""

_TYPED = frozenset({Form.day, Form.number, Form.name})

Scored = Sequence[tuple[float, Clause]]


@dataclass(frozen=True, slots=True)
class Picked:
    """An answer, the confidence of the extraction (0.0 to 1.0), and the places of the entries used."""

    answer: str
    confidence: float
    places: tuple[int, ...] = ()


def looked_up(question: str, index: Index, passage_at: Callable[[int], Passage]) -> Picked:
    """Answer from the entries an index finds; `passage_at` returns the entry at a place."""
    found = index.search(question, NUM_FOUND)
    return pick(question, [passage_at(place) for place, _ in found], index.kind)


def pick(question: str, passages: Sequence[Passage], kind: Kind) -> Picked:
    """Answer from these passages alone; clauses are compared with the question as the entries were (`kind`)."""
    wanted = asked(question)
    is_choice = wanted.form is Form.listing and len(wanted.names) >= LEAST_OPTIONS
    names = _known(wanted, passages)
    if wanted.names and not names:
        return Picked(NEVER_TOLD, 0.3)
    wanted = replace(wanted, names=names)
    if not names and wanted.keys:
        passages = _with_most(wanted.keys, passages)
    fitting = _fitting(wanted, clauses_of(passages, names, 1 if is_choice else None), kind)
    if not fitting:
        return Picked(NEVER_TOLD, 0.2)
    answer, used = _chosen(names, fitting) if is_choice else _ANSWERS.get(wanted.form, _value)(wanted, fitting)
    if not answer:
        return Picked(NEVER_TOLD, 0.1)
    return Picked(answer, _confidence(wanted, used), tuple(dict.fromkeys(clause.place for clause in used)))


def _known(wanted: Asked, passages: Sequence[Passage]) -> tuple[str, ...]:
    """Return the names in the passages, each as long as in the text: "Kodiak" may be "Kodiak packet mirror"."""
    texts = [passage.text for passage in passages]
    there = [name for name in wanted.names if any(says(text, name) for text in texts)]
    names = [_longest(name, wanted.text, texts) for name in there]
    return tuple(one for one in dict.fromkeys(names) if not any(one != other and one in other for other in names))


def _with_most(keys: Sequence[str], passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages that contain the most keys; none if no passage has any."""
    nums = [sum(says(passage.text, key) for key in keys) for passage in passages]
    return [passage for passage, num in zip(passages, nums, strict=True) if num and num == max(nums)]


def _longest(name: str, question: str, texts: Sequence[str]) -> str:
    """Extend a name by the words that follow it both in the question and in the passages."""
    for word in question.partition(name)[2].split(" ")[1 : MOST_NAME_WORDS + 1]:
        longer = f"{name} {word.rstrip('?.,:;')}".removesuffix("'s")
        if not word or not any(says(text, longer) for text in texts) or word.lower() in NOT_NAMES:
            break
        name = longer
        if word[-1] in "?.,:;" or word.endswith("'s"):
            break
    return name


def _fitting(wanted: Asked, clauses: Sequence[Clause], kind: Kind) -> Scored:
    """Return the matching clauses, best first; names and keys of the question are ignored: all have them."""
    about = wanted.text
    cited = [key for key in wanted.keys if len(key.split()) >= LEAST_CITED]
    for said in (*wanted.names, *cited):
        about = about.replace(said, " ")
    about = " ".join(word for word in about.split() if word.strip("?.,:;").lower() not in ASKING)
    scores: dict[int, float] = {}
    if kind != "embeddings":
        _add(scores, Index([_stems(clause.text) for clause in clauses], "bm25").search(_stems(about), len(clauses)))
    if kind != "bm25":
        _add(scores, Index([clause.text for clause in clauses], "embeddings").search(about, len(clauses)))
    if wanted.form is Form.number and wanted.unit:
        for place, clause in enumerate(clauses):
            if any(is_unit(found, wanted.unit) for found in numbers_in(clause.text)):
                scores[place] = scores.get(place, 0.0) + SAME_UNIT
    for place, clause in enumerate(clauses):
        # Fallback: a clause with a value of the requested kind about the right entity.
        if place not in scores and wanted.form in _TYPED and values_of(wanted, clause):
            scores[place] = GUESS
    best = max(scores.values(), default=1.0)
    return sorted(((score / best, clauses[place]) for place, score in scores.items()), key=lambda one: -one[0])


def _add(scores: dict[int, float], found: Sequence[tuple[int, float]]) -> None:
    for place, score in found:
        scores[place] = scores.get(place, 0.0) + score / found[0][1]


def _stems(text: str) -> str:
    """Truncate long words, so that "allergic" matches "allergy"; a crude stemmer is enough here."""
    return " ".join(word[:STEM] if word.isalpha() else word for word in words_of(text))


def _value(wanted: Asked, fitting: Scored) -> tuple[str, list[Clause]]:
    """Return the one value that holds at the requested time."""
    holding = [(score, clause, values[0]) for score, clause in fitting if (values := values_of(wanted, clause))]
    good = [(score, clause, value) for score, clause, value in holding if score >= holding[0][0] * _AS_GOOD]
    if not good:
        return "", []
    in_order = sorted(good, key=lambda one: (one[1].day or date.min, one[1].place, one[0]))
    return _at_the_time(wanted, [(clause, value) for _, clause, value in in_order])


def _at_the_time(wanted: Asked, told: Sequence[tuple[Clause, str]]) -> tuple[str, list[Clause]]:
    """Return the newest, first, previous or dated value of those in the order they held."""
    chosen = told[-1]
    if wanted.when is When.first:
        chosen = told[0]
    elif wanted.when is When.previous:
        before = [one for one in told if one[1].lower() != chosen[1].lower()]
        chosen = before[-1] if before else chosen
    elif wanted.when is When.at_a_day and wanted.day:
        held = [one for one in told if (one[0].day or date.min) <= wanted.day]
        chosen = held[-1] if held else told[0]
    return chosen[1], [chosen[0]]


def _listing(wanted: Asked, fitting: Scored) -> tuple[str, list[Clause]]:
    """Return every name in the matching clauses."""
    used = sorted(_good(fitting), key=lambda clause: clause.place)
    names = distinct([name for clause in used for name in names_of(wanted, clause)])[:MOST_LISTED]
    return ", ".join(names), used


def _chosen(names: Sequence[str], fitting: Scored) -> tuple[str, list[Clause]]:
    """Return the offered names that occur in the matching clauses."""
    used = [clause for clause in _good(fitting) if any(says(clause.sentence, name) for name in names)]
    told = [name for name in names if any(says(clause.sentence, name) for clause in used)]
    return ", ".join(told), used


def _count(_wanted: Asked, fitting: Scored) -> tuple[str, list[Clause]]:
    """Return how many entries match, as far as one search finds them."""
    used = _good(fitting)
    return str(len({clause.place for clause in used})), used


def _changes(_wanted: Asked, fitting: Scored) -> tuple[str, list[Clause]]:
    """Return the number of different values less one."""
    used = _good(fitting)
    values = distinct([value for clause in used for value in _any_value(clause)])
    return (str(max(0, len(values) - 1)), used) if values else ("", [])


def _any_value(clause: Clause) -> list[str]:
    found = numbers_in(clause.text) or names_in(clause.text) or dates_in(clause.text)
    return [found[-1].text] if found else []


def _yes_no(wanted: Asked, fitting: Scored) -> tuple[str, list[Clause]]:
    """Return yes if one sentence has all values of the question."""
    values = [found.text.strip() for read in (dates_in, numbers_in) for found in read(wanted.text)]
    values = [*values, *wanted.keys, *wanted.names]
    for _, clause in fitting:
        if all(says(clause.sentence, value) for value in values):
            return "Yes", [clause]
    return "No", [fitting[0][1]]


def _sources(_wanted: Asked, fitting: Scored) -> tuple[str, list[Clause]]:
    """Return the matching sentences; each names its source."""
    used = _good(fitting)
    return " ".join(distinct([clause.sentence for clause in used])[:MOST_SENTENCES]), used


def _good(fitting: Scored) -> list[Clause]:
    return [clause for score, clause in fitting if score >= _AS_GOOD]


def _confidence(wanted: Asked, used: Iterable[Clause]) -> float:
    """Return the share of the question's words in the used clauses; never near 1, for most extractions are wrong."""
    asked_for = set(words_of(wanted.text))
    said = {word for clause in used for word in words_of(clause.sentence)}
    return round(0.1 + 0.5 * len(asked_for & said) / len(asked_for), 2) if asked_for else 0.1


_ANSWERS = {
    Form.yes_no: _yes_no,
    Form.tally: _count,
    Form.changes: _changes,
    Form.listing: _listing,
    Form.sources: _sources,
}
