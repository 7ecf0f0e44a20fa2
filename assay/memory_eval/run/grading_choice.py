"""Selection of the grading by mode and model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from assay.llm import AnthropicModel, LanguageModel, ModelUnavailable
from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.graders.grading import Grading, GradingMode

NO_JUDGE_NAMED = "no judge model was named"


@contextmanager
def grading_by(wanted: Grading | str | None, model: LanguageModel | str | None, num_votes: int) -> Iterator[Grading]:
    """Yield the requested grading; by default hybrid with a model and deterministic without.

    A model created here is closed at the end.

    If the model is not available, hybrid grading falls back to the rules and reports why; judge grading raises
    `JudgeUnavailable`. Raises `ExamUsageError` for an unknown mode.
    """
    if isinstance(wanted, Grading):
        yield wanted
        return
    try:
        mode = GradingMode(wanted or ("deterministic" if model is None else "hybrid"))
    except ValueError:
        known = ", ".join(GradingMode)
        raise ExamUsageError(f"{wanted!r} is not a grading mode; supported: {known}") from None
    if mode is GradingMode.deterministic or model is None:
        yield Grading(mode, None, num_votes, why_no_judge=NO_JUDGE_NAMED)
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
