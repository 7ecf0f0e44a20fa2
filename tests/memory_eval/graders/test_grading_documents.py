"""The page on grading says what grading does."""

from __future__ import annotations

import re

from assay.memory_eval import AnswerType
from tests.conftest import ROOT
from tests.memory_eval.graders.test_rules import QUESTIONS, accuracy_of

PAGE = (ROOT / "docs" / "memory" / "grading.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^\| (.+?) \| (.+?) \| ([01]\.\d\d|-) \|$", PAGE, re.MULTILINE)
BY_GOLD = {question.expected_answer: name for name, question in reversed(QUESTIONS.items())}


def test_there_are_examples():
    assert len(EXAMPLES) >= 18


def test_an_example_is_worth_what_the_page_says():
    scores = [(gold, answer, accuracy_of(BY_GOLD[gold], answer)) for gold, answer, _ in EXAMPLES]
    measured = [(gold, answer, "-" if score is None else f"{score:.2f}") for gold, answer, score in scores]
    assert measured == EXAMPLES


def test_every_type_of_answer_is_described():
    assert [kind for kind in AnswerType if f"| `{kind}` |" not in PAGE] == []
