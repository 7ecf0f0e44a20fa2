"""Days on which an earlier value held: after its statement, and before the next one."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from assay.memory_eval.questions.queries.record import StatedFact
from assay.memory_eval.truth import AnswerType
from assay.memory_eval.world.wording import said
from assay.seeded_random import Draws


class Within(NamedTuple):
    """A day, in ISO and in words, and the fact that held on it."""

    day: str
    said: str
    held: StatedFact


def day_within(history: list[StatedFact], draws: Draws) -> Within | None:
    """Return a day strictly between two changes, so that its value is undisputed; None if there is none."""
    gaps = [
        (one, after) for one, after in pairwise(history) if _days(one, after) > 1 and one.value != history[-1].value
    ]
    if not gaps:
        return None
    one, after = draws.one(gaps)
    day = date.fromisoformat(one.day) + timedelta(days=draws.between(1, _days(one, after) - 1))
    return Within(day.isoformat(), said(day.isoformat(), AnswerType.date), one)


def _days(one: StatedFact, after: StatedFact) -> int:
    return (date.fromisoformat(after.day) - date.fromisoformat(one.day)).days
