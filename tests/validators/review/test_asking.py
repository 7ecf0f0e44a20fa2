"""Conversations at the same time: each prefix is written once, and no budget is exceeded."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from assay.llm import Limits, ModelUnavailable
from assay.validators.review.asking import Account, ToolAsker
from assay.validators.review.questions.asker import AT_ONCE, Question, ask_all
from tests.fakes.model import Asked, FakeModel, Says, Step
from tests.validators.review.test_review_change import model_at

ANSWER = {"type": "object", "additionalProperties": False, "required": ["n"], "properties": {"n": {"type": "integer"}}}
FACTS = ("a" * 100_000, "b" * 100_000)
QUESTIONS = [Question(facts, f"{facts[0]}{number}", ANSWER) for facts in FACTS for number in range(4)]


def asked_in(answers: Callable[[Asked], Step], max_usd: float) -> tuple[list[Any], Account, FakeModel]:
    """Ask all questions of a server that counts 30,000 tokens in each."""
    with FakeModel(answers=answers) as server, model_at(server) as model:
        server.counts = lambda _: 30_000
        account = Account(max_usd, time.monotonic() + 60)
        asker = ToolAsker(model, account, {}, Limits())
        return ask_all(asker, QUESTIONS), account, server


def test_questions_are_asked_at_once_and_the_first_of_each_prefix_before_the_others():
    answers, account, server = asked_in(lambda asked: Says({"n": int(asked.prompt[-1])}, after_s=0.05), 9.0)
    assert [one["n"] for one in answers] == [0, 1, 2, 3, 0, 1, 2, 3]
    assert {asked.prompt[-2:] for asked in server.asked[:2]} == {"a0", "b0"}
    assert 1 < server.most_at_once <= AT_ONCE
    assert account.num_calls == 8


@pytest.mark.parametrize("num_affordable", [0, 1, 2, 5, 8])
def test_conversations_at_once_do_not_exceed_the_budget_together(num_affordable: int):
    one_turn, reserved = 0.17, 0.33  # of claude-opus-5-5: 30,000 tokens in, 2,500 out; at most 8,192, and a margin
    max_usd = (num_affordable - 1) * one_turn + reserved
    slow = Says({"n": 1}, tokens_in=30_000, tokens_out=2_500, after_s=0.02)
    answers, account, server = asked_in(lambda _: slow, max_usd)
    refused = [one for one in answers if isinstance(one, ModelUnavailable)]
    assert account.cost_usd is not None
    assert account.cost_usd == pytest.approx(len(server.asked) * one_turn)
    assert account.cost_usd <= max_usd
    assert len(server.asked) == num_affordable
    assert len(refused) == len(QUESTIONS) - num_affordable
    assert (account.stopped is None) == (not refused)


def test_a_turn_that_does_not_fit_its_part_waits_for_the_others_and_gets_all_that_is_left():
    account = Account(1.0, time.monotonic() + 60)
    with account.grant(1.0) as part:
        assert part == pytest.approx(1 / AT_ONCE)
        with account.grant(0.5) as other:
            assert other == pytest.approx((0.5 - 1 / AT_ONCE) / AT_ONCE)
    with account.grant(1.0, is_alone=True) as whole:
        assert whole == 1.0
        with account.grant(1.0) as nothing:
            assert nothing == 0.0
