"""Estimate of a judge's calls and cost, before any call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.llm import AnthropicModel, LanguageModel, Price, Request
from assay.llm.prices import Tokens
from assay.memory_eval.graders.judging.judge import (
    MOST_ANSWER_CHARS,
    MOST_TOKENS_OUT,
    prompt_of,
    schema_of,
    system_prompt,
)
from assay.memory_eval.graders.judging.votes import Case

_USUAL_CHARS_A_TOKEN = 3.5
_USUAL_TOKENS_OUT = 250
"""Scores and a sentence or two; a model with reasoning may take several times that."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls of the judge and US dollars (None without a known price), without retries.

    All dimensions of a question are judged in one call, so `num_calls` is less than questions x dimensions x votes,
    which is `most_calls`. Both include the probes. `about_usd` is the usual cost, `most_usd` the cost of the longest
    answers.
    """

    num_questions: int = 0
    num_dimensions: int = 0
    num_votes: int = 0
    num_probes: int = 0
    about_usd: float | None = 0.0
    most_usd: float | None = 0.0

    @property
    def num_calls(self) -> int:
        """Questions times votes, plus the probes."""
        return self.num_questions * self.num_votes + self.num_probes

    @property
    def most_calls(self) -> int:
        """Dimensions of all questions times votes, plus the probes."""
        return self.num_dimensions * self.num_votes + self.num_probes


def estimate_of(model: LanguageModel, cases: Sequence[Case], num_votes: int, probes: Sequence[Case] = ()) -> Estimate:
    """Estimate judging these cases, `num_votes` times each, and the probes once."""
    about_usd = most_usd = None
    if isinstance(model, AnthropicModel) and model.price is not None:
        times = [(case, num_votes) for case in cases] + [(probe, 1) for probe in probes]
        costs = [(number, _call_usd(model, model.price, case)) for case, number in times]
        about_usd = sum(number * about for number, (about, _) in costs)
        most_usd = sum(number * most for number, (_, most) in costs)
    return Estimate(
        num_questions=len(cases),
        num_dimensions=sum(len(case.dimensions) for case in cases),
        num_votes=num_votes,
        num_probes=len(probes),
        about_usd=about_usd,
        most_usd=most_usd,
    )


def _call_usd(model: AnthropicModel, price: Price, case: Case) -> tuple[float, float]:
    prompt = prompt_of(case.question, case.answer, case.dimensions)
    system, schema = system_prompt(), schema_of(case.dimensions)
    num_chars = len(prompt) + len(system) + len(str(schema))
    about = price.cost_usd(Tokens(round(num_chars / _USUAL_CHARS_A_TOKEN), _USUAL_TOKENS_OUT))
    longest = Request(prompt + "\U0010ffff" * MOST_ANSWER_CHARS, system, schema, MOST_TOKENS_OUT)
    return about, model.most_usd(longest) or 0.0
