"""What the head's own checks come to: kinds by their names, outcomes by their conclusions, and what is waited for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.github.events.model import CheckFacts
from assay.github.external_results.github_checks import MOST_RUNS, UNFINISHED, Around, kind_of, tools_from_checks
from assay.github.pull_request.validate import ExternalResults, complete
from assay.validators import Conclusion, Gate, Missing, Outcome, Tier1, ToolKind, ValidationConfig
from tests.github_app.publish.reports import fine

HEAD = "ab" * 20
AT = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
CONFIG = ValidationConfig()


def check(name: str, conclusion: str | None = "success", **more: Any) -> CheckFacts:
    given = {
        "source": "check_run",
        "external_key": "1",
        "name": name,
        "head_sha": HEAD,
        "status": "completed" if conclusion else "in_progress",
        "conclusion": conclusion,
        "app_id": 15368,
        "app_slug": "github-actions",
        "url": "https://github.example/runs/1",
        "started_at": AT,
        "completed_at": AT + timedelta(seconds=42) if conclusion else None,
    }
    return CheckFacts(**given | more)


def only(*checks: CheckFacts, config: ValidationConfig = CONFIG, **around: Any):
    harvest = tools_from_checks(checks, config, Around(**around))
    (run,) = harvest.tools.runs
    return run


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("test (ubuntu-latest, 3.12)", ToolKind.test),
        ("CI / unit tests", ToolKind.test),
        ("pytest", ToolKind.test),
        ("build-and-test", ToolKind.test),
        ("ci/circleci: e2e", ToolKind.test),
        ("runUnitTests", ToolKind.test),
        ("lint", ToolKind.lint),
        ("pre-commit.ci - pr", ToolKind.lint),
        ("Ruff", ToolKind.lint),
        ("type-check", ToolKind.types),
        ("mypy (3.11)", ToolKind.types),
        ("prettier", ToolKind.formatting),
        ("CodeQL", ToolKind.sast),
        ("build", ToolKind.build),
        ("CI", ToolKind.build),
        ("continuous-integration/jenkins/pr-merge", ToolKind.build),
        ("Continuous Integration", ToolKind.build),
        ("continuous-integration / integration tests", ToolKind.test),
        ("docs", ToolKind.build),
        ("Python 3.13", ToolKind.build),
        ("license/cla", None),
        ("DCO", None),
        ("Vercel - shop", None),
        ("codecov/patch", None),
        ("deploy-preview", None),
        ("latest news", None),
        ("protest", None),
        ("", None),
    ],
)
def test_what_a_check_is_for_is_told_by_the_words_of_its_name(name: str, kind: ToolKind | None):
    assert kind_of(name) is kind


@pytest.mark.parametrize(
    ("conclusion", "outcome", "gates"),
    [
        ("success", Outcome.passed, False),
        ("failure", Outcome.failed, True),
        ("timed_out", Outcome.timed_out, True),
        ("startup_failure", Outcome.inert, False),
        ("cancelled", Outcome.skipped, False),
        ("action_required", Outcome.skipped, False),
        ("stale", Outcome.skipped, False),
        ("skipped", Outcome.skipped, False),
        ("neutral", Outcome.skipped, False),
        ("a new word of GitHub's", Outcome.skipped, False),
    ],
)
def test_a_conclusion_is_an_outcome(conclusion: str, outcome: Outcome, gates: bool):
    run = only(check("tests", conclusion))
    assert (run.outcome, run.gating) == (outcome, gates)
    assert (run.reason is None) == (outcome is Outcome.passed)


@pytest.mark.parametrize("conclusion", ["cancelled", "action_required", "stale"])
def test_what_did_not_look_is_not_checked(conclusion: str):
    notes = tools_from_checks([check("tests", conclusion)], CONFIG).tools.not_checked
    assert [note.what for note in notes] == ["tests"]


@pytest.mark.parametrize(
    "words",
    ["The runner has received a shutdown signal.", "lost communication with the server", "Process: exit code 137"],
)
def test_a_machine_that_gave_up_is_not_the_changes_fault(words: str):
    run = only(check("tests", "failure", summary=words))
    assert (run.outcome, run.gating) == (Outcome.infra_failed, False)


def test_a_run_says_who_ran_it_where_to_look_and_what_it_counted():
    run = only(check("tests", "failure", title="41 passed, 1 failed", summary="FAILED test_a\nassert 1 == 2"))
    assert run.found_in == "the repository's own checks, run by github-actions: https://github.example/runs/1"
    assert (run.counts.passed, run.counts.failed, run.duration_s) == (41, 1, 42.0)
    assert run.reason is not None
    assert "https://github.example/runs/1" in run.reason
    assert run.excerpt == ("FAILED test_a", "assert 1 == 2")


def test_only_the_newest_of_a_name_and_app_counts():
    old = check("tests", "failure", external_key="1")
    new = check("tests", "success", external_key="2", started_at=AT + timedelta(minutes=5))
    assert only(new, old).outcome is Outcome.passed
    other = check("tests", "failure", app_id=9, app_slug="other-ci")
    assert {run.outcome for run in tools_from_checks([new, other], CONFIG).tools.runs} == {
        Outcome.passed,
        Outcome.failed,
    }


def test_our_own_check_never_counts_whatever_it_is_called():
    ours = [check("Assay", "failure", app_id=4001), check("tests", "failure", app_id=4001)]
    assert tools_from_checks(ours, CONFIG, Around(app_id=4001)).tools.runs == ()


def test_somebody_elses_check_of_our_name_does_not_count_either():
    assert tools_from_checks([check("Assay", "success", app_id=666)], CONFIG, Around(app_id=4001)).tools.runs == ()


# ------------------------------------------------------------------ gates


def test_what_failed_on_the_base_too_does_not_gate_unless_everything_does():
    failing, base = check("tests", "failure"), [check("tests", "failure")]
    assert only(failing, base=base).gating is False
    assert only(failing, base=base).base_outcome is Outcome.failed
    assert only(failing, base=[check("tests")]).gating is True
    assert only(failing, base=[check("tests", None)]).gating is True
    assert only(failing, base=[check("tests", "cancelled")]).gating is True
    assert only(failing, base=base, config=ValidationConfig(tier1=Tier1(gate=Gate.strict))).gating is True


def test_where_nothing_gates_nothing_gates():
    assert (
        only(check("tests", "failure"), config=ValidationConfig(tier1=Tier1(gate=Gate.informational))).gating is False
    )


def test_a_check_nobody_can_classify_counts_only_where_it_is_required():
    cla = check("license/cla", "failure")
    harvest = tools_from_checks([cla], CONFIG)
    assert harvest.tools.runs == ()
    assert [note.what for note in harvest.tools.not_checked] == ["license/cla"]
    assert only(cla, required=("license/cla",)).gating is True


def test_a_good_check_nobody_can_classify_is_not_worth_a_line():
    assert tools_from_checks([check("license/cla")], CONFIG).tools.not_checked == ()


# ------------------------------------------------------------------ waiting


def test_checks_that_still_run_are_awaited_and_so_are_required_ones_that_have_not_begun():
    harvest = tools_from_checks(
        [check("tests", None), check("lint"), check("license/cla", None)],
        CONFIG,
        Around(required=("build", "lint", "Assay")),
    )
    assert harvest.awaited == ("tests", "build")
    assert {note.what for note in harvest.tools.not_checked} == {"tests", "build"}


def test_when_waiting_is_over_it_is_said_so():
    harvest = tools_from_checks([check("tests", None)], CONFIG, Around(is_over=True))
    assert UNFINISHED in harvest.tools.not_checked[0].why


def test_a_job_that_posted_its_results_is_not_counted_twice():
    checks = [check("validate / tools", "failure"), check("lint")]
    assert [run.name for run in tools_from_checks(checks, CONFIG, Around(reported_by_job=("tools",))).tools.runs] == [
        "lint"
    ]


def test_the_job_that_publishes_is_no_check_of_the_change():
    checks = [check("tests / publish", "failure"), check("publish", "failure"), check("lint")]
    harvest = tools_from_checks(checks, CONFIG, Around(reported_by_job=("tools",)))
    assert [run.name for run in harvest.tools.runs] == ["lint"]
    assert [note.what for note in harvest.tools.not_checked] == ["publish"]
    without = tools_from_checks(checks, CONFIG).tools
    assert len(without.not_checked) == 2, "where we have posted nothing it is a check like others"


def test_a_required_check_that_its_job_told_of_is_not_waited_for():
    around = Around(required=("validate / tools",), reported_by_job=("tools",))
    assert tools_from_checks([check("validate / tools", "failure")], CONFIG, around).awaited == ()
    assert tools_from_checks([], CONFIG, around).awaited == ("validate / tools",)


def test_nothing_at_all_is_nothing_reported():
    harvest = tools_from_checks([], CONFIG)
    assert (harvest.tools.runs, harvest.tools.reported_by, harvest.awaited) == ((), None, ())


def test_thousands_of_checks_are_bounded_those_that_fail_first():
    checks = [check(f"test {number}", external_key=str(number)) for number in range(3000)]
    harvest = tools_from_checks([*checks, check("test z", "failure")], CONFIG)
    assert len(harvest.tools.runs) == MOST_RUNS
    assert harvest.tools.runs[0].name == "test z"
    assert any("2901 more" in note.why for note in harvest.tools.not_checked)


# ------------------------------------------------------------------ hostile words


@given(st.text(max_size=200), st.text(max_size=500), st.sampled_from(["failure", "success", "cancelled", None]))
def test_whatever_a_check_says_comes_out_as_single_printable_lines(name: str, words: str, conclusion: str | None):
    facts = check(name, conclusion, title=words, summary=words, url=words, app_slug=words)
    harvest = tools_from_checks([facts], CONFIG, Around(required=(name,)))
    for run in harvest.tools.runs:
        for text in (run.name, run.command, run.found_in, run.reason or ""):
            assert text.isprintable()
            assert len(text) < 2000


@pytest.mark.parametrize("unit", ["1 ", "9" * 50, "runner ", "passed ", "a" * 100])
def test_long_words_cost_no_more_than_their_length(unit: str):
    text = unit * (200_000 // len(unit))
    assert only(check("tests", "failure", title=text, summary=text)).outcome is Outcome.failed


# ------------------------------------------------------------------ which count as tests


@pytest.mark.parametrize(
    ("name", "ended", "test_checks", "conclusion"),
    [
        ("CI", "success", [], Conclusion.action_required),
        ("build (ubuntu-latest, 3.12)", "success", [], Conclusion.action_required),
        ("py312", "success", [], Conclusion.action_required),
        ("All checks passed", "success", [], Conclusion.action_required),
        ("required", "success", [], Conclusion.action_required),
        ("continuous-integration/jenkins/pr-merge", "success", [], Conclusion.action_required),
        ("pytest", "success", [], Conclusion.success),
        ("CI", "success", ["CI"], Conclusion.success),
        ("py312", "success", ["py3*"], Conclusion.success),
        ("build [linux]", "success", ["build [linux]"], Conclusion.success),
        ("continuous-integration/jenkins/pr-merge", "success", ["*/jenkins/*"], Conclusion.success),
        ("ci", "success", ["CI"], Conclusion.action_required),
        ("CI", "failure", ["CI"], Conclusion.failure),
        ("CI", "cancelled", ["CI"], Conclusion.action_required),
    ],
)
def test_missing_tests_name_the_checks_that_were_seen(
    name: str, ended: str, test_checks: list[str], conclusion: Conclusion
):
    configuration = {"mode": "enforce", "tier1": {"testChecks": test_checks}}
    report = fine(HEAD, settings={"configuration": configuration, "expects_tests": True}, mode="enforce")
    done = complete(report, ExternalResults([check(name, ended)])).report
    assert done.conclusion is conclusion
    is_missing = conclusion is Conclusion.action_required
    assert (done.missing, done.hold) == (Missing.tests if is_missing else None, is_missing)
    assert any(f"`{name}` ({ended})" in reason for reason in done.reasons) is is_missing
    assert ("tests missing" in done.title, "approval required" in done.title) == (is_missing, is_missing)


def test_missing_results_of_every_command_name_the_checks_too():
    report = fine(HEAD, settings={"configuration": {}})
    lost = [check("lint", "startup_failure"), check("build", "failure", summary="No space left on device")]
    done = complete(report, ExternalResults(lost, Around(base=lost))).report
    assert (done.missing, done.hold, done.conclusion) == (Missing.results, True, Conclusion.action_required)
    assert "`lint` (startup_failure)" in done.reasons[-1]
    assert complete(report, ExternalResults([])).report.conclusion is Conclusion.success
