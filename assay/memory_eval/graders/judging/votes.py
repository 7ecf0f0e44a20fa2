"""Several readings of one answer: asked for at once, a few at a time, and settled by the median."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from statistics import median
from typing import Any

from assay.llm import LanguageModel, ModelUnavailable, Spending
from assay.memory_eval.graders.judging.judge import Vote, vote
from assay.memory_eval.truth import Dimension, Question

DEFAULT_VOTES = 3
DEFAULT_WORKERS = 8
"""Calls under way at once: few enough for the rate limits of a small account."""


@dataclass(frozen=True, slots=True)
class Case:
    """One answer, and the dimensions it is to be judged on."""

    question: Question
    answer: str
    dimensions: tuple[Dimension, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the votes on one case came to; `scores` is None where too few came in, and then `why_not` says why."""

    scores: Mapping[Dimension, float] | None
    reasoning: str = ""
    why_not: str = ""


class Bench:
    """A judge who is asked several times about everything. Counts what was asked; to be used from one thread."""

    def __init__(self, model: LanguageModel, num_workers: int = DEFAULT_WORKERS) -> None:
        self.model = model
        self.num_asked = 0
        self.num_failed = 0
        self.num_clamped = 0
        self._num_workers = num_workers
        self._in_vain: ModelUnavailable | None = None
        self._before = _spent(model)

    def to_dict(self) -> dict[str, Any]:
        """Who judged, and what it took: calls with tries anew among them, tokens and US dollars; None is not known."""
        before, now = self._before, _spent(self.model)
        cost = None if before.cost_usd is None or now.cost_usd is None else now.cost_usd - before.cost_usd
        return {
            "model": self.model.name,
            "num_calls": now.num_calls - before.num_calls or self.num_asked,
            "tokens_in": now.num_tokens_in - before.num_tokens_in,
            "tokens_out": now.num_tokens_out - before.num_tokens_out,
            "cost_usd": cost,
            "num_votes_asked": self.num_asked,
            "num_votes_missing": self.num_failed,
            "num_scores_clamped": self.num_clamped,
        }

    def verdicts(
        self, cases: Sequence[Case], num_votes: int, on_progress: Callable[[int, int], None] | None = None
    ) -> list[Verdict]:
        """A verdict for each case, in their order; `on_progress(done, all)` is called in this thread."""
        said: list[list[Vote | str]] = [[""] * num_votes for _ in cases]
        missing = [num_votes] * len(cases)
        num_done = 0
        pool = ThreadPoolExecutor(self._num_workers, thread_name_prefix="judge")
        try:
            asked = {
                pool.submit(self._ask, case): (place, number)
                for place, case in enumerate(cases)
                for number in range(num_votes)
            }
            for future in as_completed(asked):
                place, number = asked[future]
                said[place][number] = self._heard(future)
                missing[place] -= 1
                if not missing[place]:
                    num_done += 1
                    if on_progress is not None:
                        on_progress(num_done, len(cases))
        finally:
            pool.shutdown(cancel_futures=True)
        return [_verdict(votes) for votes in said]

    def _ask(self, case: Case) -> Vote:
        if self._in_vain is not None:
            raise ModelUnavailable(str(self._in_vain), self._in_vain.why)
        try:
            return vote(self.model, case.question, case.answer, case.dimensions)
        except ModelUnavailable as error:
            if error.why.is_lasting:
                self._in_vain = error
            raise

    def _heard(self, future: Future[Vote]) -> Vote | str:
        self.num_asked += 1
        try:
            said = future.result()
        except ModelUnavailable as error:
            self.num_failed += 1
            return str(error)
        self.num_clamped += said.num_clamped
        return said


def settled(votes: Sequence[Vote]) -> tuple[dict[Dimension, float], str]:
    """The median of each dimension, and the reasoning of the vote that lies nearest to all of them."""
    medians = {dimension: float(median(one.scores[dimension] for one in votes)) for dimension in votes[0].scores}
    nearest = min(votes, key=lambda one: sum(abs(one.scores[which] - score) for which, score in medians.items()))
    return medians, nearest.reasoning


def _spent(model: LanguageModel) -> Spending:
    """What a model was asked so far, where it says so."""
    spent = getattr(model, "spent", None)
    return spent if isinstance(spent, Spending) else Spending()


def _verdict(said: Sequence[Vote | str]) -> Verdict:
    votes = [one for one in said if isinstance(one, Vote)]
    missed = [one for one in said if isinstance(one, str)]
    if 2 * len(votes) <= len(said):
        [(most_said, _)] = Counter(missed).most_common(1)
        return Verdict(None, why_not=f"{len(missed)} of {len(said)} votes did not come in: {most_said}")
    return Verdict(*settled(votes))
