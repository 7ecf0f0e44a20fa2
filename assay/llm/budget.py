"""What may be spent on a model, by all threads together: US dollars, calls, or both."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition

from assay.llm.language_model import ModelUnavailable, WhyUnavailable


@dataclass(frozen=True, slots=True)
class Spending:
    """What was spent: calls that were sent (tries anew among them), tokens, and US dollars where prices are known."""

    num_calls: int = 0
    num_tokens_in: int = 0
    num_tokens_out: int = 0
    cost_usd: float | None = None


class Call:
    """One call that the budget let through; what it came to is said once, by `settle` or `free`.

    A call of which nothing is said (a connection that broke) counts at the most it could have cost: the other side may
    well have charged it.
    """

    def __init__(self, most_usd: float) -> None:
        self.usd = most_usd

    def settle(self, usd: float | None) -> None:
        """It was answered, and cost that much; None where no price is known."""
        self.usd = 0.0 if usd is None else usd

    def free(self) -> None:
        """It was turned away, and cost nothing."""
        self.usd = 0.0


class Budget:
    """Lets calls through as long as the most they could cost still fits; None is no limit.

    Calls under way hold the most they could cost. A call that would fit if they all came to nothing waits for them; one
    that would not fit even then is refused, so that the limit holds however many threads ask at once.
    """

    def __init__(self, max_usd: float | None = None, max_calls: int | None = None) -> None:
        if max_usd is not None and not (math.isfinite(max_usd) and max_usd >= 0):
            raise ValueError(f"a budget of {max_usd} US dollars makes no sense")
        if max_calls is not None and max_calls < 0:
            raise ValueError(f"a budget of {max_calls} calls makes no sense")
        self.max_usd = max_usd
        self.max_calls = max_calls
        self._changed = Condition()
        self._num_calls = 0
        self._spent_usd = 0.0
        self._held_usd = 0.0
        self._num_open = 0

    def __repr__(self) -> str:
        return f"Budget(max_usd={self.max_usd}, max_calls={self.max_calls})"

    @property
    def num_calls(self) -> int:
        """How many calls were let through."""
        return self._num_calls

    @property
    def spent_usd(self) -> float:
        """What they came to so far, in US dollars; broken calls at the most they could have cost."""
        return self._spent_usd

    @contextmanager
    def call(self, most_usd: float | None) -> Iterator[Call]:
        """Let one call through that costs at most `most_usd` US dollars, or raise `ModelUnavailable`."""
        held = self._take(most_usd)
        call = Call(held)
        try:
            yield call
        finally:
            with self._changed:
                self._num_open -= 1
                # Exactly nothing where nothing is under way: a rest of rounding would be waited for without end.
                self._held_usd = self._held_usd - held if self._num_open else 0.0
                self._spent_usd += call.usd
                self._changed.notify_all()

    def _take(self, most_usd: float | None) -> float:
        with self._changed:
            if self.max_usd is not None:
                self._wait_for_room(most_usd, self.max_usd)
            if self.max_calls is not None and self._num_calls >= self.max_calls:
                raise ModelUnavailable(
                    f"the model's budget of {self.max_calls} calls is used up", WhyUnavailable.budget
                )
            self._num_calls += 1
            self._num_open += 1
            self._held_usd += most_usd or 0.0
            return most_usd or 0.0

    def _wait_for_room(self, most_usd: float | None, max_usd: float) -> None:
        if most_usd is None:
            raise ModelUnavailable(
                "no price is known for this model, so that a budget in US dollars cannot be kept: give one in calls",
                WhyUnavailable.budget,
            )
        while self._spent_usd + self._held_usd + most_usd > max_usd:
            if self._spent_usd + most_usd > max_usd:
                raise ModelUnavailable(
                    f"the model's budget of ${max_usd:.4f} is used up: ${self._spent_usd:.4f} are spent, and the next"
                    f" call could cost ${most_usd:.4f}",
                    WhyUnavailable.budget,
                )
            self._changed.wait()
