"""How fast we ask: distances, allowances, and silence when GitHub asks for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from assay.github.client import Clock, Pace
from assay.github.client.limits import CONTENT_PER_HOUR, CONTENT_PER_MINUTE, MOST_CONCURRENT, SECONDS_BETWEEN_WRITES
from assay.github.errors import RateLimited

BEGIN = datetime(2026, 11, 22, 2, 0, tzinfo=UTC)


@dataclass
class Time:
    """Time that passes only by sleeping."""

    passed_s: float = 0.0
    slept: list[float] = field(default_factory=list)

    def clock(self) -> Clock:
        return Clock(lambda: BEGIN + timedelta(seconds=self.passed_s), lambda: self.passed_s, self.sleep)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.passed_s += seconds


def turn(pace: Pace, *, is_write: bool = True, is_content: bool = False, resource: str = "core") -> None:
    with pace.turn("try", is_write=is_write, is_content=is_content, resource=resource):
        pass


def test_writes_keep_a_second_between_them_unless_told_otherwise():
    time = Time()
    pace = Pace(time.clock())
    for _ in range(4):
        turn(pace)
    assert time.slept == [SECONDS_BETWEEN_WRITES] * 3


def test_reading_waits_for_nobody():
    time = Time()
    pace = Pace(time.clock())
    turn(pace)
    for _ in range(50):
        turn(pace, is_write=False)
    assert time.slept == []


def test_check_runs_and_labels_are_no_content():
    time = Time()
    pace = Pace(time.clock(), seconds_between_writes=0)
    for _ in range(2 * CONTENT_PER_HOUR):
        turn(pace)
    assert time.slept == []


def test_one_limit_that_is_used_up_leaves_the_other():
    time = Time()
    pace = Pace(time.clock())
    pace.block(BEGIN + timedelta(seconds=600), "graphql")
    turn(pace, is_write=False)
    with pytest.raises(RateLimited):
        turn(pace, is_write=False, resource="graphql")
    time.passed_s = 600
    turn(pace, is_write=False, resource="graphql")
    pace.block(BEGIN + timedelta(seconds=1200))
    with pytest.raises(RateLimited):
        turn(pace, is_write=False, resource="graphql")


def test_no_more_than_eighty_comments_fall_into_any_minute():
    time = Time()
    pace = Pace(time.clock(), seconds_between_writes=0.25, most_wait_s=60)
    at = []
    for _ in range(3 * CONTENT_PER_MINUTE):
        turn(pace, is_content=True)
        at.append(time.passed_s)
    for first, later in zip(at, at[CONTENT_PER_MINUTE:], strict=False):
        assert later - first >= 60


def test_the_allowance_of_the_hour_ends_in_an_error_that_tells_when_to_come_again():
    time = Time()
    pace = Pace(time.clock(), seconds_between_writes=1)
    for _ in range(CONTENT_PER_HOUR):
        turn(pace, is_content=True)
    with pytest.raises(RateLimited) as caught:
        turn(pace, is_content=True)
    assert caught.value.retry_at == BEGIN + timedelta(hours=1)
    turn(pace, is_write=False)


def test_silence_that_was_asked_for_is_kept_by_everybody():
    time = Time()
    pace = Pace(time.clock())
    pace.block(BEGIN + timedelta(seconds=5))
    turn(pace, is_write=False)
    assert time.slept == [5]
    pace.block(BEGIN + timedelta(seconds=200))
    pace.block(BEGIN + timedelta(seconds=20))
    with pytest.raises(RateLimited) as caught:
        turn(pace, is_write=False)
    assert caught.value.retry_at == BEGIN + timedelta(seconds=200)
    time.passed_s = 200
    turn(pace, is_write=False)


def test_no_more_run_at_once_than_github_allows():
    pace = Pace(Time().clock())
    turns = [pace.turn("try", is_write=False) for _ in range(MOST_CONCURRENT)]
    for one in turns:
        one.__enter__()
    assert not pace._places.acquire(blocking=False)
    turns[0].__exit__(None, None, None)
    assert pace._places.acquire(blocking=False)


@pytest.mark.parametrize(
    ("passed_min", "remaining", "is_hurried"),
    [(0, 4960, False), (1, 4900, False), (1, 4800, True), (30, 2500, False), (30, 2400, True), (59, 40, False)],
)
def test_requests_that_are_used_faster_than_the_hour_passes(passed_min: int, remaining: int, is_hurried: bool):
    time = Time()
    pace = Pace(time.clock())
    resets_at = BEGIN + timedelta(hours=1)
    time.passed_s = passed_min * 60
    pace.note(remaining, 5000, resets_at)
    assert pace.is_hurried is is_hurried
    time.passed_s = 3601
    assert not pace.is_hurried, "a new hour"


@pytest.mark.parametrize(
    ("passed_min", "remaining", "is_low"), [(5, 500, False), (5, 499, True), (57, 130, False), (57, 120, True)]
)
def test_the_reserve_is_smaller_in_the_last_minutes(passed_min: int, remaining: int, is_low: bool):
    time = Time()
    pace = Pace(time.clock())
    time.passed_s = passed_min * 60
    pace.note(remaining, 5000, BEGIN + timedelta(hours=1))
    assert (pace.low_until is not None) is is_low
