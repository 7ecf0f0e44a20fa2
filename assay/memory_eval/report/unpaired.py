"""Comparison of evaluations over different worlds, as secret exams are: runs against runs, not question by question.

The scores of whole worlds are compared by Student's t, so that a hard world does not count as a regression.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.report.comparison import Comparison, Difference, settings_notes, verdict_of
from assay.memory_eval.report.measures import mapping
from assay.memory_eval.report.model import EvalReport, EvalResult
from assay.statistics import difference_of_means, mean

LEAST_WORLDS = 2
"""Worlds on each side; with one, a hard world looks like a bad memory."""

Groups = list[list[float]]


def compare_unpaired(before: EvalReport, after: EvalReport, names: tuple[str, str]) -> Comparison:
    """Compare two merged reports of different worlds.

    Raises `ExamUsageError` if one of them is of a single world, or has no graded question.
    """
    one, two = _by_world(before.results), _by_world(after.results)
    for name, groups in zip(names, (one, two), strict=True):
        if len(groups) < LEAST_WORLDS:
            raise ExamUsageError(
                f"{name} is of one world, and the two share no graded question: use the same seed, turns and questions,"
                f" or merge at least {LEAST_WORLDS} exams",
                code="memory.not-comparable",
            )
    overall = _difference("overall", one, two)
    categories = sorted({result.category for result in before.results} & {result.category for result in after.results})
    return Comparison(
        before=names[0],
        after=names[1],
        verdict=verdict_of(overall),
        overall=overall,
        categories=tuple(
            _difference(name, _by_world(_of(name, before)), _by_world(_of(name, after))) for name in categories
        ),
        worse=(),
        better=(),
        num_worse=0,
        num_better=0,
        num_same=0,
        num_unpaired=len(before.results) + len(after.results),
        notes=tuple(settings_notes(before, after, 0)),
        paired=False,
        num_before=sum(map(len, one)),
        num_after=sum(map(len, two)),
        recall=_recall(before, after),
    )


def _by_world(results: Iterable[EvalResult]) -> Groups:
    """Return the scores of each world; in a merged report a question's id begins with its exam."""
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for result in results:
        exam, is_merged, _ = result.question_id.partition(":")
        if result.score is not None:
            groups[exam if is_merged else ""].append(result.score)
    return list(groups.values())


def _of(category: str, report: EvalReport) -> Sequence[EvalResult]:
    return [result for result in report.results if result.category == category]


def _recall(before: EvalReport, after: EvalReport) -> Difference | None:
    """Return the change of the share of facts held; None unless both reports measured the memory."""
    one, two = ([[float(fact) for fact in held] for held in _held(report)] for report in (before, after))
    return _difference("kept", one, two) if min(len(one), len(two)) >= LEAST_WORLDS else None


def _held(report: EvalReport) -> list[str]:
    return [held for held in str(mapping(report.memory).get("held", "")).split(" ") if held]


def _difference(name: str, before: Groups, after: Groups) -> Difference:
    one, two = ([mean(group) or 0.0 for group in groups] for groups in (before, after))
    interval, p_value = difference_of_means(one, two)
    was, now = mean(one) or 0.0, mean(two) or 0.0
    return Difference(name, was, now, now - was, interval, p_value, 0)
