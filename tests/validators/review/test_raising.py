"""A model can raise the level of risk by one step, by two with a demonstration, and never lower or hold."""

from __future__ import annotations

from typing import Any

import pytest

from assay.validators.configuration.model import ValidationConfig
from assay.validators.policy.verdict import decide
from assay.validators.report.gravity import Gravity
from assay.validators.report.model import MODEL, Likelihood, RiskAssessment, RiskLevel, Statement
from assay.validators.report.review import Side
from assay.validators.review.claims import Place
from assay.validators.review.raising import raised
from assay.validators.review.trees import Trees
from assay.validators.risk.level import levelled
from tests.validators.review.conftest import MakeChange

LINE = "    connection.execute(statement)"
BASE = {"db.py": "def run(statement):\n    pass\n"}
HEAD = {"db.py": f"def run(statement):\n{LINE}\n    pass\n"}
LEVELS = list(RiskLevel)


@pytest.fixture
def trees(make_change: MakeChange) -> Trees:
    return Trees(make_change(BASE, HEAD))


def factor(**other: Any) -> dict[str, Any]:
    return {
        "kind": "data",
        "level": "critical",
        "path": "db.py",
        "quote": LINE,
        "scenario": "Every statement is executed twice when the pool retries.",
        "would_lower": "Execute it in a transaction.",
    } | other


def risk(level: RiskLevel) -> RiskAssessment:
    gravity = Gravity.remark if level is RiskLevel.low else Gravity(level)
    return levelled(RiskAssessment(statements=(Statement("remark", "a floor", signal="schema", gravity=gravity),)))


@pytest.mark.parametrize("computed", LEVELS)
@pytest.mark.parametrize("asked", LEVELS)
@pytest.mark.parametrize("is_demonstrated", [False, True])
def test_the_level_rises_by_one_step_or_two_and_never_falls(
    trees: Trees, computed: RiskLevel, asked: RiskLevel, is_demonstrated: bool
):
    proven = [Place(Side.head, "db.py", 2, 2, LINE)] if is_demonstrated else []
    found = raised(risk(computed), {"factors": [factor(level=asked)], "unknowns": []}, trees, proven).risk
    steps = LEVELS.index(found.level) - LEVELS.index(computed)
    assert steps == min(max(0, LEVELS.index(asked) - LEVELS.index(computed)), 2 if is_demonstrated else 1)
    assert found.computed is computed
    assert found.floor is computed
    assert found.set_by == (("model",) if steps else risk(computed).set_by)


@pytest.mark.parametrize("hold_on", ["policy", "level"])
def test_a_raised_level_holds_nothing(trees: Trees, hold_on: str):
    config = ValidationConfig.model_validate({"tier3": {"holdOn": hold_on, "riskThresholdForHold": "high"}})
    found = raised(risk(RiskLevel.medium), {"factors": [factor(level="high")]}, trees).risk
    assert found.level is RiskLevel.high
    assert not decide(config, None, None, found).hold
    assert decide(config, None, None, risk(RiskLevel.high)).hold


def test_likelihood_still_holds_where_it_is_configured(trees: Trees):
    config = ValidationConfig.model_validate({"tier3": {"holdOn": "level", "riskThresholdForHold": "high"}})
    likely = levelled(RiskAssessment(likelihood=Likelihood(RiskLevel.high, 97.0, "size", 300)))
    found = raised(likely, {"factors": [factor(level="critical")]}, trees).risk
    assert (found.level, found.set_by, found.computed_by) == (RiskLevel.critical, ("model",), ("likelihood",))
    assert decide(config, None, None, found).hold


@pytest.mark.parametrize(
    "wrong",
    [
        factor(quote="    connection.execute(other)"),
        factor(quote="    pass"),
        factor(path="none.py"),
        factor(path="../db.py"),
        factor(scenario=""),
        factor(scenario=["It fails"]),
        factor(kind="style"),
        factor(level="enormous"),
        factor(quote=None),
        "critical",
        None,
    ],
)
def test_a_factor_without_a_changed_line_and_a_scenario_is_dropped(trees: Trees, wrong: Any):
    found = raised(risk(RiskLevel.low), {"factors": [wrong]}, trees)
    assert (found.risk.level, found.num_dropped, found.risk.statements) == (
        RiskLevel.low,
        1,
        risk(RiskLevel.low).statements,
    )


@pytest.mark.parametrize("text", ["It might fail for `x[a](b)`", "next=https://evil.test redirects every user"])
def test_no_factor_is_dropped_for_the_form_of_its_text(trees: Trees, text: str):
    answer = {"factors": [factor(scenario=text, would_lower=text)], "unknowns": [text]}
    found = raised(risk(RiskLevel.low), answer, trees)
    (mine,) = [one for one in found.risk.statements if one.signal == MODEL]
    assert (mine.text, mine.advice, found.unknowns) == (f"data: {text}", text, (text,))
    assert (found.risk.level, found.num_dropped) == (RiskLevel.medium, 0)


@pytest.mark.parametrize("value", [None, {}, {"factors": "all"}, {"factors": {}, "unknowns": 3}])
def test_an_answer_of_another_form_changes_nothing(trees: Trees, value: Any):
    assert raised(risk(RiskLevel.medium), value, trees).risk == risk(RiskLevel.medium)
