"""Ask a model in conversations that can read both trees, within the budget of one review."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition
from typing import Any

from assay.llm import ConversingModel, Limits, ModelUnavailable, Tool, Turn, WhyUnavailable, converse_with_tools
from assay.llm.conversing import Message
from assay.llm.prices import Tokens
from assay.validators.review.prompting import prompt
from assay.validators.review.questions.asker import AT_ONCE

RunTool = Callable[[Mapping[str, Any]], str]

QUESTION_LIMITS = Limits(turns=12, all_bytes=96_000, seconds=240.0)
REFUTATION_LIMITS = Limits(turns=8, all_bytes=48_000, seconds=180.0)
QUESTIONS_SHARE = 0.6
"""Share of the budget for questions; the rest is for refutations, without which nothing is reported."""


@dataclass
class Account:
    """What one review has used: calls, tokens, cost; and its limits in dollars and seconds. Thread-safe."""

    max_usd: float
    deadline: float
    num_calls: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    cost_usd: float | None = 0.0
    stopped: str | None = None
    _num_granted: int = 0
    _granted_usd: float = 0.0
    _changed: Condition = field(default_factory=Condition)

    @contextmanager
    def grant(self, share: float, *, is_alone: bool = False) -> Iterator[float | None]:
        """Yield what one turn may cost; None for a model whose price is unknown.

        Turns at the same time divide what is left of a share of the budget, so that they cannot exceed it together;
        one that is alone waits for the others, and may use all of it.
        """
        with self._changed:
            if is_alone:
                self._changed.wait_for(lambda: self._num_granted == 0)
            usd = None
            if self.cost_usd is not None:
                left_usd = max(0.0, self.max_usd * share - self.cost_usd - self._granted_usd)
                usd = left_usd if is_alone else left_usd / AT_ONCE
            self._num_granted += 1
            self._granted_usd += usd or 0.0
        try:
            yield usd
        finally:
            with self._changed:
                self._num_granted -= 1
                self._granted_usd = self._granted_usd - (usd or 0.0) if self._num_granted else 0.0
                self._changed.notify_all()

    def spend(self, turn: Turn) -> None:
        """Add a turn."""
        with self._changed:
            self.num_calls += 1
            self.tokens += turn.tokens
            known = self.cost_usd is not None and turn.cost_usd is not None
            self.cost_usd = (self.cost_usd or 0.0) + (turn.cost_usd or 0.0) if known else None


@dataclass(frozen=True)
class _WithinAccount:
    """Model whose turns are paid from a share of the account."""

    model: ConversingModel
    account: Account
    share: float

    @property
    def name(self) -> str:
        return self.model.name

    def converse(self, messages: Sequence[Message], **options: Any) -> Turn:
        """Return the next turn; one that costs more than its part waits until it may use all that is left."""
        try:
            return self._turn(messages, options, is_alone=False)
        except ModelUnavailable as error:
            if error.why is not WhyUnavailable.budget:
                raise
        return self._turn(messages, options, is_alone=True)

    def _turn(self, messages: Sequence[Message], options: dict[str, Any], *, is_alone: bool) -> Turn:
        with self.account.grant(self.share, is_alone=is_alone) as usd:
            turn = self.model.converse(messages, **{**options, "max_usd": usd})
            self.account.spend(turn)
            return turn


@dataclass(frozen=True)
class ToolAsker:
    """Asker that holds a conversation for each question: the purpose of the change and the facts are its prefix."""

    model: ConversingModel
    account: Account
    tools: Mapping[str, tuple[Tool, RunTool]]
    limits: Limits
    share: float = 1.0
    purpose: str = ""

    def ask(self, facts: str, question: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer; raise `ModelUnavailable` without one, also when the review's time is up."""
        if time.monotonic() >= self.account.deadline:
            raise self._stopped(ModelUnavailable("the time of the review is up", WhyUnavailable.budget))
        prefix = f"{self.purpose}\n\n{facts}" if self.purpose else facts
        blocks = [{"type": "text", "text": prefix}, {"type": "text", "text": question}]
        try:
            ended = converse_with_tools(
                _WithinAccount(self.model, self.account, self.share),
                [{"role": "user", "content": blocks}],
                system=prompt("system").text,
                tools=self.tools,
                schema=schema,
                limits=self.limits,
            )
        except ModelUnavailable as error:
            raise self._stopped(error) if error.why.is_lasting else error from None
        return ended.value or {}

    def _stopped(self, error: ModelUnavailable) -> ModelUnavailable:
        self.account.stopped = self.account.stopped or error.text
        return error
