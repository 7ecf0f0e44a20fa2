"""Validating in the Action: what runs when, and results that fit whoever reads them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.action.environment.inputs import Inputs, Mode
from assay.action.environment.subject import Subject, SubjectKind
from assay.action.steps.isolated import MODEL_REVIEW, bounded_body, tools_body, validate_subject
from assay.github.errors import ValidationFailed
from assay.github.external_results.tools_payload import (
    MOST_BODY_BYTES,
    MOST_FINDINGS,
    MOST_LINES,
    MOST_RUNS,
    PostedTools,
    read_posted,
)
from assay.validators import (
    OWN_COMMANDS,
    Finding,
    Gate,
    NotChecked,
    Outcome,
    Severity,
    Tier,
    ToolKind,
    ToolRun,
    ToolsResult,
)
from tests.examples import sampled
from tests.fakes.model import FakeModel, Says
from tests.repositories import RealRepository
from tests.review_bench.reviewers import claim, question_of

RUN = ToolRun("pytest", ToolKind.test, "pytest -q", "Makefile", Outcome.passed, Gate.strict, 1.0)
FINDING = Finding(Tier.tools, Severity.warning, "F401", "a.py", "unused", line=1, tool="ruff", id="0123456789ab")


def read(body: bytes) -> PostedTools:
    assert len(body) <= MOST_BODY_BYTES
    return read_posted(body)


def left_out(posted: PostedTools) -> set[str]:
    return {note.what for note in posted.tools.not_checked}


# ------------------------------------------------------------------ what runs


@pytest.fixture
def subject(repository: RealRepository) -> Subject:
    settings = "tier1: {commands: ['sh run.sh'], setup: none, sandbox: 'off', gate: strict}\n"
    script = f"touch {repository.path.parent}/ran\necho '::error::hello ##[error]x'\nexit 1\n"
    base = repository.commit("Start", {".github/assay.yml": settings, "run.sh": script, "a.py": "x = 1\n"})
    head = repository.commit("::error::Change", {"a.py": "x = 2\n"})
    return Subject(base, head, "main", "topic", 7, SubjectKind.pull)


def inputs_of(repository: RealRepository, **more: object) -> Inputs:
    return Inputs(**({"report_path": repository.path.parent, "tiers": (Tier.tools,)} | more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mode", "is_second_stage", "runs"),
    sampled(
        [
            (Mode.validate, False, True),
            (Mode.publish, False, False),
            (Mode.publish, True, False),
            (Mode.validate, True, False),
        ],
        2,
    ),
)
def test_the_changes_commands_run_only_where_nothing_is_published(
    mode: Mode, is_second_stage: bool, runs: bool, subject: Subject, repository: RealRepository
):
    subject = replace(subject, is_second_stage=is_second_stage)
    said: list[str] = []
    report = validate_subject(subject, repository.path, inputs_of(repository, mode=mode), said.append)
    assert (repository.path.parent / "ran").exists() is runs
    assert report.tools is not None
    assert ("sh run.sh" in {run.command for run in report.tools.runs}) is runs
    assert (OWN_COMMANDS in {note.what for note in report.not_checked}) is not runs
    assert said


@pytest.mark.system
def test_the_model_that_is_named_reviews_the_change(
    subject: Subject, repository: RealRepository, monkeypatch: pytest.MonkeyPatch
):
    place = {"side": "head", "path": "a.py", "quote": "x = 2"}
    made = claim(place, fix=None)
    stands = {"verdict": "stands", "reason": "it is so", "evidence": [place]}
    answers: dict[str, dict[str, Any]] = {
        "correctness": {"findings": [made]},
        "refute": stands,
        "risk": {"factors": [], "unknowns": []},
    }
    with FakeModel(answers=lambda asked: Says(answers.get(question_of(asked), {"findings": []}))) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-the-job")
        inputs = inputs_of(repository, mode=Mode.publish, tiers=tuple(Tier), review_model="claude-haiku-5-5")
        report = validate_subject(subject, repository.path, inputs, lambda _: None)
    assert [(one.rule, one.file, one.line) for one in report.findings if one.rule.startswith("review.")] == [
        ("review.correctness", "a.py", 1)
    ]
    assert report.review is not None
    assert report.review.model == "claude-haiku-5-5"


def test_a_missing_key_is_in_the_report(subject: Subject, repository: RealRepository, monkeypatch: pytest.MonkeyPatch):
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    inputs = inputs_of(repository, mode=Mode.publish, review_model="claude-haiku-5-5")
    report = validate_subject(subject, repository.path, inputs, lambda _: None)
    assert MODEL_REVIEW in {note.what for note in report.not_checked}
    assert report.review is None


def test_a_wrong_configuration_is_a_report(repository: RealRepository):
    base = repository.commit("Start", {".github/assay.yml": "tier9: {}\n"})
    subject = Subject(base, repository.commit("Change", {"a.py": "x = 2\n"}), "main", "topic")
    report = validate_subject(subject, repository.path, inputs_of(repository), lambda _: None)
    assert report.configuration_at_fault
    assert "tier9" in report.reasons[0]


@pytest.mark.soak
def test_the_commands_alone_are_written_down_under_the_jobs_name(subject: Subject, repository: RealRepository):
    posted = read(tools_body(subject, repository.path, "tools", lambda _: None))
    assert posted.job == "tools"
    assert [(run.command, run.outcome, run.gating) for run in posted.tools.runs] == [
        ("sh run.sh", Outcome.failed, True)
    ]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("config", "why"),
    [("tier9: {}\n", "the configuration is invalid"), ("tier1: {enabled: false}\n", "Tier 1 is disabled")],
)
def test_commands_that_did_not_run_are_told_with_the_reason(config: str, why: str, repository: RealRepository):
    base = repository.commit("Start", {".github/assay.yml": config})
    head = repository.commit("Change", {"a.py": "x = 2\n"})
    posted = read(tools_body(Subject(base, head, "main", "topic"), repository.path, "tools", lambda _: None))
    (note,) = posted.tools.not_checked
    assert note.what == OWN_COMMANDS
    assert why in note.why


def test_commits_that_are_not_there_are_no_verdict(subject: Subject, repository: RealRepository):
    with pytest.raises(ValidationFailed):
        validate_subject(replace(subject, head_sha="d" * 40), repository.path, inputs_of(repository), lambda _: None)


# ------------------------------------------------------------------ what fits


def test_what_fits_is_handed_on_whole():
    lines = {"a.py": {1: True, 2: False}}
    tools = ToolsResult((RUN,), (FINDING,), line_coverage=lines, coverage_source="coverage.xml")
    posted = read(bounded_body(tools, "tools", 9))
    assert (posted.job, posted.run_id) == ("tools", 9)
    assert posted.tools.line_coverage == lines
    assert [one.rule for one in posted.tools.findings] == ["F401"]
    assert posted.tools.not_checked == ()


@pytest.mark.parametrize(
    "lines",
    sampled(
        [
            {f"f{number}.py": {1: True} for number in range(20_001)},
            {"a.py": dict.fromkeys(range(1, MOST_LINES + 2), True)},
            {f"{'d' * 200}/f{number}.py": dict.fromkeys(range(1, 200, 2), True) for number in range(8_000)},
            {},
        ],
        2,
    ),
    ids=["files", "lines", "bytes", "lost on the way"],
)
def test_the_lines_that_tests_ran_go_first(lines: dict[str, dict[int, bool]]):
    tools = ToolsResult((RUN,), (FINDING,), line_coverage=lines or None, coverage_source="coverage.xml")
    posted = read(bounded_body(tools, "tools"))
    assert posted.tools.line_coverage is None
    assert posted.tools.coverage_source is None
    assert left_out(posted) == {"which lines the tests ran"}
    assert len(posted.tools.findings) == 1


@pytest.mark.soak
def test_the_gravest_findings_and_what_failed_are_kept():
    error = replace(FINDING, severity=Severity.error, rule="E999")
    failed = replace(RUN, name="tsc", outcome=Outcome.failed, gating=True)
    tools = ToolsResult((*[RUN] * MOST_RUNS, failed), (*[FINDING] * MOST_FINDINGS, error))
    posted = read(bounded_body(tools, "tools"))
    assert left_out(posted) == {"further findings", "further commands"}
    assert "E999" in {one.rule for one in posted.tools.findings}
    assert "tsc" in {run.name for run in posted.tools.runs}


def test_large_texts_are_cut_and_a_replacement_is_whole_or_none():
    run = replace(RUN, reason="r" * 9_000, excerpt=("\x1b\u202e" * 4_000,) * 40)
    findings = (replace(FINDING, message="m" * 9_000, replacement="x" * 9_000), replace(FINDING, replacement="y"))
    posted = read(bounded_body(ToolsResult((run,), findings), "tools"))
    assert {one.replacement for one in posted.tools.findings} == {None, "y"}
    assert posted.tools.runs[0].reason is not None
    assert posted.tools.runs[0].reason.endswith("…")


@pytest.mark.soak
def test_megabytes_of_findings_become_fewer_and_it_is_said():
    findings = tuple(replace(FINDING, message=f"{number}" + "\u202e" * 3_000) for number in range(3_000))
    posted = read(bounded_body(ToolsResult((RUN,), findings), "tools"))
    assert 0 < len(posted.tools.findings) < 3_000
    assert "further findings" in left_out(posted)


def test_a_thousand_remarks_are_told_as_a_thousand():
    notes = tuple(NotChecked(f"n{number}", "why") for number in range(1_000))
    posted = read(bounded_body(ToolsResult((RUN,), not_checked=notes), "tools"))
    assert len(posted.tools.not_checked) <= 500
    assert "further remarks" in left_out(posted)


@given(st.text(), st.text(), st.integers(0, 3))
def test_whatever_tools_say_can_be_read_again(words: str, path: str, num: int):
    finding = replace(FINDING, message=words, file=path or "a", suggestion=words)
    run = replace(RUN, name=words or "x", command=words, reason=words, excerpt=(words,) * num)
    body = bounded_body(ToolsResult((run,), (finding,) * num, not_checked=(NotChecked(words, words),)), "tools")
    assert read(body).job == "tools"
    assert json.loads(body)["version"] == 1


@pytest.mark.soak
def test_nothing_is_left_of_the_validating(subject: Subject, repository: RealRepository, tmp_path: Path):
    before = set(tmp_path.iterdir())
    validate_subject(subject, repository.path, inputs_of(repository, mode=Mode.publish), lambda _: None)
    assert set(tmp_path.iterdir()) == before
