"""Ask a model in conversations that can read both trees, within the budget of one review."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.llm import ConversingModel, Limits, ModelUnavailable, Tool, Turn, WhyUnavailable, converse_with_tools
from assay.llm.prices import Tokens
from assay.validators.review.prompting import prompt

RunTool = Callable[[Mapping[str, Any]], str]

QUESTION_LIMITS = Limits(turns=12, all_bytes=96_000, seconds=240.0)
REFUTATION_LIMITS = Limits(turns=8, all_bytes=48_000, seconds=180.0)
QUESTIONS_SHARE = 0.6
"""Share of the budget for questions; the rest is for refutations, without which nothing is reported."""


@dataclass
class Account:
    """What one review has used: calls, tokens, cost; and its limits in dollars and seconds."""

    max_usd: float
    deadline: float
    num_calls: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    cost_usd: float | None = 0.0
    stopped: str | None = None

    def spend(self, turn: Turn) -> None:
        """Add a turn."""
        self.num_calls += 1
        self.tokens += turn.tokens
        known = self.cost_usd is not None and turn.cost_usd is not None
        self.cost_usd = (self.cost_usd or 0.0) + (turn.cost_usd or 0.0) if known else None

    def left_usd(self, share: float) -> float | None:
        """Return what is left of a share of the budget; None for a model whose price is unknown."""
        return None if self.cost_usd is None else max(0.0, self.max_usd * share - self.cost_usd)


@dataclass(frozen=True)
class ToolAsker:
    """Asker that holds a conversation for each question: the facts are its cached prefix."""

    model: ConversingModel
    account: Account
    tools: Mapping[str, tuple[Tool, RunTool]]
    limits: Limits
    share: float = 1.0

    def ask(self, facts: str, question: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer; raise `ModelUnavailable` without one, also when the review's time is up."""
        if time.monotonic() >= self.account.deadline:
            raise self._stopped(ModelUnavailable("the time of the review is up", WhyUnavailable.budget))
        blocks = [{"type": "text", "text": facts}, {"type": "text", "text": question}]
        try:
            ended = converse_with_tools(
                self.model,
                [{"role": "user", "content": blocks}],
                system=prompt("system").text,
                tools=self.tools,
                schema=schema,
                limits=self.limits,
                spend=self.account.spend,
                left_usd=lambda: self.account.left_usd(self.share),
            )
        except ModelUnavailable as error:
            raise self._stopped(error) if error.why.is_lasting else error from None
        return ended.value or {}

    def _stopped(self, error: ModelUnavailable) -> ModelUnavailable:
        self.account.stopped = self.account.stopped or error.text
        return error
