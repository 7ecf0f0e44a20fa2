"""Exact figures: quarterly reports of branches, in money, per cent, milliseconds and counts."""

from __future__ import annotations

from datetime import date

from assay.memory_eval.exam.blocks.block import Block, Draft
from assay.memory_eval.world.wording import fact
from assay.memory_eval.world.world import World
from assay.seeded_random import Draws

_METRICS = (
    "revenue",
    "revenue_forecast",
    "churn",
    "server_uptime",
    "test_coverage",
    "response_time",
    "signups",
    "tickets",
    "energy_use",
)
_AT_ONCE = 6
"""Quarters in progress at the same time."""
_WITH_CONTEXT = 55
_WITH_LEAD_IN = 50
_Quarter = tuple[str, list[tuple[str, ...]]]
"""A quarter's name and, part by part, its remaining metrics."""


class Numerical(Block):
    """Nine metrics of each branch and quarter, each figure stated once, two to five in a turn."""

    name = "numerical"

    def __init__(self, world: World, num_turns: int) -> None:
        super().__init__(world, num_turns)
        self._open: list[_Quarter] = []
        self._to_come: list[str] = []
        self._size: dict[str, int] = {}

    def drafts(self) -> list[Draft]:
        """Return the quarters of one branch in sequence, so that they can be compared and added."""
        drafts = []
        for place, today in enumerate(self._days):
            waiting = sum(len(parts) for _, parts in self._open)
            if not self._open or (len(self._open) < _AT_ONCE and waiting < self._num_turns - place):
                self._open.append(self._next_quarter(today))
            drafts.append(self._report(today))
        return drafts

    def _next_quarter(self, today: date) -> _Quarter:
        if not self._to_come:
            self._to_come = self._branch(today)
        order = self._draws.some(_METRICS, len(_METRICS))
        num_parts = 2 if self._num_turns < 20 else 3
        quarter = self._to_come.pop(0)
        self._size[quarter] = self._draws.between(10_130, 98_790)
        return quarter, [tuple(order[part::num_parts]) for part in range(num_parts)]

    def _branch(self, today: date) -> list[str]:
        """Return the four quarters of a branch in one of the years before this one."""
        year = today.year - self._draws.between(1, 4)
        place = self._world.next_of("towns")
        while f"{place} branch Q1 {year}" in self._world.taken:
            year -= 1
        return [self._world.unique(f"{place} branch Q{num} {year}".__str__) for num in (1, 2, 3, 4)]

    def _report(self, today: date) -> Draft:
        place = self._draws.below(len(self._open))
        quarter, parts = self._open[place]
        metrics = parts.pop(0)
        if not parts:
            self._open.pop(place)
        told = [fact(quarter, metric, _figure(metric, self._size[quarter], self._draws), today) for metric in metrics]
        text = self._telling.facts(told)
        if self._draws.chance(_WITH_LEAD_IN):
            text = f"{self._telling.one('numbers_lead')} {text}"
        if self._draws.chance(_WITH_CONTEXT):
            text = self._telling.followed(text, "context")
        return Draft(text, tuple(told))


def _figure(metric: str, size: int, draws: Draws) -> int | float:
    """Return a figure with the usual precision of the metric; money near `size`, in hundreds of dollars."""
    if metric in ("revenue", "revenue_forecast"):
        return (size * draws.between(88, 113) // 100 + draws.between(1, 97)) * 100
    if metric == "churn":
        return draws.between(113, 987) / 100
    if metric == "server_uptime":
        return draws.between(97_013, 99_987) / 1000
    if metric == "test_coverage":
        return draws.between(4_130, 9_680) / 100
    first, last = {
        "response_time": (83, 1_940),
        "signups": (1_013, 98_700),
        "tickets": (211, 8_970),
        "energy_use": (10_130, 98_700),
    }[metric]
    return draws.between(first, last)
