"""Words that are the same in every format."""

from __future__ import annotations

import dataclasses

import pytest

from assay.validators.render import markdown
from assay.validators.render.dependents import dependents_in_words, first_tests_in_words
from assay.validators.render.phrases import commands_in_words, counted, findings_of, number, open_questions
from assay.validators.report.dependent import Affected, Dependent
from assay.validators.report.model import (
    NOT_RUN_HERE,
    OWN_COMMANDS,
    Counts,
    Finding,
    NotChecked,
    Outcome,
    RiskAssessment,
    Severity,
    Tier,
    ToolsResult,
    ValidationReport,
)
from assay.validators.report.unknown import Question, Unknown
from tests.validators.render import sample


def with_commands(*runs: tuple[str, str, Outcome]) -> ValidationReport:
    """A report with these commands (name, line, outcome), an error of jest and a warning of ruff."""
    made = tuple(
        dataclasses.replace(sample.tools_result().runs[0], name=name, command=command, outcome=outcome)
        for name, command, outcome in runs
    )
    findings = (
        Finding(Tier.tools, Severity.error, "test_failed", "a.test.ts", "adds", 3, tool="jest"),
        Finding(Tier.tools, Severity.warning, "B007", "a.py", "unused", 4, tool="ruff"),
    )
    return dataclasses.replace(sample.sample(), tools=ToolsResult(runs=made, findings=findings))


def tools_of(report: ValidationReport) -> list[list[str | None]]:
    assert report.tools is not None
    return [[finding.tool for finding in findings_of(report, run)] for run in report.tools.runs]


def test_findings_belong_to_the_command_that_names_their_tool():
    report = with_commands(("lint", "ruff check .", Outcome.failed), ("tests", "npx jest", Outcome.failed))
    assert tools_of(report) == [["ruff"], ["jest"]]


def test_errors_nobody_names_belong_to_the_one_command_that_failed_without_any():
    report = with_commands(("lint", "ruff check .", Outcome.failed), ("test", "npm test", Outcome.failed))
    assert tools_of(report) == [["ruff"], ["jest"]]


def test_errors_nobody_names_belong_to_neither_of_two():
    report = with_commands(("test", "npm test", Outcome.failed), ("check", "make check", Outcome.failed))
    assert tools_of(report) == [[], []]


def test_a_command_that_passed_gets_no_errors_of_others():
    report = with_commands(("test", "npm test", Outcome.passed), ("check", "make check", Outcome.failed))
    assert tools_of(report) == [[], ["jest"]]


def test_failed_tests_do_not_belong_to_a_build_of_the_same_tool_that_passed():
    report = with_commands(("build", "jest --build", Outcome.passed), ("test", "make test", Outcome.failed))
    assert tools_of(report) == [[], ["jest"]]


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (Counts(), ""),
        (Counts(passed=42, failed=0), "42 passed, 0 failed"),
        (Counts(passed=1, failed=0, skipped=0, errors=0, warnings=3), "1 passed, 0 failed, 3 warnings"),
        (Counts(errors=0, warnings=2), "0 errors, 2 warnings"),
        (Counts(errors=1), "1 error"),
        (Counts(passed=3, failed=1, skipped=2, errors=1), "3 passed, 1 failed, 2 skipped, 1 error"),
    ],
)
def test_counts_are_said_as_far_as_they_are_known(counts: Counts, words: str):
    assert counted(counts) == words


@pytest.mark.parametrize(
    ("dependents", "total", "words"),
    [
        ((), 0, "None found"),
        ((Dependent("a.py", 1),), 1, "1 module imports from changed files"),
        ((Dependent("a.py", 1), Dependent("b.py", 2)), 2, "1 module imports from changed files (1 indirect)"),
        ((Dependent("t.py", 1, is_test=True),), 1, "0 modules import from changed files (1 test file)"),
        (
            (Dependent("a.py", 1), Dependent("b.py", 1)),
            700,
            "at least 2 modules import from changed files (700 dependents in all)",
        ),
    ],
)
def test_dependents_are_counted_by_how_near_they_are(dependents: tuple[Dependent, ...], total: int, words: str):
    risk = RiskAssessment(dependents=dependents, num_dependents_total=total)
    assert dependents_in_words(dataclasses.replace(sample.sample(), risk=risk), risk) == words


@pytest.mark.parametrize(
    ("value", "words"), [(None, ""), (82, "82"), (0.5, "0.5"), (1_234_567.0, "1234567"), ("3 of 5", "3 of 5")]
)
def test_figures_are_written_plainly(value: float | str | None, words: str):
    assert number(value) == words


def test_scanners_alone_do_not_pass_for_the_repositorys_own_commands():
    left = (NotChecked(OWN_COMMANDS, NOT_RUN_HERE),)
    report = dataclasses.replace(with_commands(("semgrep", "semgrep", Outcome.passed)), not_checked=left)
    assert commands_in_words(report) == "1 command: 1 passes; the repository's own commands were not run"
    nothing = dataclasses.replace(with_commands(), not_checked=left)
    assert commands_in_words(nothing) == "the repository's own commands were not run"
    assert commands_in_words(with_commands()) == "no command found"
    assert "- The repository's own commands were not run\n" in markdown.render(nothing)


@pytest.mark.parametrize(
    ("outcome", "failing", "passed", "words"),
    [
        (Outcome.passed, (), (), "the test commands passed"),
        (Outcome.failed, (), (), ""),
        (Outcome.failed, ("t.py", "other.py"), (), "1 of them fails, no result names the other 1"),
        (Outcome.failed, ("t.py",), ("s.py", "u.py"), "1 of them passed, 1 fails"),
        (Outcome.failed, ("t.py", "s.py"), ("t.py",), "2 of them fail"),
        (Outcome.failed, ("u.py",), ("s.py", "t.py"), "all of them passed"),
        (Outcome.passed, (), ("s.py",), "1 of them passed, no result names the other 1"),
        (Outcome.timed_out, (), (), ""),
    ],
)
def test_tests_to_run_first_are_called_passed_only_with_their_command(
    outcome: Outcome, failing: tuple[str, ...], passed: tuple[str, ...], words: str
):
    first = [Dependent(path, 1, is_test=True, affected=Affected.run_first) for path in ("t.py", "s.py")]
    risk = RiskAssessment(dependents=(*first, Dependent("u.py", 1, is_test=True)))
    report = with_commands(("pytest", "pytest", outcome))
    assert report.tools is not None
    found = tuple(Finding(Tier.tools, Severity.error, "test_failed", file, "no") for file in failing)
    report = dataclasses.replace(report, tools=dataclasses.replace(report.tools, findings=found, passed_files=passed))
    assert first_tests_in_words(report, risk) == words
    assert first_tests_in_words(report, RiskAssessment()) == ""


def test_a_question_that_two_files_leave_open_is_asked_once():
    unknown = tuple(Unknown(Question.schema, "Python", "no reader", (path,)) for path in ("a.py", "b.py"))
    report = dataclasses.replace(sample.clean(), risk=RiskAssessment(unknown=unknown))
    assert open_questions(report) == [("Python (2 files): database schema", "unknown, no reader")]
