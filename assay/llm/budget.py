"""Budget of a model, shared by all threads: US dollars, calls, or both."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from threading import Condition

from assay.llm.language_model import ModelUnavailable, WhyUnavailable


@dataclass(frozen=True, slots=True)
class Spending:
    """Calls sent (including retries), tokens, and US dollars if prices are known."""

    num_calls: int = 0
    num_tokens_in: int = 0
    num_tokens_out: int = 0
    cost_usd: float | None = None


class Call:
    """Call admitted by the budget, closed by `settle` or `free`.

    A call that is not closed (a broken connection) counts at its maximum cost: the provider may have charged it.
    """

    def __init__(self, most_usd: float) -> None:
        self.usd = most_usd

    def settle(self, usd: float | None) -> None:
        """Record the cost of an answered call; None without a price."""
        self.usd = 0.0 if usd is None else usd

    def free(self) -> None:
        """Record a rejected call, which costs nothing."""
        self.usd = 0.0


class Budget:
    """Limit on cost and number of calls; None means unlimited.

    Each open call reserves its maximum cost. A call that fits only without these reservations waits; one that does not
    fit even then is refused. So the limit holds for any number of threads.
    """

    def __init__(self, max_usd: float | None = None, max_calls: int | None = None) -> None:
        if max_usd is not None and not (math.isfinite(max_usd) and max_usd >= 0):
            raise ValueError(f"invalid budget of {max_usd} US dollars: use 0 or more")
        if max_calls is not None and max_calls < 0:
            raise ValueError(f"invalid budget of {max_calls} calls: use 0 or more")
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
        """Number of admitted calls."""
        return self._num_calls

    @property
    def spent_usd(self) -> float:
        """Cost so far in US dollars; broken calls count at their maximum cost."""
        return self._spent_usd

    @contextmanager
    def call(self, most_usd: float | None) -> Iterator[Call]:
        """Admit a call that costs at most `most_usd` US dollars, or raise `ModelUnavailable`."""
        held = self._take(most_usd)
        call = Call(held)
        try:
            yield call
        finally:
            with self._changed:
                self._num_open -= 1
                # Reset to exactly 0 without open calls: a rounding error here would make callers wait forever.
                self._held_usd = self._held_usd - held if self._num_open else 0.0
                self._spent_usd += call.usd
                self._changed.notify_all()

    def fitting(self, most_usd: Sequence[float | None]) -> int:
        """Return how many of these calls, in order, fit at their maximum costs next to the open ones."""
        with self._changed:
            num = len(most_usd) if self.max_calls is None else max(0, self.max_calls - self._num_calls)
            if self.max_usd is None:
                return min(num, len(most_usd))
            totals = accumulate((math.inf if one is None else one for one in most_usd), initial=self._spent_usd)
            room = self.max_usd - self._held_usd
            return min(num, sum(total <= room for total in totals) - 1) if self._spent_usd <= room else 0

    def charge(self, usd: float | None) -> None:
        """Record a call that was admitted by `fitting` and is answered; None without a price."""
        with self._changed:
            self._num_calls += 1
            self._spent_usd += usd or 0.0
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
                "this model has no known price, so a budget in US dollars cannot be enforced: set a budget in calls",
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
