"""Queries over the results of other queries: differences, sums, durations, comparisons, and several at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from assay.memory_eval.questions.queries.found import NOTHING, Find, Op, Query, QueryResult, found, inner
from assay.memory_eval.questions.queries.record import Record

DIGITS = 6
"""Decimal places of sums, so that 0.1 + 0.2 is 0.3."""


def _over(work: Callable[[list[Any], Query], Any]) -> Op:
    """Evaluate each query of `of`, then combine the values; no result if any has none."""

    def answer(query: Query, record: Record, find: Find) -> QueryResult:
        parts = [inner(part, record, find) for part in query["of"]]
        if any(part.value is None for part in parts):
            return NOTHING
        return found(work([part.value for part in parts], query), *(part.turns for part in parts))

    return answer


def _difference(values: list[Any], _: Query) -> Any:
    """Return the absolute difference of two numbers."""
    return rounded(abs(values[0] - values[1]))


def _change(values: list[Any], _: Query) -> float:
    """Return by how many per cent the second number differs from the first, to one decimal; never below 0."""
    return rounded(round(abs(values[1] - values[0]) / abs(values[0]) * 100, 1)) if values[0] else 0


def _duration(values: list[Any], query: Query) -> int:
    """Return the time between two dates or times, in whole `unit`s: "days" or "minutes"."""
    if query["unit"] == "days":
        return abs((_day(values[1]) - _day(values[0])).days)
    seconds = (datetime.fromisoformat(values[1]) - datetime.fromisoformat(values[0])).total_seconds()
    return int(abs(seconds) // 60)


def _day(text: str) -> date:
    return date.fromisoformat(text[:10])


def rounded(number: Any) -> Any:
    """Round off binary fractions; return whole numbers as int."""
    number = round(number, DIGITS)
    return int(number) if number == int(number) else number


OF_ANSWERS: dict[str, Op] = {
    "difference": _over(_difference),
    "change": _over(_change),
    "sum": _over(lambda values, _: rounded(sum(values))),
    "mean": _over(lambda values, _: rounded(round(sum(values) / len(values), 2))),
    "duration": _over(_duration),
    "is_more": _over(lambda values, _: bool(values[0] > values[1])),
    "same": _over(lambda values, _: bool(values[0] == values[1])),
}
"""Operations with `of`, a list of queries or plain values."""
