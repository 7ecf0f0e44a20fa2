"""Each mistake with a name is found where it is, and the rules it belongs to are rules there are."""

from __future__ import annotations

from typing import Any

import pytest

from assay.github_app.learning.checks.named_mistakes import mistakes
from assay.github_app.rule_matching.languages import language_of
from assay.github_app.rule_matching.phrasebook import entries
from assay.validators import where_check_matches
from tests.conftest import ROOT
from tests.examples import sampled
from tests.tables import read_yaml

TABLE: dict[str, dict[str, Any]] = read_yaml(ROOT / "tests/cases/learning/mistakes.yaml")


def test_every_mistake_is_in_the_table():
    assert [mistake.name for mistake in mistakes()] == list(TABLE)


@pytest.mark.parametrize("mistake", sampled(mistakes(), 16), ids=lambda mistake: mistake.name)
def test_a_mistake_is_found_and_what_looks_like_it_is_left_alone(mistake: Any):
    case = TABLE[mistake.name]
    assert language_of(case["file"]) in mistake.languages
    lines = [*case["finds"], *case["leaves"]]
    # Each in a file of its own: some lines are half a statement.
    found = where_check_matches(mistake.check, [(f"{i}/{case['file']}", f"{line}\n") for i, line in enumerate(lines)])
    assert {lines[index] for index, *_ in found} == set(case["finds"])


def test_the_rules_a_mistake_belongs_to_are_in_the_phrasebook():
    said = {entry.rule.lower().rstrip(".") for entry in entries()}
    assert {rule for mistake in mistakes() for rule in mistake.rules} <= said
