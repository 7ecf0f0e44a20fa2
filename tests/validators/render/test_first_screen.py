"""The first screen: the gravest statements of all tiers, what was verified, how likely a fix is, what is unchecked."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from assay.validators.configuration.model import ValidationConfig
from assay.validators.policy.verdict import decide
from assay.validators.render import markdown, terminal
from assay.validators.render.first_screen import MOST_UNCHECKED
from assay.validators.report.gravity import TABLE, Gravity, gravity_of
from assay.validators.report.model import (
    Conclusion,
    Counts,
    Evidence,
    Finding,
    Gate,
    Likelihood,
    Outcome,
    QualityResult,
    RiskAssessment,
    RiskLevel,
    Severity,
    Statement,
    Tier,
    ToolKind,
    ToolRun,
    ToolsResult,
    ValidationReport,
)
from assay.validators.report.risk_facts import Affected, ApiChange, ApiChangeKind, Dependent, ObservedRate
from assay.validators.report.statements import grouped, statements_of
from assay.validators.report.unknown import NotChecked
from assay.validators.risk.level import levelled
from tests.validators.render import sample


def run(name: str, kind: ToolKind, outcome: Outcome = Outcome.passed, passed: int | None = None) -> ToolRun:
    return ToolRun(name, kind, name, "Makefile", outcome, Gate.strict, 1.0, counts=Counts(passed=passed))


def warnings(count: int) -> tuple[Finding, ...]:
    severities = (Severity.info, Severity.warning, Severity.error)
    return tuple(
        Finding(
            Tier.quality,
            severities[number % 3],
            f"rule{number}",
            "a.py",
            f"number {number}",
            number,
            id=f"{number:012d}",
        )
        for number in range(1, count + 1)
    )


def said(kind: str, line: int | None = None, **more: Any) -> Statement:
    """A statement with the gravity of its kind."""
    return Statement(kind, kind, "a.py", line, signal="s", gravity=gravity_of(kind, is_seed=False), **more)


def clean(**more: object) -> ValidationReport:
    """A successful report without findings, with two commands."""
    runs = (run("pytest", ToolKind.test, passed=312), run("ruff", ToolKind.lint))
    report = replace(
        sample.sample(),
        conclusion=Conclusion.success,
        blocking=(),
        reasons=(),
        hold=False,
        files=tuple({**sample.changed(name), "asked": []} for name in ("a.py", "b.py")),
        not_checked=(),
        review=None,
    ).with_tiers(tools=ToolsResult(runs), quality=QualityResult(), risk=None)
    report = sample.replaced(report, **more)
    return replace(report, statements=statements_of(report.tools, report.quality, report.risk, report.blocking))


def verified(report: ValidationReport) -> str:
    return "; ".join(one for one in sample.facts(report) if not one.startswith(("Changes like", "Not checked")))


def screen(report: ValidationReport, width: int = 80) -> list[str]:
    file = io.StringIO()
    terminal.show(report, Console(file=file, width=width, color_system=None), whole=False)
    return [line.rstrip() for line in file.getvalue().splitlines()]


# ------------------------------------------------------------------ order


def test_the_gravest_come_first_whoever_found_them():
    runs = tuple(
        replace(run(name, kind, Outcome.failed), gating=True, base_outcome=Outcome.passed)
        for name, kind in (("ruff", ToolKind.lint), ("pytest", ToolKind.test))
    )
    risk = levelled(RiskAssessment(statements=tuple(map(said, ("new_dependency", "guard_removed", "access_opened")))))
    finding = Finding(Tier.quality, Severity.error, "complexity", "b.py", "long", 3, id="5" * 12)
    report = clean(
        tools=ToolsResult(runs),
        quality=QualityResult((finding, *warnings(2))),
        risk=risk,
        blocking=("pytest", "ruff", finding.id),
        conclusion=Conclusion.failure,
    )
    order = [one.signal if one.kind.endswith("fails") else one.kind for one in report.statements]
    assert order == [
        *("pytest", "guard_removed", "ruff", "finding", "access_opened", "new_dependency", "finding", "finding")
    ]
    found = sample.said(report)
    assert found.title == "Fix these"
    assert [one.label for one in found.rows] == ["Tests", "Access check removed", "Lint"]
    assert (found.rows[0].text, found.rows[0].rule) == ("pytest fails, and passed on the base", "pytest")
    assert "and 5 more, in the whole report" in markdown.summary(report)


def test_what_a_scanner_found_stands_for_the_scanner():
    token = Finding(
        Tier.tools, Severity.error, "token", "k.py", "a token", 1, tool="semgrep", id="7" * 12, is_secret=True
    )
    scan = replace(run("semgrep", ToolKind.sast, Outcome.failed), gating=True)
    report = clean(tools=ToolsResult((scan,), (token,)), blocking=("semgrep",), conclusion=Conclusion.failure)
    assert [(one.kind, one.is_blocking) for one in report.statements] == [("secret", True)]
    assert [(one.label, one.place) for one in sample.said(report).rows] == [("Secret in the source", "k.py:1")]
    silent = clean(tools=ToolsResult((scan,)), blocking=("semgrep",), conclusion=Conclusion.failure)
    assert [one.label for one in sample.said(silent).rows] == ["Security scan"]


def test_flaky_tests_are_one_statement():
    flaky = [
        Finding(
            Tier.tools, Severity.warning, "flaky_test", "test_a.py", f"`{name}` failed in 1 of 3 runs", id=name * 12
        )
        for name in "abc"
    ]
    report = clean(tools=ToolsResult((run("pytest", ToolKind.test, passed=3),), tuple(flaky)))
    (row,) = sample.said(report).rows
    assert (row.label, row.text, len(row.details)) == ("Flaky test", "`a` failed in 1 of 3 runs", 2)


@pytest.mark.parametrize(
    ("dependents", "total", "num_tests", "shown"),
    [
        ((Dependent("test_a.py", 1, is_test=True),), 1, 3, True),
        ((Dependent("b.py", 1),), 1, 3, False),
        ((Dependent("b.py", 1),), 9, 3, True),
        ((), 0, 0, True),
    ],
)
def test_a_missing_test_is_said_first_where_tests_reach_the_change(
    dependents: tuple[Dependent, ...], total: int, num_tests: int, shown: bool
):
    finding = Finding(Tier.quality, Severity.info, "test_integrity.untested", "", "no test did", None, id="4" * 12)
    risk = RiskAssessment(dependents=dependents, num_dependents_total=total, num_tests_total=num_tests)
    report = clean(quality=QualityResult((finding,)), risk=risk)
    assert [one.label for one in sample.said(report).rows] == (["Untested"] if shown else [])


def test_one_place_is_said_once_and_a_remark_not_at_all():
    statements = (said("danger", 3), said("sensitive_name", 9), said("agent_settings", 3), said("agent_settings", 4))
    report = clean(risk=RiskAssessment(statements=statements))
    assert [(one.label, one.place) for one in sample.said(report).rows] == [
        ("Dangerous code", "a.py:3"),
        ("Settings of coding agents", "a.py:4"),
    ]


def test_findings_of_one_rule_are_one_statement_and_a_blocking_one_stands_alone():
    findings = tuple(replace(one, rule="duplication", severity=Severity.warning) for one in warnings(4))
    report = clean(quality=QualityResult(findings), blocking=(findings[3].id,))
    found = sample.said(report).rows
    assert [(one.place, [each.place for each in one.details]) for one in found] == [
        ("a.py:4", []),
        ("a.py:1", ["a.py:2", "a.py:3"]),
    ]


def test_three_are_shown_and_the_rest_counted():
    report = clean(quality=QualityResult(warnings(12)))
    lines = screen(report)
    assert [line.split()[0] for line in lines if line[:5].strip() in ("1.", "2.", "3.", "4.")] == ["1.", "2.", "3."]
    assert any("and 5 more" in line for line in lines)
    text = markdown.summary(report)
    assert "3. " in text
    assert "4. " not in text
    assert "and 5 more, in the whole report" in text


def test_places_of_one_kind_are_one_statement():
    found = [replace(said("danger", number), text=f"eval {number}") for number in range(1, 30)]
    (one,) = grouped(found)
    assert (one.text, one.line, len(one.evidence)) == ("eval 1", 1, 21)
    assert one.evidence[-1] == Evidence("and 8 more")
    assert one.advice == "avoid the dangerous construct"


def test_the_policy_of_the_specification_raises_and_never_lowers():
    for kind in TABLE:
        assert kind.seed is None or kind.seed.rank > kind.gravity.rank, kind
        assert kind.label
        assert kind.gravity is not Gravity.critical or kind.advice, "what holds a change says what to do"


@pytest.mark.parametrize(("level", "icon"), [("low", "✅"), ("medium", "✅"), ("high", "🟠"), ("critical", "🔴")])
def test_no_green_tick_stands_beside_a_high_risk(level: str, icon: str):
    text = markdown.render(clean(risk=RiskAssessment(RiskLevel(level))))
    assert text.startswith(f"# {icon} ")


# ------------------------------------------------------------------ likelihood


@pytest.mark.parametrize(
    ("percentile", "times", "num", "words"),
    [
        (
            90.0,
            2.13,
            74,
            "Changes like this one needed a fix within a year 2.1 times as often as average here (n = 74)",
        ),
        (60.0, 0.84, 90, "0.8 times as often as average here (n = 90), so less often than most"),
        (60.0, 1.02, 90, "about as often as most here (n = 90)"),
        (11.4, 2.0, 49, "its score is above that of 11 % of the last 500 source changes"),
        (100.0, None, 0, "its score is above that of 99 % of the last 500 source changes"),
    ],
)
def test_the_likelihood_is_given_in_numbers(percentile: float, times: float | None, num: int, words: str):
    rate = ObservedRate(0.1, num, times, "this repository") if times else None
    risk = levelled(RiskAssessment(likelihood=Likelihood(RiskLevel.high, percentile, "model", 500, rate=rate)))
    assert words in sample.facts(clean(risk=risk))[-1]


def test_a_change_without_source_is_compared_with_nothing():
    risk = levelled(RiskAssessment(likelihood=Likelihood(RiskLevel.low, 0.0, "model", 0, note="no source")))
    assert sample.facts(clean(risk=risk)) == ["312 tests passed"]


# ------------------------------------------------------------------ what was verified


def test_a_clean_change_says_what_it_passed():
    assert verified(clean()) == "312 tests passed"
    (tests, *_) = clean().tools.runs  # type: ignore[union-attr]
    failing = replace(tests, outcome=Outcome.failed, counts=replace(tests.counts, failed=3, errors=1))
    assert verified(clean(tools=ToolsResult((failing,)))) == "312 tests passed, 4 failed without blocking"
    twice = verified(clean(tools=ToolsResult((tests, replace(tests, name="tests again")))))
    assert twice == "624 tests passed in 2 commands", "they may be the same tests"
    assert verified(clean(tools=None, quality=None)) == ""
    assert verified(clean(tools=None, quality=QualityResult(warnings(1)))) == ""


def test_a_clean_change_names_what_it_adds_to_the_public_api():
    kinds = ApiChangeKind.non_breaking, ApiChangeKind.unknown
    changes = [ApiChange(kind, f"thing.{name}", "new function", "a.py", 1) for name in "abcd" for kind in kinds]
    risk = RiskAssessment(api_changes=tuple(changes))
    said = "public API changed without a break: thing.a, thing.b, thing.c and 1 more"
    assert verified(clean(risk=risk)) == f"312 tests passed; {said}"


@pytest.mark.parametrize(
    ("users", "tests", "words"),
    [
        (0, 1, "1 module imports from changed files (1 test file); 1 test file to run first"),
        (1, 0, "2 modules import from changed files (1 using `f`)"),
        (2, 2, "3 modules import from changed files (2 using `f`, 2 test files); 2 test files (of 9)"),
    ],
)
def test_it_says_who_imports_what_changed(users: int, tests: int, words: str):
    dependents = (
        *(Dependent(f"src/{number}.py", 1, uses=("f",)) for number in range(users)),
        Dependent("src/importer.py", 1),
        *(
            Dependent(f"tests/test_{number}.py", 1, is_test=True, affected=Affected.run_first)
            for number in range(tests)
        ),
    )
    total = 9 if tests == 2 else 0
    risk = RiskAssessment(dependents=dependents, num_dependents_total=users + tests + 1, num_tests_total=total)
    passed = tuple(f"tests/test_{number}.py" for number in range(tests)) if tests == 2 else ()
    passes = " to run first: 2 passed" if passed else ""
    assert verified(clean(tools=ToolsResult(passed_files=passed), risk=risk)) == f"{words}{passes}"


@pytest.mark.parametrize("conclusion", [one for one in Conclusion if one is not Conclusion.success])
def test_another_change_does_not(conclusion: Conclusion):
    assert verified(clean(conclusion=conclusion)) == ""


# ------------------------------------------------------------------ what was not checked, and what is asked


def test_what_was_not_checked_is_named_without_its_reasons():
    notes = tuple(NotChecked(f"part {number}", "no time") for number in range(MOST_UNCHECKED + 2))
    report = clean(not_checked=notes)
    assert sample.facts(report)[-1] == "Not checked: part 0; part 1; part 2; part 3; part 4; and 2 more"
    assert "no time" not in "\n".join(screen(report))
    assert "Not checked: part 0" in "\n".join(screen(report))
    assert sample.facts(clean()) == ["312 tests passed"]


def test_a_command_without_a_result_is_named_with_its_reason():
    lost = replace(run("make test", ToolKind.test, Outcome.inert), reason="go: not found; declare go")
    report = clean(tools=ToolsResult((lost,)))
    assert sample.facts(report) == ["Not checked: make test (go: not found)"]
    text = markdown.render(report)
    assert "- **make test**: go: not found; declare go\n" in text
    assert "All requested checks ran" not in text + terminal.render(report)


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (("installing", "error: no rule for x", "make: leaving"), "error: no rule for x"),
        (("installing", "2 of 3 differ"), "2 of 3 differ"),
    ],
)
def test_a_failing_command_without_findings_shows_the_line_that_says_why(output: tuple[str, ...], line: str):
    failed = replace(run("make verify", ToolKind.lint, Outcome.failed), gating=True, excerpt=output)
    report = clean(tools=ToolsResult((failed,)), conclusion=Conclusion.failure, blocking=("make verify",))
    assert f"   - `{line}`\n" in markdown.summary(report)


def test_a_held_change_says_what_holds_it_and_who_else():
    floor = replace(said("ci_loosened", 3), text="tool follows the branch main", advice="pin it")
    risk = levelled(RiskAssessment(statements=(floor,)))
    verdict = decide(ValidationConfig(), None, None, risk)
    reasons = (*verdict.reasons, "held by ada")
    held = clean(conclusion=verdict.conclusion, hold=True, reasons=reasons, risk=risk, tools=None)
    text = markdown.summary(held)
    assert "1. **CI loosened**: tool follows the branch main — `a.py:3`\\\n   → pin it" in text
    assert "## Approval required\n\n- critical risk, set by policy: approval required\n- held by ada" in text


@pytest.mark.parametrize(
    ("parts", "heading"),
    [
        ({"conclusion": Conclusion.action_required, "hold": True}, "Approval required"),
        ({"conclusion": Conclusion.action_required, "configuration_at_fault": True}, "Fix the configuration"),
        ({"conclusion": Conclusion.incomplete}, "Some checks could not run"),
    ],
)
def test_a_person_is_told_what_is_asked_and_why(parts: dict[str, Any], heading: str):
    text = markdown.render(clean(reasons=("because",), **parts))
    assert f"## {heading}\n\n- because" in text


@pytest.mark.parametrize("width", [80, 120])
def test_it_is_one_screen(width: int):
    assert len(screen(sample.sample(), width)) <= 25
    assert len(screen(clean(), width)) <= 6
