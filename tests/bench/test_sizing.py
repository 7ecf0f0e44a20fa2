"""How many slots a load needs: the line of the App, played with recorded durations up to ten times the peak hour.

    make bench PYTEST_ARGS="tests/bench/test_sizing.py"

The choice is that of the App (`choose`), time is not waited for. The overhead of a head and the slots are those of
`test_scale.py`; docs/app/sizing.md has the formulas that are compared here.
"""

from __future__ import annotations

import heapq
import math
import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from assay.github_app.store import RequestRow
from assay.github_app.store.runs.requests import Candidate, choose
from tests.bench.scale import RECORDED_S

pytestmark = pytest.mark.bench
OVERHEAD_S = 1.0
"""Seconds a slot is taken besides judging: polls, requests to GitHub, storing."""
PEAK_HEADS_PER_S = 500 * 20 * 0.1 * 3 / 3600
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Line:
    """Requests, slots and repositories in simulated seconds; `waits` are the seconds from request to start."""

    num_slots: int
    random: random.Random
    starts: dict[int, float] = field(default_factory=dict)
    at_work: Counter[int] = field(default_factory=Counter)
    waiting: dict[int, list[tuple[float, Candidate]]] = field(default_factory=dict)
    ends: list[tuple[float, int]] = field(default_factory=list)
    waits: dict[int, list[float]] = field(default_factory=dict)
    line: float = 0.0

    def ask(self, at: float, repository: int, number: int) -> None:
        asked = BEGAN + timedelta(seconds=at)
        row = RequestRow(str(number), str(number), repository, str(number), 1, asked, False, asked, asked)
        self.waiting.setdefault(repository, []).append((at, Candidate(row, "")))

    def admit(self, at: float) -> None:
        """Start what the free slots allow."""
        free = self.num_slots - len(self.ends)
        if not free or not self.waiting:
            return
        firsts = [one for queue in self.waiting.values() for _, one in queue[:free]]
        chosen, self.line = choose(firsts, free, self.line, self.starts, self.at_work, lambda _: 1.0)
        for row in chosen:
            asked, _ = self.waiting[row.repository_id].pop(0)
            if not self.waiting[row.repository_id]:
                del self.waiting[row.repository_id]
            self.waits.setdefault(row.repository_id, []).append(at - asked)
            took_s = self.random.choice(RECORDED_S) + OVERHEAD_S
            heapq.heappush(self.ends, (at + took_s, row.repository_id))

    def end_until(self, at: float) -> None:
        """End what ends until then, and start others in its place."""
        while self.ends and self.ends[0][0] <= at:
            ended, repository = heapq.heappop(self.ends)
            self.at_work[repository] -= 1
            self.admit(ended)


def play(heads_per_s: float, num_slots: int, *, hours: float = 1.0, noisy_share: float = 0.0) -> Line:
    """Play arrivals by chance; of them `noisy_share` come from one repository, the others from 500."""
    chance = random.Random(7)
    line, at, number = Line(num_slots, chance), 0.0, 0
    while at < hours * 3600:
        at += chance.expovariate(heads_per_s)
        number += 1
        line.end_until(at)
        line.ask(at, 0 if chance.random() < noisy_share else chance.randint(1, 500), number)
        line.admit(at)
    line.end_until(math.inf)
    return line


def percentile(values: list[float], percent: int) -> float:
    return sorted(values)[max(0, -(-len(values) * percent // 100) - 1)]


def slots_for(heads_per_s: float) -> int:
    """The formula of docs/app/sizing.md: the slots that are busy on average, and a quarter more, at least two more."""
    busy = heads_per_s * (sum(RECORDED_S) / len(RECORDED_S) + OVERHEAD_S)
    return math.ceil(busy + max(2.0, busy / 4))


@pytest.mark.parametrize("times", [1, 2, 5, 10])
def test_the_formula_keeps_waits_short(times: int):
    heads_per_s = PEAK_HEADS_PER_S * times
    slots = slots_for(heads_per_s)
    waits = [wait for each in play(heads_per_s, slots).waits.values() for wait in each]
    p50, p95 = percentile(waits, 50), percentile(waits, 95)
    print(
        f"\n| {times} x | {heads_per_s:.2f} heads/s | {slots} slots | wait p50 {p50:.1f} s, p95 {p95:.1f} s |", end=""
    )
    assert p95 < 15


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
def test_a_noisy_repository_makes_the_others_wait_no_longer(share: float):
    """The others ask as often as before; the noisy one comes on top of them, beyond what the slots can do."""
    others = PEAK_HEADS_PER_S
    line = play(others / (1 - share), slots_for(others), noisy_share=share)
    quiet = [wait for repository, waits in line.waits.items() if repository for wait in waits]
    noisy = line.waits.get(0, [0.0])
    print(
        f"\n| a repository with {share:.0%} of the heads | others wait p50 {percentile(quiet, 50):.1f} s,"
        f" p95 {percentile(quiet, 95):.1f} s | it waits p50 {percentile(noisy, 50):.0f} s |",
        end="",
    )
    assert percentile(quiet, 95) < 30
