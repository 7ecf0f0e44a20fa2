"""Rules in words: asked with the code around, checked by their quotes, refuted, and reported as configured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from assay.llm import ModelUnavailable
from assay.validators.changes.change import ChangeSet
from assay.validators.configuration.model import ValidationConfig
from assay.validators.quality.inputs.learned_model import LearnedRule
from assay.validators.quality.learned.learned_rules import learned_text_rules
from assay.validators.quality.repository_rules import custom_text_rules
from assay.validators.report.model import Conclusion, Finding, Tier
from assay.validators.review import text_rules
from assay.validators.review.facts import grouping
from assay.validators.review.text_rules import NO_ANSWER, TOO_MANY_LINES, TOO_MANY_RULES, CheckedRules, TextRules
from assay.validators.review.trees import Trees
from assay.validators.run.pipeline import Options, validate
from tests.fakes.model import FakeModel
from tests.validators.review.conftest import MakeChange, Scripted
from tests.validators.review.rule_answers import broken, finding, place
from tests.validators.review.test_review_change import model_at

D = place("shop.py", "d = 2")
STANDS = {"verdict": "stands", "reason": "so it is", "evidence": [D]}
BASE = {"shop.py": "def first():\n    return 1\n\n\nx = 1\n", "docs/a.md": "# A\n", "data.json": "{}\n"}
HEAD = {"shop.py": "def first():\n    return 1\n\n\nx = 1\nd = 2\n", "docs/a.md": "# A\n\nhalf a sentence\n"}
RULES: list[Any] = [
    {"id": "names", "message": "Names say what is meant", "paths": ["*.py"]},
    {"id": "docs", "message": "Documents have whole sentences", "paths": ["docs/**"], "severity": "info"},
]


@pytest.fixture
def change(make_change: MakeChange) -> ChangeSet:
    return make_change(BASE, HEAD)


def check(
    change: ChangeSet, ask: Any, refute: Any = STANDS, rules: Any = RULES, learned: Any = (), **tier2: Any
) -> tuple[CheckedRules, Scripted, Scripted]:
    """Check the change with fixed answers; the askers keep what they were asked."""
    config = ValidationConfig.model_validate({"tier2": {"customRules": rules, **tier2}})
    asker, refuter = Scripted(lambda *_: ask), Scripted(lambda *_: refute)
    every = [*custom_text_rules(config), *learned_text_rules(change, config, learned)]
    checked = TextRules(change, every, config, asker, refuter).check(Trees(change))
    return checked, asker, refuter


def found(checked: CheckedRules) -> list[tuple[str, str, int | None, str]]:
    return [(one.rule, one.file, one.line, str(one.severity)) for one in checked.findings]


def test_a_rule_is_asked_with_the_code_around_and_reported_as_configured(change: ChangeSet):
    sentence = place("docs/a.md", "half a sentence")
    checked, asker, refuter = check(change, {"findings": [finding(1, D), finding(2, sentence, "it has no verb")]})
    assert found(checked) == [
        ("repository_rules.names", "shop.py", 6, "warning"),
        ("repository_rules.docs", "docs/a.md", 3, "info"),
    ]
    assert checked.findings[1].message == "Documents have whole sentences: it has no verb"
    ((facts, question),) = asker.asked
    assert "head     5  | x = 1" in facts
    assert "1. Names say what is meant (applies to *.py)" in question
    assert "Names say what is meant" in refuter.asked[0][0]
    assert "> 6: d = 2" in refuter.asked[0][0]


@pytest.mark.parametrize(
    ("refute", "reason"),
    [
        ({**STANDS, "verdict": "refuted"}, "refuted"),
        ({**STANDS, "verdict": "cannot_tell"}, "not_upheld"),
        ({**STANDS, "evidence": [place("shop.py", "d = 3")]}, "not_upheld"),
        (ModelUnavailable("busy"), "no_refutation"),
    ],
)
def test_what_the_second_pass_does_not_uphold_is_dropped(change: ChangeSet, refute: Any, reason: str):
    checked, _, _ = check(change, {"findings": [finding(1, D)]}, refute)
    assert (checked.findings, dict(checked.dropped)) == ([], {reason: 1})


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (finding(0, D), "invalid"),
        (finding(3, D), "invalid"),
        (finding(2, D), "invalid"),
        ({**finding(1, D), "rule": True}, "invalid"),
        (finding(1, place("shop.py", "x = 1")), "not_changed"),
        (finding(1, place("data.json", "{}")), "unknown_file"),
        (finding(1, place("shop.py", "d = 22")), "quote_missing"),
        (finding(1, D, "d might be short"), "hedged"),
        (finding(1, D, ""), "invalid"),
        ("x", "invalid"),
    ],
)
def test_a_false_answer_is_dropped_by_its_reason(change: ChangeSet, given: Any, reason: str):
    checked, _, refuter = check(change, {"findings": [given]})
    assert (checked.findings, dict(checked.dropped), refuter.asked) == ([], {reason: 1}, [])


def test_the_same_lines_are_reported_once_for_a_rule(change: ChangeSet):
    checked, _, _ = check(change, {"findings": [finding(1, D), finding(1, D, "again")]})
    assert (len(checked.findings), dict(checked.dropped)) == (1, {"duplicate": 1})


def test_rules_that_apply_to_no_changed_file_or_are_off_are_not_asked(change: ChangeSet):
    other = [{"id": "go", "message": "Errors are wrapped", "paths": ["*.go"]}]
    checked, asker, _ = check(change, {"findings": []}, rules=other)
    assert (asker.asked, checked.not_checked) == ([], [])
    checked, asker, _ = check(change, {"findings": []}, severities={"repository_rules": "off"})
    assert (asker.asked, checked.not_checked) == ([], [])


def test_a_learned_rule_without_a_check_is_one_of_them(change: ChangeSet):
    learned = [LearnedRule("0123456789ab", "use the log", provenance="#3 by ann")]
    checked, _, _ = check(change, {"findings": [finding(1, D)]}, rules=[], learned=learned)
    (one,) = checked.findings
    assert one.rule == "learned_rules.0123456789ab"
    assert one.message == "use the log (asked for before: #3 by ann): d says nothing"


def test_without_an_answer_and_beyond_the_limits_rules_are_not_checked(
    change: ChangeSet, monkeypatch: pytest.MonkeyPatch
):
    checked, _, _ = check(change, ModelUnavailable("busy"))
    assert [(one.what, one.why) for one in checked.not_checked] == [
        ("repository_rules.names", f"{NO_ANSWER}: busy"),
        ("repository_rules.docs", f"{NO_ANSWER}: busy"),
    ]
    monkeypatch.setattr(grouping, "MOST_LINES", 1)
    monkeypatch.setattr(text_rules, "MOST_PARTS", 1)
    monkeypatch.setattr(text_rules, "MOST_RULES", 1)
    many = [RULES[1], {"id": "more", "message": "Documents are short", "paths": ["docs/**"]}, RULES[0]]
    checked, asker, _ = check(change, {"findings": []}, rules=many)
    assert [(one.what, one.why) for one in checked.not_checked] == [
        ("rules in words on shop.py", TOO_MANY_LINES),
        ("repository_rules.more", TOO_MANY_RULES),
    ]
    assert len(asker.asked) == 1


@pytest.mark.parametrize(
    ("severity", "paths", "could_block"),
    [("error", ["shop.py"], True), ("error", ["lib/**"], None), ("warning", ["shop.py"], False)],
)
def test_a_rule_in_words_without_an_answer_could_block_only_as_an_error(
    change: ChangeSet, severity: str, paths: list[str], could_block: bool | None
):
    rule = {"id": "grave", "message": "Say what it does", "severity": severity, "paths": paths}
    checked, _, _ = check(change, ModelUnavailable("busy"), rules=[rule])
    assert [one.could_block for one in checked.not_checked] == ([] if could_block is None else [could_block])


@pytest.mark.parametrize(("severity", "expected"), [("warning", Conclusion.success), ("error", Conclusion.failure)])
def test_a_rule_in_words_blocks_only_as_an_error_that_the_configuration_sets(
    change: ChangeSet, severity: str, expected: Conclusion
):
    rule = {**RULES[0], "severity": severity}
    given: Mapping[str, Any] = {
        "tier2": {"customRules": [rule], "blockingSeverity": "warning", "review": {"enabled": False}}
    }
    with FakeModel(answers=lambda asked: broken(asked, "Names say", D)) as server, model_at(server) as model:
        options = Options(tiers=(Tier.quality,), model=model)
        report = validate(change, ValidationConfig.model_validate(given), options)
    mine: list[Finding] = [one for one in report.findings if one.rule == "repository_rules.names"]
    assert (len(mine), report.conclusion) == (1, expected)
    assert report.review is not None
    assert report.review.num_calls == 2
