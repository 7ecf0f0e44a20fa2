"""The first screen: at most three things to do, else what was verified, and what was not."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from assay.validators.render import markdown, terminal
from assay.validators.render.first_screen import MOST_UNCHECKED, to_consider, to_fix, unchecked, verified
from assay.validators.report.dependent import Affected, Dependent
from assay.validators.report.model import (
    Conclusion,
    Counts,
    Evidence,
    Finding,
    Gate,
    NotChecked,
    Outcome,
    QualityResult,
    RiskAssessment,
    RiskFactor,
    RiskLevel,
    Severity,
    Tier,
    ToolKind,
    ToolRun,
    ToolsResult,
    ValidationReport,
)
from tests.validators.render import sample


def run(name: str, kind: ToolKind, outcome: Outcome = Outcome.passed, passed: int | None = None) -> ToolRun:
    return ToolRun(name, kind, name, "Makefile", outcome, Gate.strict, 1.0, counts=Counts(passed=passed))


def warnings(count: int) -> tuple[Finding, ...]:
    severities = (Severity.info, Severity.warning, Severity.error)
    return tuple(
        Finding(Tier.quality, severities[number % 3], "rule", "a.py", f"number {number}", number, id=f"{number:012d}")
        for number in range(1, count + 1)
    )


def clean(**more: object) -> ValidationReport:
    """A successful report without findings, with two commands."""
    runs = (run("pytest", ToolKind.test, passed=312), run("ruff", ToolKind.lint))
    report = replace(
        sample.sample(),
        conclusion=Conclusion.success,
        blocking=(),
        reasons=(),
        hold=False,
        tools=ToolsResult(runs),
        quality=QualityResult(),
        files=tuple({"path": name, "asked": ()} for name in ("a.py", "b.py")),
        not_checked=(),
        risk=None,
        review=None,
    )
    return replace(report, **more)  # type: ignore[arg-type]


def screen(report: ValidationReport, width: int = 80) -> list[str]:
    file = io.StringIO()
    terminal.show(report, Console(file=file, width=width, color_system=None), whole=False)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_a_clean_change_says_what_it_passed():
    assert verified(clean()) == "312 tests passed"
    (tests, *_) = clean().tools.runs  # type: ignore[union-attr]
    failing = replace(tests, outcome=Outcome.failed, counts=replace(tests.counts, failed=3, errors=1))
    assert verified(clean(tools=ToolsResult((failing,)))) == "312 tests passed, 4 failed without blocking"
    twice = verified(clean(tools=ToolsResult((tests, replace(tests, name="tests again")))))
    assert twice == "624 tests passed in 2 commands", "they may be the same tests"
    report = sample.sample()
    assert report.risk is not None
    assert verified(clean(risk=report.risk)).startswith("312 tests passed; 3 files import what changed")
    assert verified(clean(tools=None)) == "No finding in 2 changed files"


@pytest.mark.parametrize(
    ("users", "tests", "said"),
    [
        (0, 1, "No other file imports what changed, 1 test file reaches it"),
        (1, 0, "1 file imports what changed"),
        (2, 2, "2 files import what changed, 2 test files reach it: all of them passed"),
    ],
)
def test_it_says_who_imports_what_changed(users: int, tests: int, said: str):
    dependents = (
        *(Dependent(f"src/{number}.py", 1) for number in range(users)),
        *(
            Dependent(f"tests/test_{number}.py", 1, is_test=True, affected=Affected.run_first)
            for number in range(tests)
        ),
    )
    risk = RiskAssessment(dependents=dependents, num_dependents_total=users + tests)
    passed = tuple(f"tests/test_{number}.py" for number in range(tests)) if tests == 2 else ()
    assert verified(clean(tools=ToolsResult(passed_files=passed), risk=risk)) == said
    command = run("pytest", ToolKind.test, passed=13)
    shown = verified(clean(tools=ToolsResult((command,), passed_files=passed), risk=risk))
    assert shown == f"13 tests passed; {said[0].lower()}{said[1:]}", "which files it ran is not known"
    edited = verified(clean(risk=risk, files=({"path": "tests/test_a.py", "nature": "test", "asked": []},)))
    assert ("other test file" in edited) == bool(tests), "an edited test file reaches the change too"


@pytest.mark.parametrize("conclusion", [one for one in Conclusion if one is not Conclusion.success])
def test_another_change_does_not(conclusion: Conclusion):
    assert verified(clean(conclusion=conclusion)) == ""


def test_what_was_not_validated_is_not_said_to_be_fine():
    assert verified(clean(tools=None, quality=None)) == ""
    assert "no finding" not in verified(clean(quality=QualityResult(warnings(1))))
    failing = ToolsResult((run("pytest", ToolKind.test, Outcome.failed, 3),))
    assert verified(clean(tools=failing, quality=None)) == "3 tests passed"


def test_what_blocks_goes_before_what_is_advisory():
    report = clean(quality=QualityResult(warnings(6)))
    assert [one.message for one in to_consider(report)] == ["number 2", "number 5", "number 1", "number 4"]
    blocked = replace(report, conclusion=Conclusion.failure, blocking=(f"{5:012d}",))
    assert [one.message for one in to_fix(blocked) if isinstance(one, Finding)] == ["number 5"]
    assert to_consider(blocked) == []


def test_failing_tests_go_before_a_failing_linter():
    failed = [run(name, kind, Outcome.failed) for name, kind in (("ruff", ToolKind.lint), ("pytest", ToolKind.test))]
    runs = tuple(replace(one, gating=True) for one in failed)
    report = clean(tools=ToolsResult(runs), conclusion=Conclusion.failure, blocking=("ruff", "pytest"))
    assert [one.name for one in to_fix(report) if isinstance(one, ToolRun)] == ["pytest", "ruff"]


def test_files_that_are_known_to_use_the_change_are_listed_first():
    unsure = tuple(Dependent(f"src/a{number}.py", 1) for number in range(9))
    risk = RiskAssessment(dependents=(*unsure, Dependent("src/z.py", 1, uses=("price",))), num_dependents_total=10)
    assert "src/z.py uses price" in terminal.render(clean(risk=risk))


def test_three_things_are_shown_and_the_rest_counted():
    report = clean(quality=QualityResult(warnings(12)))
    lines = screen(report)
    assert [line.split()[0] for line in lines if line[:2] in ("1.", "2.", "3.", "4.")] == ["1.", "2.", "3."]
    assert any(line.strip() == "and 5 more" or "5 more" in line for line in lines)
    text = markdown.summary(report)
    assert "3. " in text
    assert "4. " not in text
    assert "and 5 more, in the whole report." in text


def test_what_was_not_checked_is_named_without_its_reasons():
    notes = tuple(NotChecked(f"part {number}", "no time") for number in range(MOST_UNCHECKED + 2))
    report = clean(not_checked=notes)
    assert unchecked(report) == "part 0; part 1; part 2; part 3; part 4; and 2 more"
    assert "no time" not in "\n".join(screen(report))
    assert "Not checked: part 0" in "\n".join(screen(report))
    assert unchecked(clean()) == ""


def test_a_command_without_a_result_is_named_with_its_reason():
    lost = replace(run("make test", ToolKind.test, Outcome.inert), reason="go: not found; declare go")
    report = clean(tools=ToolsResult((lost,)), quality=QualityResult(warnings(1)[:1]), risk=None)
    assert unchecked(report) == "make test (go: not found)"
    text = markdown.render(report)
    assert "**Not checked:** make test (go: not found)\n" in text
    assert "- **make test**: go: not found; declare go\n" in text
    assert "All requested checks ran" not in text
    assert "all requested checks ran" not in terminal.render(report)


def test_a_failing_command_without_findings_shows_the_line_that_says_why():
    failed = replace(run("make verify", ToolKind.lint, Outcome.failed), gating=True, reason="it passes on the base")
    failed = replace(failed, excerpt=("installing", "error: no rule for x", "make: leaving"))
    report = clean(tools=ToolsResult((failed,)), conclusion=Conclusion.failure, blocking=("make verify",))
    assert "   - `error: no rule for x`\n" in markdown.summary(report)
    last = replace(failed, excerpt=("installing", "2 of 3 differ"))
    assert "   - `2 of 3 differ`\n" in markdown.summary(replace(report, tools=ToolsResult((last,))))


def test_an_empty_first_screen_has_no_placeholder():
    only_info = replace(warnings(1)[0], severity=Severity.info)
    report = clean(tools=None, quality=QualityResult((only_info,)))
    assert verified(report) == ""
    assert "(nothing)" not in markdown.summary(report)


@pytest.mark.parametrize("width", [80, 120])
def test_the_first_screen_of_a_large_report_is_one_screen(width: int):
    assert len(screen(sample.sample(), width)) <= 40
    assert len(screen(clean(), width)) <= 12


def test_a_held_change_names_the_floors_with_their_places():
    places = (Evidence("tool follows the branch main", "ci.yml", 3),)
    floor = RiskFactor("ci", RiskLevel.critical, "critical because x", evidence=places, would_lower="pin it")
    risk = RiskAssessment(RiskLevel.critical, factors=(floor,), set_by=("policy",))
    reasons = ("critical risk, set by policy: approval required", "held by ada")
    held = clean(conclusion=Conclusion.action_required, hold=True, reasons=reasons, risk=risk)
    text = markdown.summary(held)
    assert (
        "## Approval required\n\n- `ci` in `ci.yml:3`: tool follows the branch main\\\n  → pin it\n- held by ada\n"
        in text
    )
    assert "because x" not in text
