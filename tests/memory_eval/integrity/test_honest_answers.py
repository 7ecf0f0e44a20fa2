"""Whoever remembers is right, whatever the words: golds, paraphrases, formats, and a memory of the evidence alone."""

from __future__ import annotations

import pytest

from assay.memory_eval import AgentAdapter, Question, answer_from_evidence, grade
from tests.memory_eval.integrity.adversary import Sheet
from tests.memory_eval.integrity.exams import NUM_QUESTIONS, SEEDS, held, sheet_of
from tests.memory_eval.wordings import WORDINGS, paraphrases, variants

STEP = 4
"""Every fourth form of each question, other ones for the next: over twenty of each, and all of them over the exam."""


class Oracle(AgentAdapter):
    """A perfect memory, which is shown the turns that a question names as its evidence and no others."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet

    def learn(self, content: str) -> None:
        """What it reads it is shown when it is asked."""

    def answer(self, question: str) -> str:
        known = self._sheet.by_text.get(question)
        return answer_from_evidence(known, self._sheet.turns) if known else ""

    def reset(self) -> None:
        """It keeps nothing."""


def score(question: Question, answer: str) -> float:
    graded = grade(question, answer)
    assert graded.score is not None, graded
    return graded.score


def assert_golds_are_right(sheet: Sheet) -> None:
    below = [one for one in sheet.questions if score(one, one.expected_answer) < 0.99]
    assert below == []


def assert_the_oracle_is_right(sheet: Sheet) -> None:
    report = held(Oracle(sheet), sheet)
    assert report.valid
    assert min(result.score or 0.0 for result in report.results) >= 0.99
    assert (report.overall_score or 0.0) >= 0.99


def assert_wordings_are_right(sheet: Sheet, step: int) -> None:
    """Twenty wordings of each gold and more: few are refused, some are left to a judge, most are right."""
    grades: list[float | None] = []
    for place, question in enumerate(sheet.questions):
        said = paraphrases(question)[place % step :: step]
        assert len(said) >= 20
        formats = [] if question.rubric.get("must_say") else variants(question)[place % step :: step]
        grades += [grade(question, answer).score for answer in (*said, *formats)]
    assert sum(one is not None and one < 0.95 for one in grades) <= 0.05 * len(grades)
    assert grades.count(None) <= 0.15 * len(grades)


@pytest.mark.parametrize("num_turns", [100, 1_000])
def test_every_gold_has_full_marks_under_its_own_rubric(num_turns: int):
    assert_golds_are_right(sheet_of(num_turns, SEEDS[0]))


@pytest.mark.parametrize("num_turns", [100, 1_000])
def test_a_perfect_memory_of_the_evidence_alone_has_full_marks(num_turns: int):
    assert_the_oracle_is_right(sheet_of(num_turns, SEEDS[0]))


@pytest.mark.parametrize("num_turns", [100, pytest.param(1_000, marks=pytest.mark.soak)])
def test_twenty_wordings_of_each_gold_and_its_formats_are_rarely_refused(num_turns: int):
    assert len(WORDINGS["claims"]) >= 20
    assert_wordings_are_right(sheet_of(num_turns, SEEDS[0]), STEP)


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("num_turns", NUM_QUESTIONS)
def test_over_worlds_and_sizes_who_remembers_is_right(num_turns: int, seed: int):
    sheet = sheet_of(num_turns, seed)
    assert_golds_are_right(sheet)
    assert_the_oracle_is_right(sheet)
    assert_wordings_are_right(sheet, 1)
