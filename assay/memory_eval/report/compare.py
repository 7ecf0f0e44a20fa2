"""Comparison of two evaluations, with a test against chance.

Question by question where both were asked the same: only questions that both asked and graded count, so that an easier
exam is not an improvement. Different worlds, as secret exams are, share no question and are compared world against
world by Student's t, so that a hard world does not count as a regression.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.report.measures import mapping
from assay.memory_eval.report.model import SCHEMA_VERSION, EvalReport, EvalResult, by_category
from assay.memory_eval.report.read import read_report
from assay.statistics import (
    LEVEL,
    Interval,
    difference_of_means,
    exact_test_of_pairs,
    interval_of_scores,
    mean,
    permutation_p,
)

# ------------------ comparison

NO_DIFFERENCE = "no difference shown"


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure before and after; `change` is after less before, `num_pairs` the questions that both were asked."""

    name: str
    before: float
    after: float
    change: float
    interval: Interval | None
    p_value: float | None
    num_pairs: int


@dataclass(frozen=True, slots=True)
class FactChange:
    """Facts that the two stores hold, pair by pair; `p_value` by McNemar's exact test, `verdict` at 0.05."""

    num_facts: int
    num_before: int
    num_after: int
    num_lost: int
    num_gained: int
    p_value: float
    verdict: str

    def in_words(self) -> str:
        """Return the change in one line."""
        kept = f"{self.num_before:,} held before, {self.num_after:,} after, of {self.num_facts:,}"
        changed = f"{self.num_lost:,} lost, {self.num_gained:,} gained, p = {self.p_value:.3g} (McNemar, exact)"
        return f"facts: {self.verdict}; {kept}; {changed}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The change of the score. `verdict` is better, worse or "no difference shown".

    Without `paired`, the two were asked questions of different worlds: `num_before` and `num_after` of them.
    """

    before: str
    after: str
    verdict: str
    overall: Difference
    categories: tuple[Difference, ...]
    worse: tuple[dict[str, Any], ...]
    """The questions with the largest loss: `{question_id, category, question, before, after}`."""
    better: tuple[dict[str, Any], ...]
    num_worse: int
    num_better: int
    num_same: int
    num_unpaired: int
    notes: tuple[str, ...] = ()
    facts: FactChange | None = None
    """The change of the facts held; None unless both reports measured the memory of the same world."""
    paired: bool = True
    num_before: int = 0
    num_after: int = 0
    recall: Difference | None = None
    """The change of the share of facts held, over different worlds; None unless both reports measured the memory."""

    @property
    def is_worse(self) -> bool:
        """Whether the answers or the facts held got worse, beyond chance."""
        of_facts = self.facts.verdict if self.facts is not None else verdict_of(self.recall)
        return "worse" in (self.verdict, of_facts)

    def questions_in_words(self) -> str:
        """Return which questions the scores are over."""
        if self.paired:
            num = self.overall.num_pairs
            return "the same question" if num == 1 else f"{num} questions both were asked"
        return f"{self.num_before} and {self.num_after} questions of different worlds"

    def facts_in_words(self) -> str:
        """Return the change of the facts held in one line; "" without a measure of the memory."""
        if self.facts is not None:
            return self.facts.in_words()
        one = self.recall
        if one is None:
            return ""
        within = "" if one.interval is None else f" ({one.interval.low * 100:+.1f} to {one.interval.high * 100:+.1f})"
        change = f"{one.before:.1%} held before, {one.after:.1%} after, {one.change * 100:+.1f} points{within}"
        return f"facts: {verdict_of(one)}; {change}"

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data."""
        return {"schema_version": SCHEMA_VERSION, "level": LEVEL, **asdict(self)}


def verdict_of(difference: Difference | None) -> str:
    """Return a difference if the whole interval is on one side of zero; else "no difference shown"."""
    if difference is None or difference.interval is None or difference.interval.low <= 0 <= difference.interval.high:
        return NO_DIFFERENCE
    return "better" if difference.change > 0 else "worse"


# ------------------ compare

LEAST_WORLDS = 2
"""Worlds on each side; with one, a hard world looks like a bad memory."""
MOST_CHANGED = 10
_HAIR = 1e-9

Pair = tuple[EvalResult, EvalResult]
Groups = list[list[float]]


def compare_files(before: Path, after: Path) -> Comparison:
    """Compare two report.json by their paths; raises as `read_report` and `compare_reports` do."""
    return compare_reports(read_report(before), read_report(after), (str(before), str(after)))


def compare_reports(before: EvalReport, after: EvalReport, names: tuple[str, str] = ("before", "after")) -> Comparison:
    """Compare two reports: over the questions graded in both, or over different worlds if there are none.

    Raises `ExamUsageError` for a comparable report with another one, and for different worlds if a side has one alone.
    """
    if before.comparable != after.comparable:
        name = names[1] if before.comparable else names[0]
        raise ExamUsageError(
            f"{name} is not comparable with a secret exam: its agent could know the exam",
            code="memory.not-comparable",
        )
    pairs = _pairs(before, after)
    num_alone = len(before.results) + len(after.results) - 2 * len(pairs)
    differences = _differences_of_pairs(pairs) if pairs else _differences_of_worlds(before, after, names)
    ordered = sorted(pairs, key=_change)
    worse = [pair for pair in ordered if _change(pair) < -_HAIR]
    better = [pair for pair in reversed(ordered) if _change(pair) > _HAIR]
    num_before, num_after = (0, 0) if pairs else (sum(map(len, _by_world(one.results))) for one in (before, after))
    return Comparison(
        before=names[0],
        after=names[1],
        verdict=verdict_of(differences[0]),
        overall=differences[0],
        categories=tuple(differences[1:]),
        worse=tuple(_shown(pair) for pair in worse[:MOST_CHANGED]),
        better=tuple(_shown(pair) for pair in better[:MOST_CHANGED]),
        num_worse=len(worse),
        num_better=len(better),
        num_same=len(pairs) - len(worse) - len(better),
        num_unpaired=num_alone,
        notes=tuple(_notes(before, after, num_alone if pairs else 0)),
        facts=_facts(before, after) if pairs else None,
        paired=bool(pairs),
        num_before=num_before,
        num_after=num_after,
        recall=None if pairs else _recall(before, after),
    )


def _notes(before: EvalReport, after: EvalReport, num_alone: int) -> Iterator[str]:
    """Yield what limits the comparison: questions without a partner, other settings, invalid runs."""
    if num_alone:
        yield f"{num_alone} results have no graded partner and do not count"
    for what in ("world_version", "grading", "grader_votes"):
        one, two = getattr(before, what), getattr(after, what)
        if one != two:
            yield f"{what} differs: {str(one)[:80]} and {str(two)[:80]}"
    for name, one in (("the first", before), ("the second", after)):
        if not one.valid:
            yield f"{name} is not a valid run"


# ------------------ the same questions


def _pairs(before: EvalReport, after: EvalReport) -> list[Pair]:
    """Return results of the same question with the same text.

    An answer that was not graded counts 0 where its partner was: answering unreadably gains nothing.
    """
    known = {(one.question_id, one.question): one for one in before.results}
    found = [(known[key], one) for one in after.results if (key := (one.question_id, one.question)) in known]
    return [(one, two) for one, two in found if one.score is not None or two.score is not None]


def _differences_of_pairs(pairs: Sequence[Pair]) -> list[Difference]:
    """Return the difference of all pairs, then of each category."""
    of = {name: [pair for pair in pairs if pair[0].category == name] for name in {one.category for one, _ in pairs}}
    return [_paired("overall", pairs), *(_paired(name, of[name]) for name in sorted(of))]


def _paired(name: str, pairs: Sequence[Pair]) -> Difference:
    changes = [_change(pair) for pair in pairs]
    before = mean([one.score or 0.0 for one, _ in pairs]) or 0.0
    after = mean([two.score or 0.0 for _, two in pairs]) or 0.0
    within = interval_of_scores([changes], bounds=(-1.0, 1.0))
    return Difference(name, before, after, after - before, within, permutation_p(changes), len(pairs))


def _facts(before: EvalReport, after: EvalReport) -> FactChange | None:
    one, two = mapping(before.memory), mapping(after.memory)
    held_before, held_after = str(one.get("held", "")), str(two.get("held", ""))
    digests = one.get("facts_digest"), two.get("facts_digest")
    if not held_before or len(held_before) != len(held_after) or digests[0] is None or digests[0] != digests[1]:
        return None
    pairs = [pair for pair in zip(held_before, held_after, strict=True) if pair != (" ", " ")]
    lost, gained = pairs.count(("1", "0")), pairs.count(("0", "1"))
    p_value = exact_test_of_pairs(lost, gained)
    verdict = NO_DIFFERENCE if p_value >= 1 - LEVEL else "better" if gained > lost else "worse"
    counts = held_before.count("1"), held_after.count("1")
    return FactChange(len(pairs), *counts, lost, gained, p_value, verdict)


def _change(pair: Pair) -> float:
    return (pair[1].score or 0.0) - (pair[0].score or 0.0)


def _shown(pair: Pair) -> dict[str, Any]:
    one, two = pair
    about = {"question_id": one.question_id, "category": one.category, "question": one.question}
    return {**about, "before": one.score, "after": two.score}


# ------------------ different worlds


def _differences_of_worlds(before: EvalReport, after: EvalReport, names: tuple[str, str]) -> list[Difference]:
    """Return the difference of all questions, then of each category that both have; raises as `compare_reports`."""
    for name, report in zip(names, (before, after), strict=True):
        if len(_by_world(report.results)) < LEAST_WORLDS:
            raise ExamUsageError(
                f"{name} is of one world, and the two share no graded question: use the same seed, turns and questions,"
                f" or merge at least {LEAST_WORLDS} exams",
                code="memory.not-comparable",
            )
    one, two = by_category(before.results), by_category(after.results)
    named = [(name, one[name], two[name]) for name in sorted(one.keys() & two.keys())]
    each = [("overall", before.results, after.results), *named]
    return [_between(name, _by_world(was), _by_world(now)) for name, was, now in each]


def _by_world(results: Iterable[EvalResult]) -> Groups:
    """Return the scores of each world; in a merged report a question's id begins with its exam."""
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for result in results:
        exam, is_merged, _ = result.question_id.partition(":")
        if result.score is not None:
            groups[exam if is_merged else ""].append(result.score)
    return list(groups.values())


def _recall(before: EvalReport, after: EvalReport) -> Difference | None:
    """Return the change of the share of facts held; None unless both reports measured the memory."""
    each = [str(mapping(report.memory).get("held", "")).split() for report in (before, after)]
    one, two = ([list(map(float, held)) for held in worlds] for worlds in each)
    return _between("kept", one, two) if min(len(one), len(two)) >= LEAST_WORLDS else None


def _between(name: str, before: Groups, after: Groups) -> Difference:
    one, two = ([mean(group) or 0.0 for group in groups] for groups in (before, after))
    interval, p_value = difference_of_means(one, two)
    was, now = mean(one) or 0.0, mean(two) or 0.0
    return Difference(name, was, now, now - was, interval, p_value, 0)
