"""Exams that adversaries sit, drawn once; and what one of them scores in a real run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.memory_eval import EvalReport, EvalRunner, Exam, generate_dialogue, generate_questions, grade
from assay.memory_eval.run.asking import MOST_KEPT
from assay.memory_eval.truth import GroundTruth
from tests.memory_eval.integrity.adversary import Adversary, Attack, Sheet

NUM_QUESTIONS = {100: 100, 1_000: 200, 5_000: 200}
SEEDS = (42, 123, 456, 789, 2_026)


@dataclass(frozen=True)
class Score:
    """What an attack got, over how many questions it was an attack on."""

    mean: float
    num_questions: int

    def exceeds(self, limit: float, luck: int = 0) -> bool:
        """Whether that is more than the limit, were so many questions answered rightly by chance."""
        return self.mean * self.num_questions > limit * self.num_questions + luck + 1e-9


@lru_cache(maxsize=16)
def world_of(num_turns: int, seed: int) -> GroundTruth:
    return generate_dialogue(num_turns=num_turns, seed=seed)


@lru_cache(maxsize=16)
def sheet_of(num_turns: int, seed: int) -> Sheet:
    ground_truth = world_of(num_turns, seed)
    return Sheet(generate_questions(ground_truth, num_questions=NUM_QUESTIONS[num_turns]), ground_truth.turns)


def held(agent: object, sheet: Sheet) -> EvalReport:
    """The whole examination of any agent: emptied, taught every turn, asked, graded without a key."""
    exam = Exam(list(sheet.turns), list(sheet.questions), {"version": "1"})
    return EvalRunner(world=exam, grading="deterministic").run(agent)


def score_of(attack: Attack, sheet: Sheet) -> Score:
    """The mean of a real run over the questions that the attack is one on; every one of them has to be graded."""
    adversary = Adversary(attack, sheet)
    report = held(adversary, sheet)
    assert report.valid, report.why_invalid
    return _score([result.score for result in report.results if result.question not in adversary.passed_over])


def graded(attack: Attack, sheet: Sheet) -> Score:
    """The same without a runner, for attacks that learn nothing: only their answers are graded."""
    assert attack.learned is None
    adversary = Adversary(attack, sheet)
    answers = [(question, adversary.answer(question.text)[:MOST_KEPT]) for question in sheet.questions]
    return _score([grade(*pair).score for pair in answers if pair[0].text not in adversary.passed_over])


def _score(scores: Sequence[float | None]) -> Score:
    return Score(sum(score or 0.0 for score in scores) / max(1, len(scores)), len(scores))
