"""Results of Tier 1 and decisions of people that come after judging change the verdict as if they had been there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.validators.configuration.model import Tier1, Tier2, Tier3, ValidationConfig
from assay.validators.errors import ReportUnreadable
from assay.validators.render import json as format_
from assay.validators.render.format import rendered
from assay.validators.report.identity import identified
from assay.validators.report.model import (
    OWN_COMMANDS,
    Conclusion,
    Finding,
    Gate,
    Outcome,
    QualityResult,
    RiskLevel,
    Severity,
    Tier,
    ToolKind,
    ToolRun,
    ToolsResult,
    ValidationReport,
)
from assay.validators.report.read import read_report
from assay.validators.report.unknown import NotChecked
from assay.validators.report.waiver import Waiver, WaiverKind
from assay.validators.run.amend import configuration_of, joined_tools, with_tools, with_waivers
from assay.validators.run.pipeline import Options, validate
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.repositories import RealRepository

CONFIG = ValidationConfig()
SCAN = ToolRun("bandit", ToolKind.sast, "bandit", "tier1.scanners.bandit", Outcome.passed, Gate.strict, 0.1)


def run(name: str, outcome: Outcome, *, kind: ToolKind = ToolKind.test, gating: bool = False) -> ToolRun:
    return ToolRun(name, kind, name, "the repository's own checks", outcome, Gate.strict, 1.0, gating=gating)


def finding(rule: str = "test_integrity", severity: Severity = Severity.error) -> Finding:
    return Finding(Tier.quality, severity, rule, "a.py", f"{rule} says so", line=1)


def judged(repository: RealRepository, config: ValidationConfig = CONFIG, *found: Finding) -> ValidationReport:
    """A report on a change of one source file, without its commands having run."""
    repository.commit("Start", {"shop.py": "def total(x):\n    return x\n", "use.py": "import shop\nshop.total(1)\n"})
    body = "".join(f"    x += {number}\n" for number in range(30))
    repository.branch("topic")
    repository.commit("Change", {"shop.py": f"def total(x):\n{body}    return x\n"})
    with Repository(repository.path) as opened:
        change = read_change(opened, "main", "topic")
        options = Options(
            run_tools=lambda *_, **__: ToolsResult((SCAN,), not_checked=(NotChecked(OWN_COMMANDS, "not run here"),)),
            check_quality=lambda *_, **__: QualityResult(identified(found)),
        )
        return validate(change, config, options)


@pytest.fixture
def report(repository: RealRepository) -> ValidationReport:
    return judged(repository)


def test_a_failing_check_that_comes_later_fails_the_change(report: ValidationReport):
    amended = with_tools(report, ToolsResult((run("ci", Outcome.failed, gating=True),)), CONFIG)
    assert (report.conclusion, amended.conclusion) == (Conclusion.success, Conclusion.failure)
    assert amended.blocking == ("ci",)
    assert "tests fail" in amended.title
    assert amended.risk == report.risk


def test_our_own_scans_stay_beside_what_came_later(report: ValidationReport):
    amended = with_tools(report, ToolsResult((run("ci", Outcome.passed),), reported_by="its checks"), CONFIG)
    assert amended.tools is not None
    assert [one.name for one in amended.tools.runs] == ["bandit", "ci"]
    assert "tests pass" in amended.title


def test_that_the_commands_were_not_run_is_not_said_any_more_once_they_were(report: ValidationReport):
    assert OWN_COMMANDS in {note.what for note in report.not_checked}
    none = with_tools(report, ToolsResult(not_checked=(NotChecked("ci", "still runs"),)), CONFIG)
    assert {note.what for note in none.not_checked} >= {OWN_COMMANDS, "ci (reported)"}
    some = with_tools(none, ToolsResult((run("ci", Outcome.passed),)), CONFIG)
    assert not {note.what for note in some.not_checked} & {OWN_COMMANDS, "ci (reported)"}


def test_amending_twice_is_amending_with_the_last(report: ValidationReport):
    last = ToolsResult((run("ci", Outcome.passed), run("lint", Outcome.failed, kind=ToolKind.lint)))
    once = with_tools(report, last, CONFIG)
    twice = with_tools(with_tools(report, ToolsResult((run("ci", Outcome.failed, gating=True),)), CONFIG), last, CONFIG)
    assert twice == once


def test_commands_that_assay_ran_itself_stay_beside_what_came_later(report: ValidationReport):
    own = report.with_tiers(tools=ToolsResult((SCAN, replace(run("make test", Outcome.passed), found_in="Makefile:3"))))
    first = with_tools(own, ToolsResult((run("ci", Outcome.failed, gating=True),)), CONFIG)
    second = with_tools(first, ToolsResult((run("ci", Outcome.passed),)), CONFIG)
    assert second.tools is not None
    assert [one.name for one in second.tools.runs] == ["bandit", "make test", "ci"]
    assert second.conclusion is Conclusion.success


def test_a_tier_that_is_switched_off_stays_so(report: ValidationReport):
    off = ValidationConfig(tier1=Tier1(enabled=False))
    assert with_tools(report, ToolsResult((run("ci", Outcome.failed, gating=True),)), off) == report


def test_coverage_that_comes_later_is_measured_as_if_it_had_been_there(repository: RealRepository):
    report = judged(repository)
    lines = {"shop.py": {number: number < 10 for number in range(1, 33)}, "use.py": {1: True, 2: False}}
    with Repository(repository.path) as opened:
        change = read_change(opened, "main", "topic")
        options = Options(tiers=(Tier.risk,), coverage=ToolsResult(line_coverage=lines, coverage_source="coverage.xml"))
        there = validate(change, CONFIG, options).risk
    late = with_tools(report, ToolsResult(line_coverage=lines, coverage_source="coverage.xml"), CONFIG).risk
    assert there is not None
    assert late is not None
    assert late.coverage == there.coverage
    (stated,) = [one for one in late.statements if one.signal == "coverage"]
    assert [one for one in there.statements if one.signal == "coverage"] == [stated]
    assert "26.7 %" in stated.text
    assert (late.level, late.floor) == (there.level, RiskLevel.low)


def test_coverage_that_nobody_wants_is_not_measured(repository: RealRepository):
    config = ValidationConfig(tier3=Tier3(signals={"coverage": False}))
    report = judged(repository, config)
    assert with_tools(report, ToolsResult(line_coverage={"shop.py": {2: False}}), config).risk == report.risk


def test_results_of_two_places_are_one_and_no_name_stands_twice():
    one = ToolsResult((run("ci", Outcome.passed),), line_coverage={"a": {1: False, 2: True}}, reported_by="checks")
    other = ToolsResult(
        (run("ci", Outcome.failed),), line_coverage={"a": {1: True}}, reported_by="the change's own run"
    )
    joined = joined_tools([one, other])
    assert [each.name for each in joined.runs] == ["ci", "ci (2)"]
    assert joined.line_coverage == {"a": {1: True, 2: True}}
    assert joined.reported_by == "checks; the change's own run"


# ------------------------------------------------------------------ waivers


def test_a_waived_finding_does_not_block_and_is_told_with_who_and_why(repository: RealRepository):
    report = judged(repository, CONFIG, finding(), finding("naming", Severity.warning))
    blocked = report.blocking[0]
    waiver = Waiver(blocked, WaiverKind.fp, "ada", "the test moved, it is not gone")
    amended = with_waivers(report, CONFIG, {blocked: waiver})
    assert (report.conclusion, amended.conclusion) == (Conclusion.failure, Conclusion.success)
    assert amended.blocking == ()
    assert amended.title.endswith("1 to review · 1 waived")
    for name in ("terminal", "markdown", "sarif"):
        text = rendered(amended, name)
        assert "marked false positive by" in text, name
        assert "the test moved, it is not gone" in text, name
    assert read_report(format_.render(amended)).waivers == (waiver,)


def test_a_waiver_of_something_else_is_not_mentioned(repository: RealRepository):
    report = judged(repository, CONFIG, finding())
    amended = with_waivers(report, CONFIG, {"0" * 12: Waiver("0" * 12, WaiverKind.accept, "ada")})
    assert amended == report


def test_a_waiver_that_is_taken_back_blocks_again(repository: RealRepository):
    report = judged(repository, CONFIG, finding())
    waived = with_waivers(report, CONFIG, {report.blocking[0]: Waiver(report.blocking[0], WaiverKind.accept, "ada")})
    assert with_waivers(waived, CONFIG, {}) == report


def test_waivers_hold_when_the_checks_end(repository: RealRepository):
    report = judged(repository, CONFIG, finding())
    waived = with_waivers(report, CONFIG, {report.blocking[0]: Waiver(report.blocking[0], WaiverKind.accept, "ada")})
    assert with_tools(waived, ToolsResult((run("ci", Outcome.passed),)), CONFIG).conclusion is Conclusion.success


# ------------------------------------------------------------------ the configuration in the report


def test_a_report_tells_the_configuration_it_was_made_under(repository: RealRepository):
    config = ValidationConfig(
        tier2=Tier2(blocking_severity=Severity.warning, severities={"naming": "off"}, custom_rules=("No globals",)),
        tier1=Tier1(commands=("make test",)),
        exclude=("docs/**",),
    )
    report = read_report(format_.render(judged(repository, config)))
    assert configuration_of(report) == config
    with pytest.raises(ReportUnreadable, match=r"settings\.configuration"):
        configuration_of(replace(report, settings={"configuration": {"tier9": 1}}))
