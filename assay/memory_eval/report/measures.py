"""Measures other than scores: time, length, tokens, store size, calibration; and the intervals of scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

from assay.llm.prices import Price, Tokens
from assay.memory_eval.report.model import EvalReport, EvalResult, breakdown_of, by_category, overall_of
from assay.statistics import LEVEL, interval_of_scores, mean, percentile

# ------------------ measures

RIGHT_FROM = 0.5
"""Factual accuracy from which an answer counts as right in the calibration."""

NUM_BINS = 10
"""Bins of the expected calibration error, as in Guo et al. 2017."""


SUMMED = (
    "tokens_in",
    "tokens_out",
    "num_correct",
    "num_with_confidence",
    "num_failed_calls",
    "num_turns_not_learned",
)
"""Measures that are counts; those of several evaluations are added."""


def measured(
    results: Sequence[EvalResult],
    num_words: Mapping[str, int],
    learn_times_s: Sequence[float],
    stats: Mapping[str, Any],
    search_times_s: Sequence[float] = (),
    price: Price | None = None,
) -> dict[str, Any]:
    """Return all measures as plain data; None for what could not be measured.

    Times in seconds, lengths in words. `num_words` is by question id. Times and lengths are those of successful calls;
    `num_failed_calls` counts the others. `price` is that of the agent's model; cost is of the answers alone, in US
    dollars.
    """
    # An offline answer has no time, but counts in all other measures.
    came = [result for result in results if result.answer_time_s is not None or result.answer]
    answered = [result for result in came if result.error is None]
    times = answer_times_s(results)
    words = [float(num_words[result.question_id]) for result in answered if result.question_id in num_words]
    trusted = [(result.confidence, _is_right(result)) for result in answered if result.confidence is not None]
    pairs = [(confidence, right) for confidence, right in trusted if right is not None]
    tokens_in = _total(result.tokens_in for result in answered)
    tokens_out = _total(result.tokens_out for result in answered)
    num_bytes = _count(stats.get("bytes"))
    contexts = [float(one.context_tokens) for one in answered if one.context_tokens is not None]
    found = {
        "answer_p50_s": percentile(times, 50),
        "answer_p95_s": percentile(times, 95),
        "learn_p50_s": percentile(learn_times_s, 50),
        "learn_p95_s": percentile(learn_times_s, 95),
        "search_p50_s": percentile(search_times_s, 50),
        "search_p95_s": percentile(search_times_s, 95),
        "answer_words_mean": mean(words),
        "answer_words_p95": percentile(words, 95),
        "context_tokens_mean": mean(contexts),
        "context_tokens_p95": percentile(contexts, 95),
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
        "cost_usd": None if price is None or tokens_in is None else _cost_usd(answered, price),
        "num_correct": sum(_is_right(result) is True for result in answered),
        "store_bytes": num_bytes,
        "store_bytes_per_turn": num_bytes / len(learn_times_s) if num_bytes is not None and learn_times_s else None,
        "store_entries": _count(stats.get("entries")),
        "brier": brier(pairs),
        "ece": expected_calibration_error(pairs),
        "num_with_confidence": len(pairs),
        "num_failed_calls": sum(result.error is not None for result in results),
    }
    return found | per_correct(found)


def per_correct(measures: Mapping[str, Any]) -> dict[str, float | None]:
    """Return tokens and US dollars for each correct answer; None without any, or if the agent gave no tokens."""
    num_correct, cost_usd = measures.get("num_correct"), measures.get("cost_usd")
    tokens = [count for name in ("tokens_in", "tokens_out") if (count := measures.get(name)) is not None]
    return {
        "tokens_per_correct": sum(tokens) / num_correct if tokens and num_correct else None,
        "cost_per_correct_usd": cost_usd / num_correct if cost_usd is not None and num_correct else None,
    }


def merged_measures(each: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the measures of several evaluations: counts added, other figures averaged over those that have them."""
    merged: dict[str, Any] = {}
    for name in dict.fromkeys(name for one in each for name in one):
        values = [float(value) for one in each if is_number(value := one.get(name))]
        if name == "cost_usd":
            merged[name] = sum(values) if values else None
        elif name in SUMMED:
            merged[name] = _total(int(value) for value in values)
        elif values:
            merged[name] = mean(values)
    return merged | (per_correct(merged) if "num_correct" in merged else {})


def answer_times_s(results: Sequence[EvalResult]) -> list[float]:
    """Return the time of each successful call; the time of a failed call only measures the wait."""
    return [one.answer_time_s for one in results if one.error is None and one.answer_time_s is not None]


def brier(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Return the mean squared error of confidence (1 right, 0 wrong): 0 is best, 0.25 chance.

    G. W. Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather Review 78 (1950), in its
    two-outcome form with one term.
    """
    return mean([(confidence - right) ** 2 for confidence, right in pairs])


def expected_calibration_error(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Return the mean gap between confidence and accuracy, over ten bins of equal width, weighted by size.

    Naeini, Cooper and Hauskrecht, "Obtaining well calibrated probabilities using Bayesian binning", AAAI 2015; bins as
    in Guo et al., "On calibration of modern neural networks", ICML 2017.
    """
    if not pairs:
        return None
    bins: dict[int, list[tuple[float, bool]]] = {}
    for confidence, right in pairs:
        # Bins are open to the left, as in the paper: (0.0, 0.1], (0.1, 0.2] …; 0.0 itself is in the first.
        bins.setdefault(max(0, math.ceil(confidence * NUM_BINS) - 1), []).append((confidence, right))
    return sum(
        abs(sum(right for _, right in held) - sum(confidence for confidence, _ in held)) for held in bins.values()
    ) / len(pairs)


def _is_right(result: EvalResult) -> bool | None:
    accuracy = result.dimensions.get("factual_accuracy")
    return None if accuracy is None else accuracy >= RIGHT_FROM


def _cost_usd(answered: Iterable[EvalResult], price: Price) -> float:
    # Each answer on its own: the price of a call may depend on its length.
    return sum(price.cost_usd(Tokens(one.tokens_in or 0, one.tokens_out or 0)) for one in answered)


def _total(counts: Iterable[int | None]) -> int | None:
    told = [count for count in counts if count is not None]
    return sum(told) if told else None


def mean_of_numbers(values: Iterable[object]) -> float | None:
    """Return the mean of the values that are numbers; None for none."""
    return mean([float(value) for value in values if is_number(value)])


def share_of(value: object) -> float | None:
    """Return an untrusted value if it is a share, 0 to 1; else None."""
    return float(value) if is_number(value) and 0 <= value <= 1 else None


def interval_of(value: object) -> tuple[float, float] | None:
    """Return an untrusted value if it is a pair of shares; else None."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    low, high = (share_of(one) for one in value)
    return None if low is None or high is None else (low, high)


def is_number(value: object) -> TypeGuard[float]:
    """Return whether untrusted data is a number; a boolean is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def mapping(value: object) -> Mapping[str, Any]:
    """Return untrusted data if it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def _count(value: object) -> float | None:
    return value if is_number(value) and value >= 0 else None


# ------------------ intervals


def report_of(
    results: Sequence[EvalResult],
    measures: Mapping[str, Any],
    groups: Sequence[Sequence[EvalResult]] | None = None,
    **given: Any,
) -> EvalReport:
    """Return the report of these results, with its scores and their intervals.

    `groups` are the results of each seed, if several; `given` are other fields, times and numbers by default 0.
    """
    groups = [results] if groups is None else groups
    of_categories = [by_category(group) for group in groups]
    names = sorted({result.category for result in results})
    intervals = {
        "level": LEVEL,
        "overall": _interval(_scores(group) for group in groups),
        "categories": {name: _interval(_scores(of.get(name, ())) for of in of_categories) for name in names},
    }
    nothing: dict[str, Any] = dict.fromkeys(("learning_time_s", "questioning_time_s", "grading_time_s"), 0.0)
    fields = {**nothing, "total_facts_delivered": 0, "memory_stats": {}, **given}
    return EvalReport(
        num_questions=len(results),
        overall_score=overall_of(results),
        category_breakdown=breakdown_of(results),
        results=results,
        measured={**measures, "intervals": intervals},
        **fields,
    )


def _interval(groups: Iterable[list[float]]) -> list[float] | None:
    found = interval_of_scores(list(groups))
    return None if found is None else [found.low, found.high]


def _scores(results: Sequence[EvalResult]) -> list[float]:
    return [one.score for one in results if one.score is not None]
