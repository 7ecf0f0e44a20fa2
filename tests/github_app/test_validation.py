"""One pull request from its commits to a settled report, without a store: the same for App and Action."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.github.errors import CheckoutFailed, ValidationFailed
from assay.github.events.model import CheckFacts, Person, PullFacts
from assay.github.external_results.github_checks import Around
from assay.github.external_results.tools_payload import PostedTools, body_of, read_posted
from assay.github.pull_request.checkout import Mirrors
from assay.github.pull_request.validate import (
    ExternalResults,
    RemoteRepository,
    ValidationProcess,
    complete,
    configuration_hash,
    validate_pull_request,
)
from assay.validators import (
    OWN_COMMANDS,
    Conclusion,
    Gate,
    Outcome,
    ToolKind,
    ToolRun,
    ToolsResult,
    ValidationReport,
    Waiver,
    WaiverKind,
    read_report,
    report_as,
)
from tests.github_app.git_server import TOKEN, GitServer, serving
from tests.repositories import RealRepository

TESTS = "def test_total():\n    assert total(1) == 1\n    assert total(2) == 2\n"
WEAKENED = "def test_total():\n    assert total(1) == 1\n"


def pull(base: str, head: str, **more: Any) -> PullFacts:
    return PullFacts(70, 7, "A change", "", Person("ada", 5), head, "claude/topic", base, "main", **more)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> RealRepository:
    """One repository for all of these: nothing here writes into it."""
    return RealRepository(tmp_path_factory.mktemp("shop") / "repository")


@pytest.fixture(scope="module")
def change(repository: RealRepository) -> PullFacts:
    base = repository.commit("Start", {"shop.py": "def total(x):\n    return x\n", "test_shop.py": TESTS})
    repository.branch("claude/topic")
    head = repository.commit("Change", {"shop.py": "def total(x):\n    return x + 0\n", "test_shop.py": WEAKENED})
    return pull(base, head)


@pytest.fixture(scope="module")
def validated(repository: RealRepository, change: PullFacts) -> ValidationReport:
    """The change's report, before anybody said anything about it."""
    return validate_pull_request(change, repository.path)


def check(name: str, conclusion: str | None) -> CheckFacts:
    status = "completed" if conclusion else "in_progress"
    return CheckFacts("check_run", "1", name, "ab" * 20, status, conclusion, app_id=1, app_slug="ci")


@pytest.mark.soak
def test_a_pull_request_is_validated_and_settled_at_once(repository: RealRepository, change: PullFacts):
    told = ExternalResults([check("tests", "failure"), check("lint", "success"), check("e2e", None)])
    settled = complete(validate_pull_request(change, repository.path), told)
    report = settled.report
    assert report.conclusion is Conclusion.failure
    assert "tests fail" in report.title
    assert settled.awaited == ("e2e",)
    assert (report.base.name, report.head.name, report.agent.name) == ("main", "claude/topic", "claude-code")
    assert OWN_COMMANDS not in {note.what for note in report.not_checked}


@pytest.mark.soak
def test_settling_again_forgets_what_was_told_before(validated: ValidationReport):
    first = complete(validated, ExternalResults([check("tests", "failure"), check("e2e", None)]))
    kept = read_report(report_as(first.report, "json"))
    second = complete(kept, ExternalResults([check("tests", "success"), check("e2e", "success")]))
    assert (
        second.report
        == complete(validated, ExternalResults([check("tests", "success"), check("e2e", "success")])).report
    )
    assert second.report.conclusion is Conclusion.success or second.report.blocking
    assert second.awaited == ()


def test_posted_results_speak_for_the_job_they_come_from(validated: ValidationReport):
    run = ToolRun("pytest", ToolKind.test, "pytest", "Makefile", Outcome.passed, Gate.strict, 1.0)
    lines = {"shop.py": {1: True, 2: True}}
    posted = read_posted(body_of(ToolsResult((run,), line_coverage=lines, passed_files=("test_shop.py",)), job="tools"))
    told = ExternalResults([check("assay / tools", "failure")], posted=[posted])
    report = complete(validated, told).report
    assert report.tools is not None
    assert "pytest" in {one.name for one in report.tools.runs}
    assert "assay / tools" not in {one.name for one in report.tools.runs}
    assert report.tools.reported_by == "the change's own workflow run"
    assert report.tools.passed_files == ("test_shop.py",)
    assert report.risk is not None
    assert report.risk.coverage.percent == 100.0


def test_what_a_second_stage_passes_on_takes_no_check_away(validated: ValidationReport):
    run = ToolRun("pytest", ToolKind.test, "pytest", "Makefile", Outcome.passed, Gate.strict, 1.0)
    posted = read_posted(body_of(ToolsResult((run,)), job="tests", run_id=9))
    report = complete(validated, ExternalResults([check("ci / tests", "failure")], posted=[posted])).report
    assert report.tools is not None
    assert "ci / tests" in {one.name for one in report.tools.runs}
    assert report.conclusion is Conclusion.failure


def test_what_a_person_waived_does_not_block(validated: ValidationReport):
    assert validated.findings
    ids = {one.id: Waiver(one.id, WaiverKind.accept, "rui", "known") for one in validated.findings}
    settled = complete(validated, waivers=ids)
    assert settled.report.blocking == ()
    assert {one.by for one in settled.report.waivers} == {"rui"}


def test_waiting_is_over_when_it_is_said_so(validated: ValidationReport):
    assert complete(validated, ExternalResults([check("e2e", None)], Around(is_over=True))).awaited == ()


@pytest.mark.soak
def test_a_wrong_configuration_on_the_base_is_a_report_that_asks_for_it_to_be_mended(tmp_path: Path):
    repository = RealRepository(tmp_path / "other")
    base = repository.commit("Start", {".github/assay.yml": "tier9: 1\n", "a.py": "x = 1\n"})
    head = repository.commit("Change", {"a.py": "x = 2\n"})
    report = complete(
        validate_pull_request(pull(base, head), repository.path), ExternalResults([check("tests", "failure")])
    ).report
    assert (report.conclusion, report.configuration_at_fault) == (Conclusion.action_required, True)
    assert ".github/assay.yml:1" in report.reasons[0]
    assert read_report(report_as(report, "json")) == report
    assert "tier9" in report_as(report, "markdown")


def test_the_hash_of_the_configuration_changes_with_it(validated: ValidationReport):
    one = validated
    other = replace(one, settings={**one.settings, "configuration": {"mode": "enforce"}})
    assert len(configuration_hash(one)) == 16
    assert configuration_hash(one) != configuration_hash(other)


# ------------------------------------------------------------------ fetched


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    (tmp_path / "served").mkdir()
    with serving(GitServer(tmp_path / "served")) as one:
        yield one


@pytest.fixture
def remote(server: GitServer, repository: RealRepository, change: PullFacts, tmp_path: Path) -> RemoteRepository:
    bare = server.root / "acme" / "shop.git"
    repository.git("clone", "--quiet", "--bare", str(repository.path), str(bare))
    repository.git("--git-dir", str(bare), "config", "uploadpack.allowFilter", "true")
    return RemoteRepository("acme/shop", 77, f"{server.url}/acme/shop.git", Mirrors(tmp_path / "mirrors"), TOKEN)


@pytest.mark.soak
def test_a_pull_request_is_fetched_and_validated_the_same(
    remote: RemoteRepository, change: PullFacts, validated: ValidationReport, tmp_path: Path
):
    fetched = validate_pull_request(change, remote)
    for tier in ("tools", "quality", "risk"):
        assert _timeless(getattr(fetched, tier)) == _timeless(getattr(validated, tier))
    assert remote.mirrors.forget(77)


def _timeless(tier: Any) -> Any:
    """A tier without how long its runs took."""
    return (
        replace(tier, runs=tuple(replace(run, duration_s=0.0) for run in tier.runs)) if hasattr(tier, "runs") else tier
    )


@pytest.mark.soak
def test_a_mirror_that_turns_out_damaged_is_made_anew_and_the_head_validated(
    remote: RemoteRepository, change: PullFacts, tmp_path: Path
):
    validate_pull_request(change, remote)
    packs = sorted(
        (tmp_path / "mirrors" / "77.git" / "objects" / "pack").glob("*.pack"), key=lambda path: path.stat().st_size
    )
    for pack in packs:
        pack.chmod(0o600)
        data = bytearray(pack.read_bytes())
        data[16:-20] = bytes(byte ^ 0xFF for byte in data[16:-20])
        pack.write_bytes(bytes(data))
    assert validate_pull_request(change, remote).risk is not None


def test_a_validation_that_is_stopped_leaves_no_mirror_in_use(
    remote: RemoteRepository, change: PullFacts, tmp_path: Path
):
    stop = threading.Event()
    stop.set()
    with pytest.raises(ValidationFailed, match="stopped"):
        validate_pull_request(change, remote, process=ValidationProcess(stop=stop))
    assert remote.mirrors.forget(77)


def test_what_cannot_be_fetched_is_said(remote: RemoteRepository, change: PullFacts, tmp_path: Path):
    with pytest.raises(CheckoutFailed, match="acme/shop"):
        validate_pull_request(replace(change, head_sha="1" * 40), remote)
    assert TOKEN not in repr(remote)


def test_a_validation_that_takes_too_long_is_a_failure_of_ours_with_a_number(
    repository: RealRepository, change: PullFacts
):
    with pytest.raises(ValidationFailed, match=r"longer than 0\.05 s \(incident [0-9a-f]{12}\)"):
        validate_pull_request(change, repository.path, process=ValidationProcess(deadline_s=0.05))


@pytest.mark.soak
def test_nothing_here_needs_a_server_or_a_store():
    """The Action uses these files in an environment that has neither."""
    import subprocess
    import sys

    code = (
        "import sys, assay.github.pull_request.validate\n"
        "import assay.github.external_results.tools_payload, assay.github.external_results.github_checks\n"
        "print(sorted({'sqlalchemy', 'fastapi', 'dbos', 'pydantic_settings', 'apprise'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_posted_results_of_nobody_change_nothing(validated: ValidationReport):
    assert (
        complete(validated, ExternalResults(posted=[PostedTools(ToolsResult())])).report.conclusion
        is validated.conclusion
    )
