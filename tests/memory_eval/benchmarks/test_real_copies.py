"""The real files, if the environment names them: none of their data is in this repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.memory_eval import grade
from tests.memory_eval.benchmarks.copies import benchmark, worlds

# `ASSAY_BENCH_` variables are the ones that tests/conftest.py leaves in the environment.
LOCOMO = os.environ.get("ASSAY_BENCH_LOCOMO")
BEAM = os.environ.get("ASSAY_BENCH_BEAM")


@pytest.mark.soak
@pytest.mark.skipif(not LOCOMO, reason="ASSAY_BENCH_LOCOMO names no locomo10.json")
def test_the_gold_answers_of_locomo_score_fully():
    questions = [question for world in worlds("locomo", Path(str(LOCOMO))) for question in world.questions]
    assert len(questions) == 1986
    ours = [grade(question, question.expected_answer).score for question in questions]
    graded = [score for score in ours if score is not None]
    assert len(graded) == 1890
    assert sum(graded) >= 1889  # the gold answer of one question is "That"
    own = [
        benchmark("locomo").own_score(one, one.expected_answer) for one in questions if one.category != "open_domain"
    ]
    assert set(own) == {1.0}


@pytest.mark.soak
@pytest.mark.skipif(not BEAM, reason="ASSAY_BENCH_BEAM names no folder of chats")
def test_the_facts_of_beam_score_nearly_fully():
    questions = [question for world in worlds("beam", Path(str(BEAM))) for question in world.questions]
    facts = [question for question in questions if "benchmark" in question.rubric]
    answers = [". ".join(question.rubric["benchmark"]["items"]) for question in facts]
    assert {benchmark("beam").own_score(*pair) for pair in zip(facts, answers, strict=True)} == {1.0}
    scores = [grade(*pair).score or 0.0 for pair in zip(facts, answers, strict=True)]
    assert sum(scores) / len(scores) > 0.95
