"""The judge panel: several votes on each answer, concurrent, combined by the median; and an estimate of their cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from statistics import median
from typing import Any

from assay.llm import AnthropicModel, LanguageModel, ModelUnavailable, Price, Request, Spending
from assay.llm.prices import Tokens
from assay.memory_eval.graders.judging.judge import (
    MOST_ANSWER_CHARS,
    MOST_TOKENS_OUT,
    Vote,
    prompt_of,
    schema_of,
    system_prompt,
    vote,
)
from assay.memory_eval.truth import Dimension, Question

# ------------------ votes

DEFAULT_VOTES = 3
DEFAULT_WORKERS = 8
"""Concurrent calls; within the rate limits of a small account."""


@dataclass(frozen=True, slots=True)
class Case:
    """One answer and the dimensions to judge."""

    question: Question
    answer: str
    dimensions: tuple[Dimension, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of the votes on one case; `scores` is None with too few votes, for the reason `why_not`."""

    scores: Mapping[Dimension, float] | None
    reasoning: str = ""
    why_not: str = ""


class JudgePanel:
    """Judge panel: several calls of a model per case, with a count. Use from one thread."""

    def __init__(self, model: LanguageModel, num_workers: int = DEFAULT_WORKERS) -> None:
        self.model = model
        self.num_asked = 0
        self.num_failed = 0
        self.num_clamped = 0
        self._num_workers = num_workers
        self._in_vain: ModelUnavailable | None = None
        self._before = _spent(model)

    def to_dict(self) -> dict[str, Any]:
        """Return the judge's model and cost: calls with retries, tokens and US dollars; None if unknown."""
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
        """Return a verdict for each case, in order; `on_progress(done, all)` is called in this thread."""
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
            raise ModelUnavailable(self._in_vain.text, self._in_vain.why)
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
    """Return the median of each dimension, and the reason of the vote closest to the medians."""
    medians = {dimension: float(median(one.scores[dimension] for one in votes)) for dimension in votes[0].scores}
    nearest = min(votes, key=lambda one: sum(abs(one.scores[which] - score) for which, score in medians.items()))
    return medians, nearest.reasoning


def _spent(model: LanguageModel) -> Spending:
    """Return what a model has spent so far, if it reports that."""
    spent = getattr(model, "spent", None)
    return spent if isinstance(spent, Spending) else Spending()


def _verdict(said: Sequence[Vote | str]) -> Verdict:
    votes = [one for one in said if isinstance(one, Vote)]
    missed = [one for one in said if isinstance(one, str)]
    if 2 * len(votes) <= len(said):
        [(most_said, _)] = Counter(missed).most_common(1)
        return Verdict(None, why_not=f"{len(missed)} of {len(said)} votes failed: {most_said}")
    return Verdict(*settled(votes))


# ------------------ estimate

_USUAL_CHARS_A_TOKEN = 3.5
_USUAL_TOKENS_OUT = 250
"""Scores and a sentence or two; a model with reasoning may take several times that."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls of the judge and US dollars (None without a known price), without retries.

    All dimensions of a question are judged in one call. `about_usd` is the usual cost, `most_usd` the cost of the
    longest answers.
    """

    num_questions: int = 0
    num_votes: int = 0
    num_probes: int = 0
    about_usd: float | None = 0.0
    most_usd: float | None = 0.0

    @property
    def num_calls(self) -> int:
        """Questions times votes, plus the probes."""
        return self.num_questions * self.num_votes + self.num_probes


def estimate_of(model: LanguageModel, cases: Sequence[Case], num_votes: int, probes: Sequence[Case] = ()) -> Estimate:
    """Estimate judging these cases, `num_votes` times each, and the probes once."""
    about_usd = most_usd = None
    if isinstance(model, AnthropicModel) and model.price is not None:
        times = [(case, num_votes) for case in cases] + [(probe, 1) for probe in probes]
        costs = [(number, _call_usd(model, model.price, case)) for case, number in times]
        about_usd = sum(number * about for number, (about, _) in costs)
        most_usd = sum(number * most for number, (_, most) in costs)
    return Estimate(len(cases), num_votes, len(probes), about_usd, most_usd)


def _call_usd(model: AnthropicModel, price: Price, case: Case) -> tuple[float, float]:
    prompt = prompt_of(case.question, case.answer, case.dimensions)
    system, schema = system_prompt(), schema_of(case.dimensions)
    num_chars = len(prompt) + len(system) + len(str(schema))
    about = price.cost_usd(Tokens(round(num_chars / _USUAL_CHARS_A_TOKEN), _USUAL_TOKENS_OUT))
    longest = Request(prompt + "\U0010ffff" * MOST_ANSWER_CHARS, system, schema, MOST_TOKENS_OUT)
    return about, model.most_usd(longest) or 0.0
