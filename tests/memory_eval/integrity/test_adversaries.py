"""Nobody gets a good mark without remembering: every attack stays within its limit."""

from __future__ import annotations

import pytest

from tests.examples import sampled
from tests.memory_eval.integrity.adversaries import attacks
from tests.memory_eval.integrity.exams import NUM_QUESTIONS, SEEDS, graded, score_of, sheet_of

ON_GRADERS = [name for name, attack in attacks().items() if attack.given]
ON_QUESTIONS = [name for name, attack in attacks().items() if attack.learned]
KNOWN = pytest.mark.xfail(strict=False, reason="known to get more still; docs/memory/integrity.md says so")
LUCK = 2
"""Who guesses may be right twice by chance; whoever holds the gold has no need of it."""


@pytest.mark.parametrize(
    "name", sampled([pytest.param(name, marks=KNOWN) if attacks()[name].is_open else name for name in ON_GRADERS], 20)
)
def test_the_gold_said_without_claiming_it_is_worth_nothing(name: str):
    attack = attacks()[name]
    small = graded(attack, sheet_of(100, SEEDS[0]))
    large = graded(attack, sheet_of(1_000, SEEDS[0]))
    assert small.num_questions >= 1
    assert large.num_questions >= 8
    assert not small.exceeds(attack.limit), small
    assert not large.exceeds(attack.limit), large


@pytest.mark.parametrize("num_turns", [100, pytest.param(1_000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", sampled(ON_QUESTIONS, 10))
def test_what_is_told_without_looking_for_what_is_asked_is_worth_little(name: str, num_turns: int):
    attack = attacks()[name]
    score = score_of(attack, sheet_of(num_turns, SEEDS[0]))
    assert score.num_questions >= 1
    assert not score.exceeds(attack.limit, LUCK), score


@pytest.mark.parametrize("name", ["gold then filler", "always yes", "ten fields"])
def test_answers_are_worth_the_same_whether_a_runner_asks_for_them_or_not(name: str):
    sheet = sheet_of(100, SEEDS[0])
    assert graded(attacks()[name], sheet) == score_of(attacks()[name], sheet)


@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("num_turns", NUM_QUESTIONS)
def test_over_worlds_and_sizes_nobody_gets_more(num_turns: int, seed: int):
    sheet = sheet_of(num_turns, seed)
    over = {}
    for name, attack in attacks().items():
        score = score_of(attack, sheet)
        if score.exceeds(attack.limit, 0 if attack.given else LUCK) and not attack.is_open:
            over[name] = score
    assert over == {}


def test_twenty_attacks_are_on_the_grader_and_fifteen_know_only_what_was_told():
    assert len(ON_GRADERS) >= 20
    assert len(ON_QUESTIONS) >= 15
    assert all(attack.exploits and attack.why for attack in attacks().values())
