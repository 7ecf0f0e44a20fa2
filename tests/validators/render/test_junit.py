"""The JUnit report: a case for each command and finding, red exactly where the verdict is."""

from __future__ import annotations

import dataclasses
from typing import Any

import defusedxml.ElementTree
import pytest
from junitparser import JUnitXml

from assay.validators.render import junit
from assay.validators.report.model import Conclusion, Outcome, RiskLevel, ValidationReport
from tests.validators.render import sample
from tests.validators.render.hostile import HOSTILE, all_say


def written(report: ValidationReport) -> Any:
    return defusedxml.ElementTree.fromstring(junit.render(report).encode("utf-8"))


def cases(report: ValidationReport) -> dict[str, list[str]]:
    """Name of each case -> what it holds."""
    return {
        case.get("name"): [child.tag for child in case if child.tag != "system-out"]
        for case in written(report).iter("testcase")
    }


def test_what_blocks_is_a_failure_and_advice_is_not():
    assert cases(sample.sample()) == {
        "pytest": ["failure"],
        "ruff": [],
        "mypy": [],
        "npm run build": ["error"],
        "semgrep": [],
        "test_integrity tests/test_client.py:12": ["failure"],
        "complexity src/uploads/client.py:61": [],
        "duplication src/uploads/retry.py:8": [],
        "naming src/uploads/retry.py:5": [],
        "risk level": [],
        "squawk": ["skipped"],
        "coverage of src/uploads/legacy.py": ["skipped"],
    }


def test_advice_is_a_passed_case_with_its_message_as_output():
    (case,) = [
        one for one in written(sample.sample()).iter("testcase") if one.get("name", "").startswith("duplication")
    ]
    said = case.findtext("system-out") or ""
    assert said.startswith("warning, advisory: ")
    assert "What to do: " in said


def test_a_verdict_that_is_fine_has_no_red_case():
    root = written(sample.clean())
    assert (root.get("failures"), root.get("errors")) == ("0", "0")
    report = dataclasses.replace(sample.sample(), conclusion=Conclusion.success, blocking=())
    root = written(report)
    assert (root.get("failures"), root.get("errors")) == ("0", "0")


def test_a_failing_command_tells_where_and_what_it_printed():
    (failure,) = [one for one in written(sample.sample()).iter("failure") if one.get("type") == "failed"]
    assert failure.get("message") == "1 of 43 tests fails; it passed on the base"
    assert "tests/test_retry.py:21: tests.test_retry test_gives_up_after_three_tries: assert 4 == 3" in failure.text
    assert ">       assert client.tries == 3" in failure.text


def test_a_held_change_fails_the_risk_level():
    report = sample.clean()
    assert report.risk is not None
    risk = dataclasses.replace(report.risk, level=RiskLevel.critical)
    held = dataclasses.replace(report, risk=risk, hold=True, conclusion=Conclusion.action_required)
    assert cases(held)["risk level"] == ["failure"]


@pytest.mark.parametrize("outcome", [Outcome.infra_failed, Outcome.timed_out, Outcome.skipped, Outcome.inert])
def test_what_did_not_run_is_never_passed(outcome: Outcome):
    report = sample.clean()
    assert report.tools is not None
    first = dataclasses.replace(report.tools.runs[0], outcome=outcome, reason="x")
    tools = dataclasses.replace(report.tools, runs=(first,))
    lost = dataclasses.replace(report, tools=tools, conclusion=Conclusion.incomplete)
    assert cases(lost)["pytest"] in (["error"], ["skipped"])
    assert (cases(lost)["pytest"] == ["error"]) == (outcome in (Outcome.infra_failed, Outcome.inert))


def test_a_tier_that_was_not_run_is_a_skipped_case():
    root = written(sample.nothing_ran())
    assert next(case.get("name") for case in root.iter("testcase")) == "Tier 1 (tool-validation)"
    assert (root.get("tests"), root.get("skipped")) == ("3", "3")


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_words_leave_the_document_as_it_is(words: str):
    text = junit.render(all_say(words))
    root = defusedxml.ElementTree.fromstring(text.encode("utf-8"))
    assert len(list(root.iter("testcase"))) == 12
    assert JUnitXml.fromstring(text.encode("utf-8")).tests == 12
