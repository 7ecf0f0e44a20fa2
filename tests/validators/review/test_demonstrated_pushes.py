"""A demonstrated finding over three pushes, with its test run for real in each head."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assay.validators.configuration.model import ValidationConfig
from assay.validators.report.model import Finding, Severity, ToolsResult, ValidationReport
from assay.validators.report.review import Fate
from assay.validators.review.earlier import EarlierFinding, ReportedFinding
from assay.validators.run.pipeline import Options, validate
from tests.fakes.model import Asked, FakeModel, Says, Step
from tests.validators.review.conftest import Files, MakeChange
from tests.validators.review.test_proving import BASE, BUG, HEAD, README, RIGHT
from tests.validators.review.test_review_change import CLAIM, NONE, Reviewer, model_at

CONFIG = ValidationConfig.model_validate(
    {
        "tier1": {"setup": "none", "commands": ["python -m pytest -q"]},
        "tier2": {"review": {"demonstrate": True}},
    }
)
TEST = {"text": RIGHT, "expectation": README}
Push = Callable[..., ValidationReport]


class Prover(Reviewer):
    """A reviewer that writes the test too, and counts how often."""

    num_tests = 0

    def __call__(self, asked: Asked) -> Step:
        if "The test becomes the file" in str(asked.body["messages"][0]):
            self.num_tests += 1
            return Says(TEST)
        return super().__call__(asked)


@pytest.fixture
def push(make_change: MakeChange) -> Push:
    """Validate a head after the last report; only the review runs."""

    def run(files: Files, reviewer: Prover, last: ValidationReport | None = None) -> ValidationReport:
        with FakeModel(answers=reviewer) as server, model_at(server) as model:
            options = Options(model=model, run_tools=lambda *_, **__: ToolsResult(), earlier=earlier(last))
            return validate(make_change(BASE, files), CONFIG, options)

    return run


def earlier(last: ValidationReport | None) -> tuple[EarlierFinding, ...]:
    """Return the findings of a report as the App gives them to the next review."""
    if last is None or last.review is None:
        return ()
    tests = {one.finding: one for one in last.review.demonstrations}
    found = {one.id: one for one in last.findings}
    given = []
    for place in last.review.places:
        one = found[place.finding]
        reported = ReportedFinding(place, one.line, one.replacement, tests.get(one.id))
        given.append(
            EarlierFinding(one.rule, one.file, f"{place.symbol}: {place.quote}", one.message, reported=reported)
        )
    return tuple(given)


def reviewed(report: ValidationReport) -> list[Finding]:
    return [one for one in report.findings if one.rule.startswith("review.")]


@pytest.mark.soak
@pytest.mark.timeout(240)
def test_the_test_of_a_finding_decides_about_it_on_each_push(push: Push):
    first = push(HEAD, reviewer := Prover())
    (finding,) = reviewed(first)
    assert finding.severity is Severity.error
    assert reviewer.num_tests == 1
    assert first.review is not None
    (shown,) = first.review.demonstrations
    assert shown.finding == finding.id
    assert any("assert 0 == 3" in line for line in shown.output)

    silent: dict[str, Any] = {"correctness": NONE}
    moved = {"shop.py": f'"""A shop."""\n\n{HEAD["shop.py"]}'}
    second = push(moved, reviewer := Prover(**silent), first)
    (again,) = reviewed(second)
    assert (again.id, again.severity, again.line) == (finding.id, Severity.error, 4)
    assert second.review is not None
    assert [(one.finding, one.path) for one in second.review.demonstrations] == [(finding.id, shown.path)]
    assert (reviewer.num_tests, reviewer.questions.count("refute")) == (0, 0), "its test says enough"

    repeated = push(moved, reviewer := Prover(correctness={"findings": [CLAIM | {"statement": "It is wrong"}]}), second)
    assert [(one.id, one.message) for one in reviewed(repeated)] == [(finding.id, finding.message)]
    assert reviewer.num_tests == 0

    fixed = {"shop.py": f"def total(items):\n    items = [None, *items]\n{BUG}\n"}
    third = push(fixed, Prover(**silent), second)
    assert reviewed(third) == []
    assert third.review is not None
    assert [(one.finding, one.why) for one in third.review.resolved] == [(finding.id, Fate.refuted)]
