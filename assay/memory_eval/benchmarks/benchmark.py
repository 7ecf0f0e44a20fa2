"""The contract of a benchmark: how its files become worlds, and how it scores an answer itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assay.memory_eval.truth import Answer, AnswerType, Question, Turn

OWN = "benchmark"
"""Key of a question's rubric with what the benchmark's own scoring needs. Assay's graders do not read it."""

NOT_KNOWN = "No information available."
"""Expected answer where the dialogue has none, in the words that LoCoMo's own scoring accepts."""


@dataclass(frozen=True, slots=True)
class BenchmarkWorld:
    """One dialogue of a benchmark, with the questions about it. `where` is its file and line."""

    name: str
    turns: Sequence[Turn]
    questions: Sequence[Question]
    where: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark.

    `read` yields its worlds, one at a time; it raises `WorldUnreadable`. `own_score` returns the score of an answer by
    the rule that `metric` names, or None if that rule does not apply.
    """

    name: str
    read: Callable[[Path], Iterator[BenchmarkWorld]]
    metric: str
    own_score: Callable[[Question, str], float | None]


def abstention() -> Answer:
    """Return the answer to a question that the dialogue does not answer."""
    return Answer(AnswerType.abstain, None)


def claims(*wordings_of_each: Sequence[str]) -> Answer:
    """Return a text answer, each claim in its accepted wordings. Without claims only a judge can grade it."""
    return Answer(AnswerType.text, [list(wordings) for wordings in wordings_of_each])


def day_of(gold: str) -> Answer | None:
    """Return a gold like "7 May 2023" as a date, which counts in any notation; None if it is not a whole day."""
    for notation in ("%d %B %Y", "%d %B, %Y", "%B %d, %Y"):
        try:
            day = datetime.strptime(gold.strip(), notation).date()  # noqa: DTZ007 - a day, of no time zone
        except ValueError:
            continue
        return Answer(AnswerType.date, day.isoformat())
    return None
