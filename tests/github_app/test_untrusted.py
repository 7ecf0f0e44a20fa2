"""What a run that belongs to the change says of Tier 1: it can make a verdict worse, and never better than silence."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.github.events.model import CheckFacts, Person, PullFacts
from assay.github.external_results.tools_payload import PostedTools, body_of, kept, read_posted
from assay.github.external_results.untrusted import COVERAGE, MOST_FINDINGS, MOST_RUNS
from assay.github.publish import Publication, PublishPolicy, RunFacts, publication_of
from assay.github.pull_request.validate import ExternalResults, complete, validate_pull_request
from assay.validators import (
    UNTRUSTED_RUN,
    Comments,
    Conclusion,
    Counts,
    Finding,
    Gate,
    NotChecked,
    Outcome,
    Severity,
    Tier,
    ToolKind,
    ToolRun,
    ToolsResult,
    ValidationReport,
    report_as,
)
from tests.examples import num_examples
from tests.repositories import RealRepository

_BAD = (Outcome.failed, Outcome.timed_out)
# From best to worst, for who wants to merge.
_WORSE = (Conclusion.success, Conclusion.action_required, Conclusion.incomplete, Conclusion.failure)
SHOP = "def total(x):\n    return x\n"
TESTS = "def test_total():\n    assert total(1) == 1\n    assert total(2) == 2\n"
MORE = "".join(f"def part_{number}(x):\n    return x + {number}\n\n\n" for number in range(20))


def validated_with(folder: Path, configuration: str, *, weakened: bool = False) -> ValidationReport:
    repository = RealRepository(folder)
    base = repository.commit("Start", {"shop.py": SHOP, "test_shop.py": TESTS, ".github/assay.yml": configuration})
    repository.branch("topic")
    head = repository.commit("Change", {"shop.py": SHOP + MORE, "test_shop.py": TESTS[:44] if weakened else TESTS})
    pull = PullFacts(70, 7, "A change", "", Person("eve", 5), head, "topic", base, "main")
    return validate_pull_request(pull, repository.path)


ENFORCED = "mode: enforce\ntier1: {requireTests: false}\ntier3: {policy: seed}\n"


@pytest.fixture(scope="module")
def validated(tmp_path_factory: pytest.TempPathFactory) -> ValidationReport:
    """A change in which nothing blocks, before anybody said anything of Tier 1; everything enforced."""
    report = validated_with(
        tmp_path_factory.mktemp("shop") / "repository",
        "mode: enforce\ntier1: {requireTests: false}\ntier3: {policy: seed}\n",
    )
    assert report.conclusion is Conclusion.success
    return report


def run(outcome: Outcome = Outcome.passed, **more: Any) -> ToolRun:
    plain: dict[str, Any] = {
        "name": "pytest",
        "kind": ToolKind.test,
        "command": "pytest -q",
        "found_in": "pyproject.toml",
        "gate": Gate.strict,
        "duration_s": 1.0,
    }
    return ToolRun(outcome=outcome, **(plain | more))


def finding(**more: Any) -> Finding:
    plain: dict[str, Any] = {
        "tier": Tier.tools,
        "severity": Severity.error,
        "rule": "F401",
        "file": "shop.py",
        "message": "unused import",
        "line": 3,
        "tool": "ruff",
        "id": "0123456789ab",
    }
    return Finding(**(plain | more))


def said(*runs: ToolRun, **more: Any) -> PostedTools:
    """As it comes out of an artifact of an untrusted run."""
    body = body_of(ToolsResult(runs, **more), job="tests")
    return replace(read_posted(body, reported_by=UNTRUSTED_RUN), run_id=9)


def settled(validated: ValidationReport, *posted: PostedTools, checks: tuple[CheckFacts, ...] = ()) -> ValidationReport:
    return complete(validated, ExternalResults(checks, posted=posted)).report


def published(report: ValidationReport) -> Publication:
    pull = PullFacts(70, 7, "A change", "", Person("eve", 5), report.head.sha, "topic", report.base.sha, "main")
    policy = PublishPolicy(comments=Comments.all, web_url="https://github.com/acme/shop")
    return publication_of(report, pull, policy, run=RunFacts("assay-action:7:x"))


def check(name: str, conclusion: str) -> CheckFacts:
    return CheckFacts("check_run", "1", name, "ab" * 20, "completed", conclusion, app_id=1, app_slug="ci")


# ------------------------------------------------------------------ what decides is worked out anew


@pytest.mark.parametrize(
    "forged",
    [
        {"gating": False},
        {"gating": False, "gate": Gate.informational},
        {"gating": False, "base_outcome": Outcome.failed},
        {"gating": False, "gate": Gate.regression_only, "base_outcome": Outcome.timed_out},
        {"gating": False, "kind": ToolKind.sast},
        {"gating": False, "name": "semgrep", "found_in": "tier1.scanners.semgrep"},
        {"gating": False, "found_in": "reported: tier1.scanners.semgrep"},
    ],
)
@pytest.mark.parametrize("outcome", _BAD)
def test_a_failing_command_counts_by_the_bases_gate_whatever_is_said_of_it(
    validated: ValidationReport, forged: dict[str, Any], outcome: Outcome
):
    report = settled(validated, said(run(outcome, **forged)))
    assert report.conclusion is Conclusion.failure
    assert report.tools is not None
    assert report.tools.runs[-1].gating
    assert report.tools.runs[-1].base_outcome is None


@pytest.mark.soak
def test_a_gate_of_the_bases_configuration_is_kept(tmp_path: Path):
    configuration = """\
mode: enforce
tier1:
  requireTests: false
  gate: strict
  commands:
    - {run: slow-lint, gate: informational}
    - pytest
"""
    validated = validated_with(tmp_path / "repository", configuration)
    lint = run(Outcome.failed, name="lint", command="slow-lint", gating=True)
    assert settled(validated, said(lint)).conclusion is Conclusion.success
    assert settled(validated, said(run(Outcome.failed))).conclusion is Conclusion.failure


def test_commands_that_pass_are_shown_as_a_strangers_word(validated: ValidationReport):
    report = settled(validated, said(run(counts=Counts(passed=42))))
    assert report.conclusion is Conclusion.success
    assert "tests pass (untrusted run)" in report.title
    assert report.tools is not None
    assert report.tools.reported_by == UNTRUSTED_RUN
    shown = published(report)
    assert UNTRUSTED_RUN in shown.check.summary
    assert UNTRUSTED_RUN in shown.check.text
    assert any(UNTRUSTED_RUN in note.why for note in report.not_checked)


def test_a_pass_does_not_outweigh_a_check_that_failed(validated: ValidationReport):
    """Neither by having the same name, nor by coming from a job of the same name."""
    for name in ("tests", "ci / tests", "pytest"):
        failed = (check(name, "failure"),)
        report = settled(validated, said(run(name=name)), checks=failed)
        assert report.conclusion is Conclusion.failure
        assert "tests fail" in report.title or name == "pytest"
        assert name in report.blocking


def test_what_others_say_of_the_tests_stands_in_the_title_and_not_the_strangers_word(validated: ValidationReport):
    report = settled(validated, said(run(Outcome.skipped), run(name="jest")), checks=(check("tests", "success"),))
    assert "tests pass ·" in report.title
    assert "untrusted" not in report.title


def test_findings_are_hints_at_files_of_the_change_and_nothing_can_rest_on_them(validated: ValidationReport):
    forged = (
        finding(replacement="import os; os.system('x')", suggestion="run curl | sh"),
        finding(file="LICENSE"),
        finding(file="/etc/passwd"),
        finding(file="../../x"),
        finding(tier=Tier.quality, rule="complexity"),
        finding(line=2**31, end_line=2**31),
        finding(line=5, end_line=2),
    )
    report = settled(validated, said(findings=forged))
    assert report.tools is not None
    theirs = report.tools.findings
    assert len(theirs) == 4
    assert {(one.tier, one.severity, one.file) for one in theirs} == {(Tier.tools, Severity.info, "shop.py")}
    assert not any(one.replacement or one.suggestion for one in theirs)
    assert all("untrusted" in (one.tool or "") for one in theirs)
    assert all(one.line is None or one.line < 10**6 for one in theirs)
    assert report.conclusion is Conclusion.success
    shown = published(report)
    assert all("untrusted" in one.title for one in shown.check.annotations if "F401" in one.title)
    assert shown.review is None or not any("suggestion" in note.body for note in shown.review.notes)


@pytest.mark.soak
def test_a_finding_cannot_take_the_id_of_another_tiers(tmp_path: Path):
    """Waivers go by ids: who waives a stranger's hint must not let go of what blocks."""
    validated = validated_with(tmp_path / "repository", ENFORCED, weakened=True)
    ours = validated.quality.findings if validated.quality else ()
    assert ours
    twins = [replace(one, tier=Tier.tools, tool=one.tool, context="") for one in ours]
    twins += [replace(one, tier=Tier.tools, message=one.context, context="", tool="") for one in ours]
    report = settled(validated, said(findings=tuple(twins)))
    assert report.tools is not None
    assert not {one.id for one in report.tools.findings} & {one.id for one in ours}
    assert report.blocking == validated.blocking


def test_a_flood_pushes_nothing_of_ours_away(validated: ValidationReport):
    runs = [run(name=f"lint {number}", excerpt=("x" * 300,) * 40) for number in range(99)]
    flood = said(*runs, run(Outcome.failed), findings=tuple(finding(line=number) for number in range(1, 900)))
    report = settled(validated, flood)
    assert report.tools is not None
    theirs = [one for one in report.tools.runs if UNTRUSTED_RUN in one.found_in]
    assert (len(theirs), len(report.tools.findings)) == (MOST_RUNS, MOST_FINDINGS)
    assert theirs[0].outcome is Outcome.failed
    assert report.conclusion is Conclusion.failure
    quiet, loud = published(settled(validated)), published(report)
    assert quiet.label == loud.label
    assert {one.message for one in quiet.check.annotations} <= {one.message for one in loud.check.annotations}
    assert "Tier 3" in loud.check.summary + loud.check.text


# ------------------------------------------------------------------ coverage


def _lines(validated: ValidationReport, *, covered: bool) -> dict[str, dict[int, bool]]:
    return {"shop.py": dict.fromkeys(range(1, 100), covered), "other.py": {1: covered}}


def test_forged_coverage_does_not_lower_the_risk(validated: ValidationReport):
    silent = settled(validated)
    full = settled(validated, said(line_coverage=_lines(validated, covered=True), coverage_source="Assay"))
    none = settled(validated, said(line_coverage=_lines(validated, covered=False)))
    assert silent.risk is not None
    assert full.risk is not None
    assert none.risk is not None
    assert full.risk.floor.at_least(silent.risk.floor)
    assert none.risk.floor.rank > silent.risk.floor.rank
    assert full.risk.coverage.source == COVERAGE


def test_a_strangers_coverage_never_overrides_what_was_measured(validated: ValidationReport):
    lines = _lines(validated, covered=False)
    trusted = read_posted(body_of(ToolsResult((run(),), line_coverage=lines, coverage_source="coverage.xml")))
    alone = settled(validated, trusted)
    both = settled(validated, trusted, said(line_coverage=_lines(validated, covered=True)))
    assert alone.risk is not None
    assert both.risk is not None
    assert (both.risk.level, both.risk.coverage) == (alone.risk.level, alone.risk.coverage)
    again = settled(alone, said(line_coverage=_lines(validated, covered=True)))
    assert again.risk is not None
    assert again.risk.coverage == alone.risk.coverage


def test_a_later_word_of_the_same_run_replaces_its_earlier_one(validated: ValidationReport):
    first = settled(validated, said(line_coverage=_lines(validated, covered=False)))
    second = settled(first, said(line_coverage=_lines(validated, covered=True)))
    assert second.risk is not None
    assert second.risk.coverage.percent == 100.0


def test_a_store_that_kept_it_still_knows_whose_word_it_is(validated: ValidationReport):
    """The App keeps what a second stage passes on; its `run_id` tells."""
    again = read_posted(kept(said(run(Outcome.failed, gating=False))))
    assert again.is_untrusted
    assert settled(validated, again).conclusion is Conclusion.failure


# ------------------------------------------------------------------ words

NASTY = [
    "x\n::set-output name=conclusion::success",
    "##[set-output name=conclusion]success",
    "name<<EOF\nEOF\nconclusion=success",
    "GITHUB_ENV\r\nPATH=/tmp",
    "\x1b[2J\x1b]8;;http://evil.example\x07click\x1b]8;;\x07",
    "\u202egnp.exe",
    "\u2066\u2069\u200b\ufeff",
    "<!-- assay:comment --><script>alert(1)</script>",
    "[click](http://evil.example) @acme/owners #1 ![x](http://evil.example/x.png)",
    "```\n# Approved\n```",
    "| a | b |\n|---|---|",
    "</details></table>",
    "\x00\x07\x08",
]


def _is_seen(text: str) -> None:
    """Nothing in it that cannot be seen."""
    odd = {char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp", "Cs") and char != "\n"}
    assert odd == set()


def _is_harmless(text: str) -> None:
    """Nothing of a stranger's becomes more than text where Markdown is shown."""
    _is_seen(text)
    page = cmarkgfm.github_flavored_markdown_to_html(text, options=Options.CMARK_OPT_UNSAFE)
    assert "<script" not in page
    assert "<img" not in page
    assert 'href="http://evil' not in page
    assert "<h1>Approved" not in page


@pytest.mark.parametrize("text", NASTY)
def test_words_of_a_stranger_are_shown_and_do_nothing(validated: ValidationReport, text: str):
    failing = run(
        Outcome.failed,
        name=text,
        command=text,
        found_in=text,
        reason=text,
        excerpt=(text, *text.split("\n")),
        directory=".",
    )
    notes = (NotChecked(text, text),)
    hint = finding(message=text, rule=text, tool=text, suggestion=text)
    report = settled(validated, said(failing, findings=(hint,), not_checked=notes, sandbox=text, coverage_source=text))
    shown = published(report)
    for one in (shown.check.title, shown.check.summary, shown.check.text, shown.comment or ""):
        _is_harmless(one)
    for annotation in shown.check.annotations:
        _is_seen(annotation.title)
        _is_seen(annotation.message)
    for note in shown.review.notes if shown.review else ():
        _is_harmless(note.body.split("\n", 1)[1])
    for reason in report.reasons:
        _is_seen(reason)
        assert "\n" not in reason
    assert not (report.tools and report.tools.sandbox)


# ------------------------------------------------------------------ the one rule

_RUNS = st.builds(
    run,
    st.sampled_from(Outcome),
    name=st.sampled_from(["pytest", "tests", "semgrep", "ruff"]),
    kind=st.sampled_from(ToolKind),
    gate=st.sampled_from(Gate),
    gating=st.booleans(),
    base_outcome=st.none() | st.sampled_from(Outcome),
    found_in=st.sampled_from(["Makefile", "tier1.scanners.semgrep", "reported: x"]),
)
_SAID = st.builds(
    lambda runs, **more: said(*runs, **more),
    st.lists(_RUNS, max_size=4),
    findings=st.lists(st.builds(finding, tier=st.sampled_from([Tier.tools, Tier.quality])), max_size=2).map(tuple),
    line_coverage=st.none()
    | st.dictionaries(
        st.sampled_from(["shop.py", "test_shop.py"]), st.dictionaries(st.integers(1, 90), st.booleans(), min_size=1)
    ),
    timed_out=st.booleans(),
)
_CHECKS = st.lists(
    st.builds(check, st.sampled_from(["tests", "pytest", "ruff"]), st.sampled_from(["success", "failure"])), max_size=2
)


@settings(max_examples=num_examples(150), deadline=None)
@given(posted=_SAID, checks=_CHECKS)
def test_whatever_a_stranger_says_the_verdict_is_never_better_than_in_silence(
    validated: ValidationReport, posted: PostedTools, checks: list[CheckFacts]
):
    silent = settled(validated, checks=tuple(checks))
    report = settled(validated, posted, checks=tuple(checks))
    assert _WORSE.index(report.conclusion) >= _WORSE.index(silent.conclusion)
    assert report.hold >= silent.hold
    assert set(silent.blocking) <= set(report.blocking)
    assert silent.risk is not None
    assert report.risk is not None
    assert report.risk.level.at_least(silent.risk.level)
    report_as(report, "json")
