"""A review asks, refutes and reports few findings, and counts every claim it does not report."""

from __future__ import annotations

from typing import Any

import pytest

from assay.llm import ModelUnavailable
from assay.llm.language_model import WhyUnavailable
from assay.validators.report.identity import identified
from assay.validators.report.model import Severity
from assay.validators.report.review import ReviewQuestion
from assay.validators.review.claims import Claim, Dropped
from assay.validators.review.earlier import EarlierFinding
from assay.validators.review.prompting import NAMES, prompt
from assay.validators.review.reviewing import Part, Proof, Review, Reviewed
from tests.validators.review.conftest import MakeChange, Scripted

LINES = [f"    value_{number} = compute({number})" for number in range(12)]
BASE = {"app.py": "def run():\n    return None\n"}
HEAD = {"app.py": "def run():\n" + "\n".join(LINES) + "\n    return None\n"}
STANDS = {
    "verdict": "stands",
    "reason": "it is so",
    "evidence": [{"side": "head", "path": "app.py", "quote": LINES[0]}],
}


def claim(number: int, **other: Any) -> dict[str, Any]:
    return {
        "aspect": "behaviour",
        "place": {"side": "head", "path": "app.py", "quote": LINES[number]},
        "statement": f"value_{number} is computed and dropped",
        "input": "run()",
        "expected": f"value {number}",
        "actual": "None",
        "consequence": "wrong_result",
        "evidence": [],
        "fix": None,
    } | other


class Model:
    """Both askers: claims for the first question, and a verdict for each refutation."""

    def __init__(self, *claims: Any, verdict: Any = STANDS) -> None:
        self.ask = Scripted(lambda _, question: {"findings": list(claims) if "wrong result" in question else []})
        self.refute = Scripted(lambda *_: verdict)


@pytest.fixture
def review(make_change: MakeChange):
    change = make_change(BASE, HEAD)

    def run(model: Model, **options: Any) -> Reviewed:
        parts = [Part(("app.py",), "facts about app.py")]
        return Review(change, parts, model.ask, model.refute, **options).run()

    return run


def test_a_claim_that_stands_is_a_warning_with_place_and_message(review: Any):
    (finding,) = review(Model(claim(3))).findings
    assert (finding.rule, finding.severity, finding.file, finding.line) == (
        "review.correctness",
        Severity.warning,
        "app.py",
        5,
    )
    assert finding.tool == "model"
    assert "Input: run()" in finding.message


@pytest.mark.parametrize(
    ("verdict", "why"),
    [
        (STANDS | {"verdict": "refuted"}, Dropped.refuted),
        (STANDS | {"verdict": "cannot_tell"}, Dropped.not_upheld),
        (STANDS | {"evidence": []}, Dropped.not_upheld),
        (
            STANDS | {"evidence": [{"side": "head", "path": "app.py", "quote": "    value_99 = compute(99)"}]},
            Dropped.not_upheld,
        ),
        (STANDS | {"evidence": "app.py"}, Dropped.not_upheld),
        ({}, Dropped.not_upheld),
        (ModelUnavailable("no budget", WhyUnavailable.budget), Dropped.no_refutation),
    ],
)
def test_nothing_is_reported_that_was_not_upheld(review: Any, verdict: Any, why: Dropped):
    reviewed = review(Model(claim(3), verdict=verdict))
    assert (reviewed.findings, reviewed.dropped[why]) == ([], 1)
    assert len(reviewed.not_checked) == (1 if why is Dropped.no_refutation else 0)


def test_at_most_five_findings_are_reported_and_the_worst_are_refuted_first(review: Any):
    claims = [claim(number, consequence="maintenance") for number in range(8)]
    model = Model(*claims, claim(9, consequence="security"))
    reviewed = review(model)
    assert len(reviewed.findings) == 5
    assert reviewed.dropped[Dropped.over_limit] == 4
    assert "value_9" in model.refute.asked[0][0]
    assert len(model.refute.asked) == 5


def test_every_claim_is_reported_or_counted(review: Any):
    reviewed = review(Model(claim(0), claim(0), claim(1, statement="It might fail"), claim(2, place="app.py"), None))
    assert reviewed.num_claims == 5
    assert len(reviewed.findings) + sum(reviewed.dropped.values()) == 5


def test_a_question_without_an_answer_is_not_checked_and_the_others_count(review: Any):
    def answers(_: str, question: str) -> Any:
        if "leave behind" in question:
            return ModelUnavailable("the server is overloaded", WhyUnavailable.busy)
        return {"findings": [claim(1)] if "wrong result" in question else []}

    model = Model()
    model.ask = Scripted(answers)
    reviewed = review(model)
    assert [one.what for one in reviewed.not_checked] == ["review for contract of app.py"]
    assert len(reviewed.findings) == 1


@pytest.mark.parametrize(
    ("proof", "severity"),
    [
        (Proof(is_demonstrated=True), Severity.warning),
        (Proof(is_demonstrated=True, is_expectation_quoted=True), Severity.error),
        (Proof(), Severity.warning),
    ],
)
def test_only_a_demonstration_with_a_quoted_expectation_is_an_error(review: Any, proof: Proof, severity: Severity):
    reviewed = review(Model(claim(3)), prove=lambda _: proof)
    assert [one.severity for one in reviewed.findings] == [severity]
    assert len(reviewed.demonstrated) == proof.is_demonstrated


def test_a_claim_that_its_test_refutes_is_dropped(review: Any):
    reviewed = review(Model(claim(3)), prove=lambda _: Proof(dropped=Dropped.not_demonstrated))
    assert (reviewed.findings, reviewed.dropped[Dropped.not_demonstrated]) == ([], 1)


def test_only_correctness_is_demonstrated(review: Any):
    asked: list[Claim] = []

    def prove(one: Claim) -> Proof:
        asked.append(one)
        return Proof()

    secret = {"aspect": "injection", "path": "run", "effect": "code", "evidence": [claim(0)["place"]]}
    model = Model()
    model.ask = Scripted(lambda _, question: {"findings": [claim(3, **secret)] if "sender" in question else []})
    assert len(review(model, prove=prove).findings) == 1
    assert not asked


def test_a_finding_keeps_its_id_when_it_is_worded_and_quoted_differently(review: Any):
    (first,) = identified(review(Model(claim(3))).findings)
    earlier = EarlierFinding(first.rule, first.file, first.context, first.message)
    two_lines = claim(3, statement="The third value is lost")
    two_lines["place"] = two_lines["place"] | {"quote": LINES[3].replace("    ", "", 1)}
    (second,) = identified(review(Model(two_lines), earlier=[earlier]).findings)
    assert second.id == first.id


def test_what_was_dismissed_three_times_is_held_back(review: Any):
    (told,) = review(Model(claim(3))).findings
    dismissed = EarlierFinding(told.rule, "other.py", "f: g", told.message, is_dismissed=True)
    assert len(review(Model(claim(3)), earlier=[dismissed] * 2).findings) == 1
    held_back = review(Model(claim(3)), earlier=[dismissed] * 3)
    assert (held_back.findings, held_back.dropped[Dropped.dismissed]) == ([], 1)


def test_the_refutation_does_not_see_the_evidence_of_the_claim(review: Any):
    model = Model(claim(3, evidence=[{"side": "head", "path": "app.py", "quote": LINES[11]}]))
    review(model)
    facts, question = model.refute.asked[0]
    assert question == prompt("refute").text
    assert "> 5: " + LINES[3] in facts


def test_every_prompt_has_a_version_and_a_hash():
    assert all(prompt(name).version >= 1 for name in NAMES)
    assert len({prompt(name).digest for name in NAMES}) == len(NAMES)
    assert set(ReviewQuestion) <= set(NAMES)
