"""The whole report below the first screen: the three tiers and the sections of details."""

from __future__ import annotations

import dataclasses
import re

import pytest

from assay.validators.render import markdown, sarif, terminal
from assay.validators.report.gravity import Gravity, gravity_of
from assay.validators.report.identity import identified
from assay.validators.report.model import (
    REPORTED,
    Counts,
    Evidence,
    Finding,
    Likelihood,
    Outcome,
    QualityResult,
    RiskAssessment,
    RiskLevel,
    Severity,
    Statement,
    Tier,
    ToolKind,
    ToolsResult,
    ValidationReport,
)
from assay.validators.report.risk_facts import (
    Affected,
    ApiChange,
    ApiChangeKind,
    Dependent,
    LikelihoodFactor,
    NewDependency,
)
from assay.validators.report.statements import statements_of
from assay.validators.risk.level import levelled
from tests.validators.render import sample


@pytest.mark.parametrize(
    ("likely", "floor", "by", "lowered", "is_reviewed"),
    [
        ("high", None, "Level set by: likelihood", ["smaller changes"], True),
        ("low", "guard_removed", "Level set by: impact (Access check removed)", ["keep the check"], True),
        ("critical", "guard_removed", "likelihood and impact (", ["keep the check", "smaller changes"], True),
        ("medium", "large", "Level set by: likelihood", ["smaller changes"], False),
        ("low", None, "Risk level: Low", [], False),
    ],
)
def test_the_report_states_what_set_the_level_and_what_would_lower_it(likely, floor, by, lowered, is_reviewed):
    gravity = gravity_of(floor or "remark", is_seed=False)
    stated = (Statement(floor, "x", "a.py", 3, "keep the check", gravity=gravity),) if floor else ()
    risk = levelled(RiskAssessment(statements=stated, likelihood=Likelihood(RiskLevel(likely), 90.0, "size", 0)))
    report = sample.sample().with_tiers(risk=risk)
    for text in (terminal.render, sarif.render, markdown.render):
        written = " ".join(text(report).split())
        assert by in written
        assert [words for words in ("keep the check", "smaller changes") if words in written] == lowered
    assert ("A thorough review is recommended" in written) is is_reviewed


def test_the_features_that_move_the_likelihood_most_are_named():
    factors = tuple(LikelihoodFactor(f"f{n}", 1, 9.0, n - 3, f"has feature {n}") for n in range(7))
    risk = levelled(RiskAssessment(likelihood=Likelihood(RiskLevel.high, 90.0, "model", 500, factors)))
    text = markdown.render(sample.sample().with_tiers(risk=risk))
    named = [line[4:] for line in text.splitlines() if "because it has feature" in line]
    assert named == [
        *("lower because it has feature 0", "higher because it has feature 6"),
        *("lower because it has feature 1", "higher because it has feature 5"),
    ]


def test_every_statement_of_the_tier_has_its_place_and_at_most_six_more():
    more = tuple(Evidence(f"eval {number}", "b.py", number) for number in range(1, 9))
    one = Statement("danger", "eval 0", "a.py", 7, evidence=more, signal="s", gravity=Gravity.critical)
    text = markdown.details(sample.sample().with_tiers(risk=levelled(RiskAssessment(statements=(one,)))))
    assert "- **🔴 Dangerous code**: eval 0 — `a.py:7`\n  - `b.py:1` eval 1\n" in text
    assert "eval 6" in text
    assert "  - and 2 more\n" in text
    assert "eval 7" not in text


def test_the_blast_radius_gives_symbols_owners_and_tests_apart_and_says_what_is_uncertain():
    text = markdown.render(sample.sample())
    dependents, tests = text.split("- **Dependents**")[1].split("- **Tests to run first**")
    assert "  - `src/app/main.py` uses `send`, owned by `@acme/app`, reached from `command serve`\n" in dependents
    assert "  - `src/app/jobs.py` uses `send`, may use `Client.close`\n" in dependents
    assert "  - `src/cli/main.py` through `src/cli/upload.py`\n" in dependents
    assert tests.startswith("\n  - `tests/test_client.py` uses `Client`\n")
    assert "3 modules import from changed files (2 using `send`, 1 indirect, 1 test file); 1 test file to" in text


@pytest.mark.parametrize(
    ("dependents", "total", "words"),
    [
        ((), 0, "None found"),
        ((Dependent("a.py", 1),), 1, "1 module imports from changed files"),
        ((Dependent("a.py", 1), Dependent("b.py", 2)), 2, "1 module imports from changed files (1 indirect)"),
        ((Dependent("t.py", 1, is_test=True),), 1, "only 1 test file depends on changed files"),
        ((Dependent("a.py", 1), Dependent("b.py", 1)), 700, "2 modules import from changed files (698 not listed)"),
    ],
)
def test_dependents_are_counted_by_how_near_they_are(dependents: tuple[Dependent, ...], total: int, words: str):
    risk = RiskAssessment(dependents=dependents, num_dependents_total=total)
    text = markdown.render(sample.sample().with_tiers(risk=risk))
    assert f"- Downstream dependents: {words}" in text


@pytest.mark.parametrize(
    ("outcome", "failing", "passed", "words"),
    [
        (Outcome.passed, (), (), ""),
        (Outcome.failed, (), (), ""),
        (Outcome.failed, ("t.py", "other.py"), (), ": 1 failed"),
        (Outcome.failed, ("t.py",), ("s.py", "u.py"), ": 1 passed, 1 failed"),
        (Outcome.failed, ("t.py", "s.py"), ("t.py",), ": 2 failed"),
        (Outcome.failed, ("u.py",), ("s.py", "t.py"), ": 2 passed"),
        (Outcome.passed, (), ("s.py",), ": 1 passed"),
        (Outcome.timed_out, (), (), ""),
    ],
)
def test_tests_to_run_first_are_called_passed_only_by_name(
    outcome: Outcome, failing: tuple[str, ...], passed: tuple[str, ...], words: str
):
    first = [Dependent(path, 1, is_test=True, affected=Affected.run_first) for path in ("t.py", "s.py")]
    risk = RiskAssessment(dependents=(*first, Dependent("u.py", 1, is_test=True)))
    found = tuple(Finding(Tier.tools, Severity.error, "test_failed", file, "no") for file in failing)
    run = sample.run("pytest", ToolKind.test, "pytest", outcome, Counts(), 1.0)
    tools = ToolsResult((run,), findings=found, passed_files=passed)
    text = markdown.details(sample.sample().with_tiers(tools=tools, risk=risk))
    assert f"; 2 test files to run first{words}\n" in text


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        (Counts(), ""),
        (Counts(passed=42, failed=0), " (42 passed, 0 failed)"),
        (Counts(passed=1, failed=0, skipped=0, errors=0, warnings=3), " (1 passed, 0 failed, 3 warnings)"),
        (Counts(errors=1), " (1 error)"),
        (Counts(passed=3, failed=1, skipped=2, errors=1), " (3 passed, 1 failed, 2 skipped, 1 error)"),
    ],
)
def test_counts_are_given_as_far_as_they_are_known(counts: Counts, words: str):
    run = sample.run("pytest", ToolKind.test, "pytest", Outcome.passed, counts, 1.0)
    theirs = dataclasses.replace(run, name="CI", found_in=f"{REPORTED}a check")
    for runs, by in (((run,), ""), ((theirs,), " (by another run)")):
        tools = ToolsResult(runs, reported_by="another run")
        text = markdown.details(sample.sample().with_tiers(tools=tools))
        assert f"- Tests: PASS{words}{by}\n" in text
        assert REPORTED not in text


def test_changes_of_the_interface_and_dependencies_are_counted_by_kind():
    broken, kept, unknown = (ApiChange(kind, "shop.price", "changed", "shop.py") for kind in ApiChangeKind)
    new = NewDependency("rich", "pypi", "pyproject.toml", "14", None)
    moved = dataclasses.replace(new, name="click", before="8.1")
    risk = RiskAssessment(api_changes=(broken, kept, broken, kept, unknown), new_dependencies=(new, moved))
    text = markdown.details(sample.sample().with_tiers(risk=risk))
    assert "- Public API changes: 2 breaking, 2 non-breaking\n" in text
    assert "- New dependencies: `rich 14` (pypi); moved: `click` 8.1 → 14\n" in text


def test_what_is_found_at_many_places_is_one_line():
    findings = identified(
        Finding(Tier.quality, Severity.info, "suppressions.noqa", f"src/a{i}.py", "the linter looks away", i + 1)
        for i in range(6)
    )
    text = markdown.render(sample.sample().with_tiers(quality=QualityResult(findings)))
    (line,) = [line for line in text.splitlines() if "2 more`" in line]
    assert "`src/a0.py:1, src/a1.py:2, src/a2.py:3, src/a3.py:4 and 2 more` (`suppressions.noqa`)" in line


def test_a_local_fix_on_the_first_screen_can_be_committed():
    def with_fix(replacement: str) -> ValidationReport:
        quality = QualityResult((dataclasses.replace(finding, replacement=replacement),))
        stated = statements_of(None, quality, None, (finding.id,))
        return dataclasses.replace(
            sample.sample().with_tiers(quality=quality), statements=stated, blocking=(finding.id,)
        )

    finding = Finding(Tier.quality, Severity.error, "skip", "a_test.py", "a skip", 3, id="1" * 12)
    report = with_fix("def test():\n    `a`")
    assert "   ```suggestion\n   def test():\n       `a`\n   ```" in markdown.summary(report)
    assert "+ def test():\n" in re.sub(" +\n", "\n", terminal.render(report))
    hidden = with_fix("a\u202eb")
    assert "suggestion\n" not in markdown.summary(hidden)
    assert "u202e" not in terminal.render(hidden)


@pytest.mark.parametrize(
    ("commands", "owners"),
    [
        ({"lint": "ruff check .", "tests": "npx jest"}, {"lint": "B007", "tests": "adds"}),
        ({"lint": "ruff check .", "test": "npm test"}, {"lint": "B007", "test": "adds"}),
        ({"test": "npm test", "check": "make check"}, {}),
    ],
)
def test_a_finding_belongs_to_the_command_that_names_its_tool_or_else_to_the_only_silent_one(commands, owners):
    run = sample.tools_result().runs[0]
    runs = tuple(dataclasses.replace(run, name=name, command=line) for name, line in commands.items())
    findings = (
        Finding(Tier.tools, Severity.error, "test_failed", "a.test.ts", "adds", 3, tool="jest"),
        Finding(Tier.tools, Severity.warning, "B007", "a.py", "B007", 4, tool="ruff"),
    )
    tools = ToolsResult(runs=runs, findings=findings)
    report = dataclasses.replace(
        sample.sample().with_tiers(tools=tools), statements=statements_of(tools, None, None, commands)
    )
    shown = sample.said(dataclasses.replace(report, blocking=tuple(commands))).rows
    by_name = dict(zip(commands, shown, strict=True))
    assert {name: one.details[0].text for name, one in by_name.items() if one.details[0].place} == owners
