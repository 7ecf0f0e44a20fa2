"""Votes: asked for at once, settled by the median, and never made up where they did not come in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from typing import Any

import pytest

from assay.llm import AnthropicModel
from assay.memory_eval.graders.judging.panel import Case, JudgePanel
from assay.memory_eval.truth import Dimension
from tests.fakes.judges import always, says, shown
from tests.fakes.model import Drops, Fails, FakeModel, Says
from tests.memory_eval.graders.test_judge import ACCURACY, QUESTION


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


def test_a_wrong_key_is_tried_a_few_times_and_not_a_thousand(fake, bench):
    fake.answers = lambda asked: Fails(401, "invalid key", kind="authentication_error")
    verdicts = bench(num_workers=2).verdicts(cases(100), 3)
    assert all(verdict.scores is None and "401: invalid key" in verdict.why_not for verdict in verdicts)
    assert len(fake.asked) <= 2
