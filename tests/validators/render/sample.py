"""Reports to render: one as a real change gives it, and what becomes of it when every word in it is hostile."""

from __future__ import annotations

import dataclasses
from typing import Any

from assay.validators.changes.change import FileKind, FileStatus
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import language_of
from assay.validators.render.first_screen import first_screen
from assay.validators.render.view import Section
from assay.validators.report.answers import language_name
from assay.validators.report.change_facts import AgentGuess, FileEntry
from assay.validators.report.gravity import Gravity
from assay.validators.report.identity import identified
from assay.validators.report.model import (
    Commit,
    Conclusion,
    Counts,
    Coverage,
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
    Tiers,
    ToolKind,
    ToolRun,
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
    ObservedRate,
    Rollback,
    RollbackFlag,
    Surface,
)
from assay.validators.report.statements import statements_of
from assay.validators.report.unknown import NotChecked, questions_of
from tests.validators.render.review_sample import model_review

BASE = "2f4a9c1d7e86b350a1c4f2d98e6b7a0c3d5e4f19"
HEAD = "8fae4823c51b9d07e2f6a4b80c93d1e5f7a26b40"


def sample() -> ValidationReport:
    """A change of four files by an agent: one failing test, one blocking finding, medium risk."""
    tools = tools_result()
    quality = quality_result()
    risk = risk_assessment()
    blocking = ("pytest", *(finding.id for finding in quality.findings if finding.severity is Severity.error))
    return ValidationReport(
        base=Commit(BASE, "main"),
        head=Commit(HEAD, "retry-uploads"),
        merge_base=BASE,
        conclusion=Conclusion.failure,
        title="Medium risk · tests fail · 2 blocking, 3 to review",
        agent=AgentGuess("claude-code", 0.98, ("branch claude/…", "trailer in 3 of 3 commits")),
        tiers=Tiers(tools, quality, risk),
        statements=statements_of(tools, quality, risk, blocking),
        reasons=("pytest failed: 1 of 43 tests fails", "1 blocking finding in code quality"),
        blocking=blocking,
        files=(
            changed("src/uploads/client.py", added=52, removed=9),
            changed("src/uploads/retry.py", status="added", added=30),
            changed("tests/test_retry.py", status="added", nature="test", added=5),
            changed("docs/uploads.md", nature="docs", removed=3),
        ),
        not_checked=(
            NotChecked("squawk", "the change has no SQL migration"),
            NotChecked("coverage of src/uploads/legacy.py", "it has no line in coverage.xml"),
        ),
        durations_s={"tools": 31.42, "quality": 2.9, "risk": 1.17, "total": 35.49},
        settings={
            "blocking_severity": "error",
            "hold_at": "critical",
            "policy": "narrow",
            "gate": "regression_only",
            "timeouts_s": {"tools": 300, "quality": 120, "risk": 120},
        },
        review=model_review(),
    )


def replaced(report: ValidationReport, **changes: Any) -> ValidationReport:
    """The report with other fields and tiers."""
    tiers = {name: changes.pop(name) for name in ("tools", "quality", "risk") if name in changes}
    return dataclasses.replace(report, **changes).with_tiers(**tiers)


def said(report: ValidationReport) -> Section:
    """The statements on the first screen; a section without rows if there are none."""
    return next((one for one in first_screen(report) if one.is_numbered), Section("", ()))


def facts(report: ValidationReport) -> list[str]:
    """The facts below them: what was verified, how likely a fix is, and what was not checked."""
    *_, last = first_screen(report) or [Section("", ())]
    return [": ".join(filter(None, (one.label, one.text))) for one in last.rows] if not last.title else []


def tools_result() -> ToolsResult:
    """Five commands: a failing test, the rest as it goes."""
    return ToolsResult(
        runs=(
            ToolRun(
                name="pytest",
                kind=ToolKind.test,
                command="uv run pytest -q",
                found_in="pyproject.toml [tool.pytest.ini_options]",
                outcome=Outcome.failed,
                gate=Gate.regression_only,
                duration_s=22.71,
                gating=True,
                counts=Counts(passed=42, failed=1, skipped=2),
                exit_code=1,
                base_outcome=Outcome.passed,
                reason="1 of 43 tests fails; it passed on the base",
                excerpt=(
                    "    def test_gives_up_after_three_tries():",
                    ">       assert client.tries == 3",
                    "E       assert 4 == 3",
                    "",
                    "tests/test_retry.py:21: AssertionError",
                ),
            ),
            run("ruff", ToolKind.lint, "ruff check .", Outcome.passed, Counts(errors=0, warnings=2), 0.31),
            run("mypy", ToolKind.types, "mypy src", Outcome.passed, Counts(), 6.02),
            run(
                "npm run build",
                ToolKind.build,
                "npm run build",
                Outcome.inert,
                Counts(),
                0.4,
                reason="npm: command not found",
            ),
            run("semgrep", ToolKind.sast, "semgrep scan", Outcome.passed, Counts(errors=0), 1.98),
        ),
        findings=identified(
            [
                Finding(
                    Tier.tools,
                    Severity.error,
                    "test_failed",
                    "tests/test_retry.py",
                    "tests.test_retry test_gives_up_after_three_tries: assert 4 == 3",
                    line=21,
                    tool="pytest",
                ),
                Finding(
                    Tier.tools,
                    Severity.warning,
                    "B007",
                    "src/uploads/client.py",
                    "Unused loop variable `n`",
                    40,
                    tool="ruff",
                ),
            ]
        ),
        coverage_source="coverage.xml",
        num_fix_cycles=1,
    )


def quality_result() -> QualityResult:
    """One error, two warnings, one information."""
    return QualityResult(
        findings=identified(
            [
                Finding(
                    Tier.quality,
                    Severity.error,
                    "test_integrity",
                    "tests/test_client.py",
                    "`test_uploads_in_chunks` is skipped now; it ran before",
                    line=12,
                    suggestion="mend the code, or say in the test why it cannot run",
                ),
                Finding(
                    Tier.quality,
                    Severity.warning,
                    "complexity",
                    "src/uploads/client.py",
                    "Cognitive complexity of `send_with_retry()` is 19 (threshold: 15)",
                    line=61,
                    end_line=104,
                    suggestion="move the backoff into a function of its own",
                    tool="radon, tree-sitter",
                ),
                Finding(
                    Tier.quality,
                    Severity.warning,
                    "duplication",
                    "src/uploads/retry.py",
                    "Lines 8-22 repeat `src/http/retry.py` 30-44",
                    line=8,
                    end_line=22,
                    suggestion="use `http.retry.backoff`",
                    tool="jscpd",
                ),
                Finding(
                    Tier.quality,
                    Severity.info,
                    "naming",
                    "src/uploads/retry.py",
                    "`maxTries` is camelCase; 212 of 214 variables in src/uploads are snake_case",
                    line=5,
                ),
            ]
        ),
        num_existing=7,
    )


def risk_assessment() -> RiskAssessment:
    """Medium, by likelihood and a new dependency, with a remark and a rollback flag."""
    return RiskAssessment(
        level=RiskLevel.medium,
        set_by=("likelihood", "policy"),
        likelihood=Likelihood(
            level=RiskLevel.medium,
            percentile=71.4,
            basis="model",
            num_compared=500,
            factors=(
                LikelihoodFactor("added", 82.0, 81.0, 0.62, "adds 82 lines without blank ones and comments"),
                LikelihoodFactor("is_fix", 0.0, 50.0, -0.11, "is no fix by its message"),
            ),
            rate=ObservedRate(0.21, 214, 3.1, "this repository"),
            note="Labels are noisy.",
        ),
        rollback=Rollback(
            (RollbackFlag("author_new", "the author is new to these files"),),
            ObservedRate(0.019, 120, 1.5, "8 public repositories"),
        ),
        statements=(
            Statement(
                "new_dependency",
                "adds tenacity to the runtime dependencies",
                *("pyproject.toml", 14, "use a package the repository already depends on"),
                signal="new_dependencies",
                gravity=Gravity.medium,
            ),
            Statement(
                "large",
                "adds 82 lines of source (threshold: 50)",
                evidence=(Evidence("52 lines", "src/uploads/client.py"), Evidence("30 lines", "src/uploads/retry.py")),
                signal="surface",
            ),
        ),
        surface=Surface(4, 87, 12, 2, 82, 9, 9, ("src/uploads",)),
        dependents=(
            Dependent(
                *("src/app/main.py", 1, ("send",), None),
                owners=("@acme/app",),
                affected=Affected.run_first,
                certain=True,
                rank=1,
                entry_points=("command serve",),
            ),
            Dependent("src/app/jobs.py", 1, ("send",), affected=Affected.run_first, rank=2, may_use=("Client.close",)),
            Dependent("src/cli/upload.py", 1, (), None),
            Dependent("src/cli/main.py", 2, (), "src/cli/upload.py"),
            Dependent("tests/test_client.py", 1, ("Client",), None, is_test=True, affected=Affected.run_first, rank=3),
        ),
        num_dependents_total=5,
        api_changes=(
            ApiChange(
                ApiChangeKind.non_breaking,
                "uploads.client.send",
                "gains the parameter `tries`",
                "src/uploads/client.py",
                61,
            ),
        ),
        new_dependencies=(NewDependency("tenacity", "pypi", "pyproject.toml", "9.1.2", line=14),),
        coverage=Coverage(78.0, 82, 64, "coverage.xml"),
    )


def clean() -> ValidationReport:
    """A change nobody need worry about."""
    report = sample()
    runs = (
        run("pytest", ToolKind.test, "pytest", Outcome.passed, Counts(passed=42, failed=0), 3.0),
        run("ruff", ToolKind.lint, "ruff check", Outcome.passed, Counts(errors=0, warnings=2), 0.2),
        run("mypy", ToolKind.types, "mypy", Outcome.passed, Counts(), 2.0),
    )
    findings = identified(
        [
            Finding(
                Tier.quality,
                Severity.warning,
                "complexity",
                "src/tasks.ts",
                "Cognitive complexity of `processTask()` is 14 (threshold: 10)",
            ),
            Finding(
                Tier.quality,
                Severity.info,
                "duplication",
                "src/tasks.ts",
                "Consider extracting shared validation logic (DRY)",
            ),
            Finding(
                Tier.quality,
                Severity.info,
                "naming",
                "src/tasks.ts",
                "New utility function follows existing naming conventions ✓",
            ),
        ]
    )
    risk = dataclasses.replace(
        risk_assessment(),
        likelihood=Likelihood(
            RiskLevel.medium,
            71.4,
            "model",
            500,
            (LikelihoodFactor("added", 82.0, 81.0, 0.62, "adds 82 lines without blank ones and comments"),),
            ObservedRate(0.2, 49, 3.0, "this repository"),
        ),
        rollback=None,
        dependents=tuple(one for one in risk_assessment().dependents if one.distance == 1 and not one.is_test),
        num_dependents_total=3,
        api_changes=(),
        new_dependencies=(),
    )
    return dataclasses.replace(
        report,
        conclusion=Conclusion.success,
        title="Medium risk · tests pass · 2 to review",
        statements=statements_of(None, QualityResult(findings=findings), risk),
        reasons=(),
        blocking=(),
        not_checked=(),
        tiers=Tiers(ToolsResult(runs=runs), QualityResult(findings=findings), risk),
    )


def nothing_ran() -> ValidationReport:
    """No tier was run at all."""
    why = "not requested (--tiers)"
    notes = tuple(NotChecked(f"Tier {i} ({tier})", why) for i, tier in enumerate(Tier, 1))
    said: dict[str, Any] = {"statements": (), "blocking": (), "reasons": (), "tiers": Tiers()}
    return replaced(sample(), **said, not_checked=notes, conclusion=Conclusion.success)


def run(
    name: str,
    kind: ToolKind,
    command: str,
    outcome: Outcome,
    counts: Counts,
    duration_s: float,
    reason: str | None = None,
) -> ToolRun:
    return ToolRun(
        name, kind, command, "pyproject.toml", outcome, Gate.regression_only, duration_s, counts=counts, reason=reason
    )


def changed(
    path: str, *, status: str = "modified", nature: str = "source", added: int = 0, removed: int = 0
) -> FileEntry:
    return {
        "path": path,
        "base_path": None if status == "added" else path,
        "status": FileStatus(status),
        "kind": FileKind.text,
        "nature": Nature(nature),
        "claimed": None,
        "added": added,
        "removed": removed,
        "added_lines": [],
        "removed_lines": [],
        "language": language_name(path),
        "asked": sorted(questions_of(language_of(path), is_test=nature == "test")),
        "unknown": [],
    }
