"""From the words "hybrid" and a model's name to who grades."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from assay.llm import AnthropicModel, LanguageModel, ModelUnavailable
from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.graders.grading import Grading, GradingMode


@contextmanager
def grading_by(wanted: Grading | str | None, model: LanguageModel | str | None, num_votes: int) -> Iterator[Grading]:
    """A grading as wanted; with no wish, hybrid where there is a model and deterministic otherwise.

    A model made here is closed at the end.

    A model that cannot be had leaves hybrid grading to the rules, and says why; grading by a judge alone raises
    `JudgeUnavailable`. Raises `ExamUsageError` for a word that is no way of grading.
    """
    if isinstance(wanted, Grading):
        yield wanted
        return
    try:
        mode = GradingMode(wanted or ("deterministic" if model is None else "hybrid"))
    except ValueError:
        known = ", ".join(GradingMode)
        raise ExamUsageError(f"{wanted!r} is no way of grading; there are {known}") from None
    if mode is GradingMode.deterministic or model is None:
        yield Grading(mode, None, num_votes, why_no_judge="no judge model was named")
    elif not isinstance(model, str):
        yield Grading(mode, model, num_votes)
    else:
        yield from _by_the_name_of(model, mode, num_votes)


def _by_the_name_of(name: str, mode: GradingMode, num_votes: int) -> Iterator[Grading]:
    try:
        model = AnthropicModel(name)
    except ModelUnavailable as unavailable:
        yield Grading(mode, None, num_votes, why_no_judge=str(unavailable))
        return
    with model:
        yield Grading(mode, model, num_votes)
