"""The verdict table: three kinds of bad news, told apart, and an exit code for each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.validators.configuration.model import FailOn, ValidationConfig
from assay.validators.policy.verdict import Verdict, decide, exit_code, title
from assay.validators.report.gravity import Gravity
from assay.validators.report.model import (
    OWN_CHECKS,
    REPORTED,
    UNTRUSTED_RUN,
    Conclusion,
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
)
from assay.validators.report.statements import statements_of, worth_saying
from assay.validators.report.unknown import NotChecked, Question
from assay.validators.risk.level import levelled

CONFIG = ValidationConfig()


def _run(outcome: Outcome, kind: ToolKind = ToolKind.test, **changes: object) -> ToolRun:
    run = ToolRun("pytest", kind, "pytest", "pyproject.toml", outcome, Gate.regression_only, 1.0)
    return replace(run, **changes)  # type: ignore[arg-type]


def _tools(*runs: ToolRun) -> ToolsResult:
    return ToolsResult(runs=runs)


def _quality(severity: Severity, *, introduced: bool = True) -> QualityResult:
    finding = Finding(Tier.quality, severity, "complexity", "a.py", "m", introduced=introduced, id="abc")
    return QualityResult((finding,))


def _code(verdict: Verdict, fail_on: FailOn = FailOn.hold) -> int:
    return exit_code(
        verdict.conclusion,
        hold=verdict.hold,
        configuration_at_fault=verdict.configuration_at_fault,
        fail_on=fail_on,
    )


PASSED, FAILED = _run(Outcome.passed), _run(Outcome.failed, gating=True)
LOST, LINTED = _run(Outcome.infra_failed), _run(Outcome.passed, ToolKind.lint)
LOST_ON_BOTH = replace(LOST, base_outcome=Outcome.failed)
OUT_OF_TIME = _run(Outcome.skipped, reason="the tier's time was used up")


def _risk(floor: RiskLevel, likelihood: RiskLevel = RiskLevel.low) -> RiskAssessment:
    gravity = Gravity.remark if floor is RiskLevel.low else Gravity(floor)
    said = Statement("guard_removed", "a check is removed", signal="guards", gravity=gravity)
    return levelled(RiskAssessment(statements=(said,), likelihood=Likelihood(likelihood, 50.0, "model", 500)))


LOW, HIGH, CRITICAL = map(_risk, (RiskLevel.low, RiskLevel.high, RiskLevel.critical))
LIKELY = _risk(RiskLevel.high, RiskLevel.critical)


@pytest.mark.parametrize(
    ("tools", "quality", "risk", "conclusion", "code"),
    [
        pytest.param(_tools(PASSED), QualityResult(), LOW, Conclusion.success, 0, id="nothing gates"),
        pytest.param(None, None, None, Conclusion.success, 0, id="nothing asked for"),
        pytest.param(_tools(PASSED), None, HIGH, Conclusion.success, 0, id="high is not held by default"),
        pytest.param(_tools(FAILED), None, LOW, Conclusion.failure, 1, id="a gating command failed"),
        pytest.param(_tools(_run(Outcome.failed)), None, LOW, Conclusion.success, 0, id="it was red before"),
        pytest.param(
            _tools(_run(Outcome.timed_out, gating=True)), None, LOW, Conclusion.failure, 1, id="a gate timed out"
        ),
        pytest.param(None, _quality(Severity.error), LOW, Conclusion.failure, 1, id="a blocking finding"),
        pytest.param(None, _quality(Severity.warning), LOW, Conclusion.success, 0, id="advice does not block"),
        pytest.param(None, _quality(Severity.error, introduced=False), LOW, Conclusion.success, 0, id="an old finding"),
        pytest.param(_tools(PASSED), None, CRITICAL, Conclusion.action_required, 1, id="held"),
        pytest.param(_tools(FAILED), None, CRITICAL, Conclusion.failure, 1, id="failed and held"),
        pytest.param(_tools(_run(Outcome.inert)), None, LOW, Conclusion.action_required, 2, id="all inert"),
        pytest.param(_tools(_run(Outcome.inert), PASSED), None, LOW, Conclusion.success, 0, id="one inert"),
        pytest.param(
            _tools(_run(Outcome.infra_failed), PASSED), None, LOW, Conclusion.incomplete, 3, id="out of memory"
        ),
        pytest.param(_tools(_run(Outcome.infra_failed), FAILED), None, LOW, Conclusion.failure, 1, id="definite"),
        pytest.param(
            _tools(_run(Outcome.infra_failed, ToolKind.sast)),
            None,
            LOW,
            Conclusion.success,
            0,
            id="a scanner's trouble",
        ),
    ],
)
def test_the_verdict_table(
    tools: ToolsResult | None,
    quality: QualityResult | None,
    risk: RiskAssessment | None,
    conclusion: Conclusion,
    code: int,
) -> None:
    verdict = decide(CONFIG, tools, quality, risk)
    assert verdict.conclusion is conclusion
    assert _code(verdict) == code
    assert (conclusion is Conclusion.success) == (not verdict.reasons)


def test_advice_blocks_where_the_configuration_says_so() -> None:
    strict = ValidationConfig.model_validate({"tier2": {"blockingSeverity": "warning"}})
    assert decide(strict, None, _quality(Severity.warning), LOW).blocking == ("abc",)


@pytest.mark.parametrize("least", ["warning", "error"])
def test_a_model_review_blocks_by_errors_alone(least: str) -> None:
    config = ValidationConfig.model_validate({"tier2": {"blockingSeverity": least}})

    def of(severity: Severity) -> Conclusion:
        finding = Finding(Tier.quality, severity, "review.correctness", "a.py", "m", id="abc", tool="model")
        return decide(config, None, QualityResult((finding,)), LOW).conclusion

    assert (of(Severity.warning), of(Severity.error)) == (Conclusion.success, Conclusion.failure)


def test_a_lower_threshold_holds_high_risk() -> None:
    strict = ValidationConfig.model_validate({"tier3": {"riskThresholdForHold": "high"}})
    assert decide(strict, None, None, HIGH).hold


@pytest.mark.parametrize(
    ("hold_on", "threshold", "reason"),
    [
        ("policy", "critical", None),
        ("policy", "high", "high risk, set by policy"),
        ("level", "critical", "critical risk, set by likelihood"),
    ],
)
def test_likelihood_holds_only_where_the_level_does(hold_on: str, threshold: str, reason: str | None) -> None:
    config = ValidationConfig.model_validate({"tier3": {"holdOn": hold_on, "riskThresholdForHold": threshold}})
    verdict = decide(config, None, None, LIKELY)
    assert verdict.reasons == ((f"{reason}: approval required",) if reason else ())
    assert (verdict.hold, _code(verdict)) == (reason is not None, 1 if reason else 0)


@pytest.mark.parametrize(("fail_on", "failed", "held"), [("hold", 1, 1), ("failure", 1, 0), ("never", 0, 0)])
def test_fail_on_decides_about_one_alone(fail_on: str, failed: int, held: int) -> None:
    choice = FailOn(fail_on)
    assert _code(decide(CONFIG, _tools(FAILED), None, None), choice) == failed
    assert _code(decide(CONFIG, None, None, CRITICAL), choice) == held
    assert _code(decide(CONFIG, _tools(_run(Outcome.inert)), None, None), choice) == 2
    assert _code(decide(CONFIG, _tools(_run(Outcome.infra_failed)), None, None), choice) == 3


def test_the_title_is_the_verdict_in_one_line() -> None:
    def titled(tools: ToolsResult | None, quality: QualityResult | None, risk: RiskAssessment | None) -> str:
        verdict = decide(CONFIG, tools, quality, risk)
        stated = statements_of(tools, quality, risk, verdict.blocking)
        return title(verdict, CONFIG, tools, quality, risk, stated)

    advised = titled(_tools(PASSED), _quality(Severity.warning), RiskAssessment(RiskLevel.medium))
    assert advised == "Medium risk · tests pass · 1 to review"
    failing = titled(_tools(FAILED), _quality(Severity.error), CRITICAL)
    assert failing == "Critical risk · tests fail · 2 blocking, 1 to review · approval required"
    assert titled(_tools(PASSED), _quality(Severity.info), LOW) == "Low risk · tests pass · no findings"
    assert titled(None, None, None) == "Risk not assessed · tests not run"


# ------------------------------------------------------------------ unknown answers and missing tests

GO = NotChecked("Go", "no analyzer covers it", question=Question.dependents, files=("a.go",), is_source=True)
JAVA = NotChecked("Java", "no analyzer covers it", question=Question.interface, files=("A.java",), is_source=True)
HTML = NotChecked("HTML", "no analyzer covers it", question=Question.dependents, files=("a.html",))
UNREAD = Statement(
    "source_unread", "binary", "a.py", evidence=(Evidence("binary", "b.py"),), signal="unreadable_source"
)


@pytest.mark.parametrize(
    ("risk", "beginning"),
    [
        (LOW, "Low risk ·"),
        (replace(LOW, not_checked=(HTML,)), "Low risk ·"),
        (replace(LOW, not_checked=(JAVA, GO)), "Low risk (dependents unknown: Go) ·"),
        (replace(LOW, not_checked=(JAVA,)), "Low risk (interface unknown: Java) ·"),
        (replace(HIGH, not_checked=(GO,), statements=(UNREAD,)), "High risk (2 files could not be read) ·"),
    ],
)
def test_the_title_names_at_most_one_unknown_of_source(risk: RiskAssessment, beginning: str):
    assert title(Verdict(Conclusion.success), CONFIG, None, None, risk).startswith(beginning)


@pytest.mark.parametrize(
    ("level", "beginning"),
    [("low", "At least low risk (out of time) ·"), ("high", "At least high risk"), ("critical", "Critical risk")],
)
def test_the_title_says_that_time_ran_out(level: str, beginning: str):
    late = NotChecked("risk signal guards", "the tier ran out of time (120 s)")
    risk = RiskAssessment(RiskLevel(level), not_checked=(late,), timed_out=True)
    assert title(Verdict(Conclusion.success), CONFIG, None, None, risk).startswith(beginning)


def test_unknown_answers_hold_where_the_configuration_says_so():
    risk = replace(LOW, not_checked=(GO,))
    assert decide(CONFIG, None, None, risk) == Verdict(Conclusion.success)
    held = decide(ValidationConfig.model_validate({"tier3": {"holdOn": "unknown"}}), None, None, risk)
    assert (held.conclusion, held.hold, _code(held)) == (Conclusion.action_required, True, 1)
    assert not decide(
        ValidationConfig.model_validate({"tier3": {"holdOn": "unknown"}}), None, None, replace(LOW, not_checked=(HTML,))
    ).hold


@pytest.mark.parametrize(
    ("settings", "expects_tests", "tools", "conclusion"),
    [
        ({"mode": "enforce"}, True, None, Conclusion.action_required),
        (
            {"mode": "enforce"},
            True,
            _tools(_run(Outcome.inert), _run(Outcome.passed, ToolKind.lint)),
            Conclusion.action_required,
        ),
        ({"mode": "enforce"}, True, _tools(PASSED), Conclusion.success),
        ({"mode": "enforce"}, True, _tools(replace(PASSED, found_in=UNTRUSTED_RUN)), Conclusion.action_required),
        ({"mode": "enforce"}, False, None, Conclusion.success),
        ({"mode": "enforce", "tier1": {"requireTests": False}}, True, None, Conclusion.success),
        ({}, True, None, Conclusion.success),
        ({"tier1": {"requireTests": True}}, True, None, Conclusion.action_required),
        ({}, True, _tools(OUT_OF_TIME, LINTED), Conclusion.action_required),
        ({}, False, _tools(OUT_OF_TIME, LINTED), Conclusion.success),
        ({}, True, _tools(OUT_OF_TIME, PASSED), Conclusion.success),
        ({"tier1": {"requireTests": False}}, True, _tools(OUT_OF_TIME, LINTED), Conclusion.success),
        (
            {},
            True,
            _tools(replace(OUT_OF_TIME, found_in=f"{REPORTED}pyproject.toml"), LINTED),
            Conclusion.action_required,
        ),
        ({}, True, _tools(replace(OUT_OF_TIME, found_in=f"{REPORTED}{OWN_CHECKS}"), LINTED), Conclusion.success),
        ({}, True, _tools(replace(LOST, base_outcome=Outcome.infra_failed), LINTED), Conclusion.action_required),
        ({}, True, _tools(_run(Outcome.inert), LINTED), Conclusion.action_required),
        ({}, True, _tools(replace(OUT_OF_TIME, found_in=UNTRUSTED_RUN), LINTED), Conclusion.action_required),
        ({}, True, _tools(replace(PASSED, found_in=UNTRUSTED_RUN), LINTED), Conclusion.success),
    ],
)
def test_source_without_test_results_is_no_success_where_tests_are_required(
    settings: dict[str, object], expects_tests: bool, tools: ToolsResult | None, conclusion: Conclusion
):
    verdict = decide(ValidationConfig.model_validate(settings), tools, None, LOW, expects_tests=expects_tests)
    assert verdict.conclusion is conclusion
    assert _code(verdict) == (1 if conclusion is Conclusion.action_required else 0)


def test_a_lost_command_is_named_so_that_the_reason_can_be_read():
    runs = (replace(LOST, name="just", command="just test"), replace(LOST, name="mocha (2)", command="x " * 60))
    reasons = " ".join(decide(CONFIG, _tools(*runs, LINTED), None, LOW, expects_tests=True).reasons)
    assert ("`just test`" in reasons, "`mocha (2)`" in reasons) == (True, True)


@pytest.mark.parametrize(
    ("runs", "conclusion"),
    [
        ((replace(LOST, kind=ToolKind.lint, base_outcome=Outcome.failed),), Conclusion.action_required),
        (
            (replace(LOST, kind=ToolKind.build, base_outcome=Outcome.failed), _run(Outcome.inert)),
            Conclusion.action_required,
        ),
        ((replace(LOST, kind=ToolKind.lint, base_outcome=Outcome.failed), PASSED), Conclusion.success),
        ((replace(LOST, gate=Gate.informational),), Conclusion.success),
        ((_run(Outcome.skipped, found_in=f"{REPORTED}{OWN_CHECKS}"),), Conclusion.success),
        ((replace(OUT_OF_TIME, kind=ToolKind.lint),), Conclusion.action_required),
        ((replace(OUT_OF_TIME, kind=ToolKind.lint, gate=Gate.informational),), Conclusion.success),
        ((_run(Outcome.inert, found_in=f"{REPORTED}{UNTRUSTED_RUN}"), LOST_ON_BOTH), Conclusion.action_required),
    ],
)
def test_a_change_of_which_no_command_gave_a_result_is_no_success(runs: tuple[ToolRun, ...], conclusion: Conclusion):
    assert decide(CONFIG, _tools(*runs), None, LOW).conclusion is conclusion


def test_commands_without_time_are_no_success_in_enforce_mode():
    enforced = ValidationConfig.model_validate({"mode": "enforce"})
    skipped = replace(OUT_OF_TIME, kind=ToolKind.lint)
    assert decide(enforced, _tools(skipped), None, LOW).conclusion is Conclusion.action_required


CUT_OFF = (NotChecked("repository_rules.no-print", "on notes.txt", could_block=True),)


@pytest.mark.parametrize(
    ("tools", "quality", "mode", "conclusion"),
    [
        pytest.param(_tools(PASSED), QualityResult(not_checked=CUT_OFF), "advisory", Conclusion.incomplete, id="rule"),
        pytest.param(
            _tools(PASSED),
            replace(_quality(Severity.error), not_checked=CUT_OFF),
            "enforce",
            Conclusion.failure,
            id="a failure goes first",
        ),
        pytest.param(
            ToolsResult((PASSED,), not_checked=CUT_OFF), None, "enforce", Conclusion.incomplete, id="scanner, enforced"
        ),
        pytest.param(ToolsResult((PASSED,), not_checked=CUT_OFF), None, "advisory", Conclusion.success, id="scanner"),
        pytest.param(
            _tools(PASSED),
            QualityResult(not_checked=(replace(CUT_OFF[0], could_block=False),)),
            "enforce",
            Conclusion.success,
            id="an advisory rule",
        ),
    ],
)
def test_a_check_that_is_cut_off_and_could_block_is_no_success(
    tools: ToolsResult, quality: QualityResult | None, mode: str, conclusion: Conclusion
):
    config = ValidationConfig.model_validate({"mode": mode})
    verdict = decide(config, tools, quality, LOW)
    assert verdict.conclusion is conclusion
    is_named = conclusion is Conclusion.incomplete
    assert any("no-print" in reason and "notes.txt" in reason for reason in verdict.reasons) is is_named
    assert ("no-print" in title(verdict, config, tools, quality, LOW)) is is_named


def test_nothing_to_fix_is_said_only_where_tests_and_scanners_ran():
    scanned = _run(Outcome.passed, ToolKind.sast, name="semgrep")
    assert "nothing to fix" in title(Verdict(Conclusion.success), CONFIG, _tools(PASSED, scanned), QualityResult(), LOW)
    lost_lint = _run(Outcome.infra_failed, ToolKind.lint)
    for tools in (
        None,
        _tools(PASSED),
        _tools(scanned),
        _tools(PASSED, replace(scanned, outcome=Outcome.inert)),
        _tools(PASSED, scanned, lost_lint),
    ):
        assert "nothing to fix" not in title(Verdict(Conclusion.success), CONFIG, tools, QualityResult(), LOW)


def test_new_warnings_of_scanners_are_advice():
    scanned = _run(Outcome.passed, ToolKind.sast, name="semgrep")
    warning = Finding(Tier.tools, Severity.warning, "eval", "a.py", "m", tool="semgrep", id="abc")
    tools = ToolsResult((PASSED, scanned), (warning, replace(warning, tool="ruff", id="d")))
    stated = statements_of(tools, QualityResult(), LOW)
    assert "· 1 to review" in title(Verdict(Conclusion.success), CONFIG, tools, QualityResult(), LOW, stated)


@pytest.mark.parametrize(
    ("places", "num"),
    [
        ([("a.py", 1)], 1),
        ([("a.py", 1), ("a.py", 1)], 1),
        ([("a.py", 1), ("a.py", 2)], 2),
        ([("a.py", 1), ("b.py", 1)], 2),
        ([("a.py", None), ("a.py", None)], 2),
        ([(None, None), (None, None)], 2),
        ([("a.py", 1), ("a.py", 1), ("a.py", None)], 2),
    ],
)
def test_the_title_counts_what_the_first_screen_shows(places: list[tuple[str | None, int | None]], num: int):
    stated = [Statement("ci_rights", "text", file, line, gravity=Gravity.notice) for file, line in places]
    said = [*stated, replace(stated[0], gravity=Gravity.remark)]
    assert f"· {num} to review" in title(Verdict(Conclusion.success), CONFIG, None, None, LOW, said)
    assert len(worth_saying(stated)) == num


@pytest.mark.parametrize(("num", "words"), [(1, "1 blocking finding in"), (2, "2 blocking findings in")])
def test_blocking_findings_are_counted(num: int, words: str):
    finding = _quality(Severity.error).findings[0]
    found = decide(ValidationConfig(), None, QualityResult(findings=(finding,) * num), None)
    assert found.reasons == (f"{words} code quality",)
