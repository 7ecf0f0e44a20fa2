"""Votes: asked for at once, settled by the median, and never made up where they did not come in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.llm import AnthropicModel, Budget
from assay.memory_eval.graders.judging.judge import Vote
from assay.memory_eval.graders.judging.panel import Case, JudgePanel, settled
from assay.memory_eval.truth import Dimension
from tests.fakes.judges import always, says, shown
from tests.fakes.model import Drops, Fails, FakeModel, Says
from tests.memory_eval.graders.test_judge import ACCURACY, QUESTION

TIME = Dimension.temporal_awareness


@pytest.fixture
def fake() -> Iterator[FakeModel]:
    with FakeModel(answers=always(0.5)) as server:
        yield server


@pytest.fixture
def bench(fake: FakeModel) -> Iterator[Callable[..., JudgePanel]]:
    with ExitStack() as made:

        def make(num_workers: int = 4, **settings: Any) -> JudgePanel:
            settings = {"api_key": "k", "base_url": fake.url, "first_wait_s": 0.001, "max_retries": 1, **settings}
            return JudgePanel(made.enter_context(AnthropicModel("claude-haiku-5-5", **settings)), num_workers)

        yield make


def cases(num: int, *dimensions: Dimension) -> list[Case]:
    return [Case(QUESTION, f"Answer {number}.", dimensions or (ACCURACY,)) for number in range(num)]


def test_the_median_of_each_dimension_counts():
    votes = [Vote({ACCURACY: a, TIME: t}, f"{a} {t}") for a, t in ((0.85, 0.1), (0.9, 0.2), (0.8, 0.9))]
    scores, reasoning = settled(votes)
    assert scores == {ACCURACY: 0.85, TIME: 0.2}
    assert reasoning == "0.9 0.2", "its scores lie nearest to both medians together"


def test_of_an_even_number_the_middle_of_the_two_in_the_middle_counts():
    assert settled([Vote({ACCURACY: score}, str(score)) for score in (0.2, 0.4)])[0] == {ACCURACY: pytest.approx(0.3)}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_the_median_lies_within_the_votes_and_the_reasoning_is_one_of_theirs(scores):
    votes = [Vote({ACCURACY: score}, str(score)) for score in scores]
    medians, reasoning = settled(votes)
    assert min(scores) <= medians[ACCURACY] <= max(scores)
    assert abs(float(reasoning) - medians[ACCURACY]) == min(abs(score - medians[ACCURACY]) for score in scores)


def test_every_case_is_asked_about_once_for_each_vote_and_comes_back_in_its_place(fake, bench):
    fake.answers = lambda asked: says({"factual_accuracy": int(shown(asked).answer[7:-1]) / 10})
    told: list[tuple[int, int]] = []
    judge = bench()
    verdicts = judge.verdicts(cases(9), 3, lambda done, whole: told.append((done, whole)))
    assert [verdict.scores[ACCURACY] for verdict in verdicts] == [number / 10 for number in range(9)]
    assert told == [(number, 9) for number in range(1, 10)]
    assert len(fake.asked) == judge.num_asked == 27
    assert judge.to_dict()["num_calls"] == 27
    assert judge.to_dict()["tokens_in"] == 27 * 700
    assert judge.to_dict()["cost_usd"] == pytest.approx(27 * (700 * 0.1 + 60 * 0.5) / 1e6)


def test_votes_are_asked_for_at_once_but_not_all_at_once(fake, bench):
    fake.answers = lambda asked: Says({"reasoning": "", "scores": {"factual_accuracy": 1}}, after_s=0.03)
    bench(num_workers=3).verdicts(cases(4), 3)
    assert fake.most_at_once == 3


def test_a_vote_that_does_not_come_in_is_no_zero(fake, bench):
    fake.script = [Drops(), Fails(500), says({"factual_accuracy": 0.9}), says({"factual_accuracy": 0.7})]
    judge = bench(num_workers=1)
    (verdict,) = judge.verdicts(cases(1), 3)
    assert verdict.scores == {ACCURACY: pytest.approx(0.8)}
    assert judge.to_dict()["num_votes_missing"] == 1


def test_half_of_the_votes_are_no_verdict(fake, bench):
    said = count()
    fake.answers = lambda asked: says({"factual_accuracy": 0.9}) if next(said) % 2 else Says("", stop_reason="refusal")
    (verdict,) = bench(num_workers=1).verdicts(cases(1), 4)
    assert verdict.scores is None
    assert "2 of 4" in str(verdict.why_not)
    assert "model.refused" in str(verdict.why_not)


def test_a_budget_that_runs_out_leaves_the_rest_without_a_verdict(fake, bench):
    verdicts = bench(num_workers=1, budget=Budget(max_calls=4)).verdicts(cases(4), 2)
    assert [verdict.scores is None for verdict in verdicts] == [False, False, True, True]
    assert "model.budget" in verdicts[3].why_not
    assert len(fake.asked) == 4


def test_a_wrong_key_is_tried_a_few_times_and_not_a_thousand(fake, bench):
    fake.answers = lambda asked: Fails(401, "invalid key", kind="authentication_error")
    verdicts = bench(num_workers=2).verdicts(cases(100), 3)
    assert all(verdict.scores is None and "401: invalid key" in verdict.why_not for verdict in verdicts)
    assert len(fake.asked) <= 2
