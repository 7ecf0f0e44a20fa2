"""An exam measures memory: who forgets more scores less, and noise is no help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean

import pytest

from assay.memory_eval import Question, generate_dialogue, generate_questions
from assay.memory_eval.adapters.naming import agent_from
from assay.memory_eval.adapters.replies import response_from
from assay.memory_eval.graders.rules import grade
from assay.seeded_random import Draws

OTHER_WORLDS = 3


@dataclass(frozen=True)
class Scores:
    """What the words-only baseline scores, over seeds: with more and more forgotten, and with distractors added."""

    forgetting: list[float]
    distracted: float


def scores(num_turns: int, num_questions: int, seeds: Sequence[int], forgotten: Sequence[int]) -> Scores:
    """`forgotten` in per cent of the turns; each share holds the smaller ones: nothing is remembered again."""
    found = [_scores(num_turns, num_questions, seed, forgotten) for seed in seeds]
    return Scores(
        [mean(one.forgetting[step] for one in found) for step in range(len(forgotten))],
        mean(one.distracted for one in found),
    )


def _scores(num_turns: int, num_questions: int, seed: int, forgotten: Sequence[int]) -> Scores:
    ground_truth = generate_dialogue(num_turns=num_turns, seed=seed)
    questions = generate_questions(ground_truth, num_questions=num_questions)
    told = [turn.content for turn in ground_truth.turns]
    draws = Draws(f"monotone:{seed}")
    order = draws.some(range(num_turns), num_turns)
    kept = [sorted(order[num_turns * share // 100 :]) for share in forgotten]
    return Scores(
        [_score([told[place] for place in places], questions) for places in kept],
        _score(_distracted(told, num_turns, seed, draws), questions),
    )


def _distracted(told: Sequence[str], num_turns: int, seed: int, draws: Draws) -> list[str]:
    """The dialogue with the distractors of other worlds anywhere in it."""
    mixed = list(told)
    for other in range(OTHER_WORLDS):
        for turn in generate_dialogue(num_turns=num_turns, seed=10_000 + OTHER_WORLDS * seed + other).turns:
            if turn.block_name == "distractors":
                mixed.insert(draws.below(len(mixed) + 1), turn.content)
    assert len(mixed) >= len(told) * 1.15
    return mixed


def _score(contents: Sequence[str], questions: Sequence[Question]) -> float:
    agent = agent_from("baseline:bm25")
    for content in contents:
        agent.learn(content)
    answers = [response_from(agent.answer(question.text)).answer for question in questions]
    return mean(grade(question, answer).score or 0.0 for question, answer in zip(questions, answers, strict=True))


@pytest.mark.soak
def test_forgetting_lowers_the_score_and_noise_does_not_raise_it():
    found = scores(num_turns=600, num_questions=120, seeds=(1, 2), forgotten=(0, 25, 50, 75))
    assert all(less < more for more, less in pairwise(found.forgetting)), found
    assert found.distracted <= found.forgetting[0] + 1 / 120  # a question of luck: other words are rare now


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_over_seeds_every_step_of_forgetting_costs_and_noise_gains_nothing():
    found = scores(num_turns=1000, num_questions=200, seeds=range(1, 6), forgotten=(0, 10, 25, 50, 75))
    assert all(less < more - 0.005 for more, less in pairwise(found.forgetting)), found
    assert found.distracted <= found.forgetting[0] + 0.5 / 200
