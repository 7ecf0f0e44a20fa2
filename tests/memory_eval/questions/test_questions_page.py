"""The page about the questions says of every category what its code says."""

from __future__ import annotations

import re

import pytest

from assay.memory_eval.questions.categories.register import CATEGORIES
from assay.memory_eval.questions.composing.question import Category
from assay.memory_eval.questions.queries.answering import OPS
from tests.conftest import ROOT
from tests.memory_eval.questions.exams import LARGE, questions_of
from tests.memory_eval.questions.test_rubrics import KEYS

PAGE = (ROOT / "docs/memory/questions.md").read_text("utf-8")


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda category: str(category.name))
def test_weight_dimensions_and_queries_stand_on_the_page(category: Category):
    (line,) = re.findall(rf"^\| `{category.name}` \| (\d+) \| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE)
    weight, dimension, queries = line
    assert int(weight) == category.weight
    assert [str(one) for one in category.dimensions] == ["factual_accuracy", dimension]
    asked = {one.rubric["query"]["op"] for one in questions_of(*LARGE[0]) if one.category == category.name}
    assert asked <= set(re.findall(r"`(\w+)`", queries)) <= set(OPS)


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda category: str(category.name))
def test_there_is_an_example_of_each(category: Category):
    assert len(re.findall(rf"^\| `{category.name}` \| [^|]+[?.:] [^|]*\| [^|]+ \|$", PAGE, re.MULTILINE)) == 1


def test_every_way_to_answer_and_every_key_of_a_rubric_is_explained():
    assert [name for name in (*OPS, *KEYS) if f"`{name}`" not in PAGE] == []
