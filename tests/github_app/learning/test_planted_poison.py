"""Forty planted texts: feedback, advice of two colluding writers, and contradictions of confirmed rules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.github_app.learning.handout.delivery import relevant
from assay.github_app.learning.handout.managed_block import block_of
from assay.github_app.learning.rules.deciding import Decision, decide
from assay.github_app.outcomes import take_feedback
from assay.github_app.store import Store
from assay.validators import ConfirmedBy, Learning
from tests.examples import sampled
from tests.github_app.learning.village import ID, Village
from tests.github_app.remembering import after
from tests.tables import read_yaml

POISON: dict[str, Any] = read_yaml(Path(__file__).with_name("poison.yaml"))
WRITERS = ("mallory", "eve", "mallory", "eve")


def reached(village: Village, known: Sequence[str] = ()) -> list[str]:
    """What agents, AGENTS.md and public replies got besides the rules in `known`."""
    rules = [rule for rule in relevant(village.store, ID, []) if rule.rule_id not in known]
    named = [one.rule_id for one in village.store.rules.matches(ID) if one.rule_id not in known]
    public = [row.rule_id for row in village.store.rules.of(ID) if row.rule_id in named and row.state == "confirmed"]
    return [rule.text for rule in rules] + ([block_of(rules)] if rules else []) + public


@pytest.fixture(params=[ConfirmedBy.maintainer], ids=str)
def by(request: pytest.FixtureRequest) -> ConfirmedBy:
    confirmed_by: ConfirmedBy = request.param
    return confirmed_by


def test_there_are_forty():
    assert [len(POISON[kind]) for kind in ("feedback", "colluding", "contradicting")] == [14, 14, 12]


@pytest.mark.parametrize("text", POISON["feedback"])
def test_planted_feedback_is_stored_and_delivered_to_nobody(small_store: Store, text: str):
    kept = take_feedback(small_store, ID, text, after(), source="api", seen_at=after(), task_id="T-1", told_by="eve")
    assert kept is not None
    assert not kept[0].is_trusted


@pytest.mark.parametrize("text", sampled(POISON["colluding"], 5))
def test_two_writers_cannot_plant_advice(village: Village, by: ConfirmedBy, text: str):
    village.settings = Learning(confirmed_by=by)
    for number, login in enumerate(WRITERS, 10):
        village.says(login, number, text)
    assert reached(village) == []


@pytest.mark.parametrize(("rule", "contrary"), sampled(map(tuple, POISON["contradicting"]), 4))
def test_two_writers_cannot_contradict_a_rule_away(village: Village, by: ConfirmedBy, rule: str, contrary: str):
    village.settings = Learning(confirmed_by=by)
    said = village.says("olivia", 5, rule)
    assert said.rule_id is not None
    decide(village.store, (ID, said.rule_id), Decision.accept, after(hours=6), by="olivia")
    for number, login in enumerate(WRITERS, 10):
        village.says(login, number, contrary)
    assert [one.rule_id for one in relevant(village.store, ID, [])] == [said.rule_id]
    assert reached(village, [said.rule_id]) == []
