"""Judging apart: the same report as at home, no secret in the child, and nothing of it left when it is to end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.validators.configuration.model import ValidationConfig
from assay.validators.errors import ConfigurationError, CouldNotRun, UsageError, ValidationEnded
from assay.validators.io import process
from assay.validators.report.model import OWN_COMMANDS, Tier, Tiers, ValidationReport
from assay.validators.report.unknown import NotChecked
from assay.validators.run.isolated import Commands, ValidationOptions, ValidationRequest, validate_isolated
from assay.validators.run.pipeline import Options, validate
from assay.validators.tools.guarded import without_commands
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.repositories import RealRepository

BIG = 4 * 1024**3
SLEEPS = """
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
open({flag!r}, "w").close()
"""

RISK = ValidationOptions((Tier.risk,))


@pytest.fixture
def request_of(repository: RealRepository) -> ValidationRequest:
    base = repository.commit(
        "Start", {"shop.py": "def total(x):\n    return x\n", "use.py": "import shop\nshop.total(1)\n"}
    )
    repository.branch("claude/topic")
    head = repository.commit("Change", {"shop.py": "def total(x, y):\n    return x + y\n", "-odd\n.py": "x = 1\n"})
    # One tier, and not the scanners: most of what is tested here does not depend on what is judged.
    return ValidationRequest(str(repository.path), base, head, "main", "claude/topic", options=RISK)


def apart(request: ValidationRequest, **more: object) -> ValidationReport:
    given: dict[str, object] = {"deadline_s": 120, "memory_bytes": BIG} | more
    return validate_isolated(request, **given)  # type: ignore[arg-type]


@pytest.fixture
def stubborn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A judge that starts a grandchild in a session of its own, and then works for ever; its flag says that it does."""
    flag = tmp_path / "at-work"
    body = SLEEPS.format(flag=str(flag)) + "while True:\n    time.sleep(0.05)\n"
    monkeypatch.setattr(process, "own_python", lambda module: [sys.executable, "-P", "-c", body])
    return flag


def until(flag: Path) -> None:
    for _ in range(400):
        if flag.exists():
            return
        time.sleep(0.02)
    raise AssertionError("it did not begin")


def filled(path: Path) -> bytes:
    for _ in range(400):
        if content := path.read_bytes():
            return content
        time.sleep(0.02)
    raise AssertionError(f"{path} stayed empty")


def alive(mark: str) -> list[int]:
    return process.started_under(mark)


@pytest.fixture
def marks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The marks that were given out."""
    found: list[str] = []
    real = process.new_mark

    def noted() -> str:
        found.append(real())
        return found[-1]

    monkeypatch.setattr(process, "new_mark", noted)
    return found


# ------------------------------------------------------------------ the report


def test_apart_and_at_home_a_change_gets_the_same_report(request_of: ValidationRequest):
    seen: list[str] = []
    started: list[int] = []
    whole = replace(request_of, options=ValidationOptions((Tier.tools, Tier.quality, Tier.risk)))
    there = apart(whole, on_started=started.append, on_progress=seen.append)
    with Repository(request_of.repository) as opened:
        change = replace(
            read_change(opened, request_of.base, request_of.head),
            base_name="main",
            head_name="claude/topic",
            branch="claude/topic",
        )
        here = validate(change, ValidationConfig(), Options(run_tools=without_commands))
    same: Any = {"durations_s": {}, "tiers": Tiers(risk=here.risk)}
    assert there.risk == here.risk
    assert replace(there, **same) == replace(here, **same)
    assert there.quality is not None
    assert here.quality is not None
    assert [one.id for one in there.findings] == [one.id for one in here.findings]
    assert there.agent.name == "claude-code"
    assert "risk: surface" in seen
    assert len(started) == 1
    with pytest.raises(ProcessLookupError):
        os.kill(started[0], 0)


@pytest.mark.soak
def test_the_commands_of_the_repository_are_not_run_and_it_is_said(request_of: ValidationRequest):
    report = apart(replace(request_of, options=ValidationOptions((Tier.tools,))))
    assert NotChecked(OWN_COMMANDS, "not run by Assay here") in report.not_checked


@pytest.mark.soak
def test_a_bare_repository_is_judged_too(request_of: ValidationRequest, repository: RealRepository, tmp_path: Path):
    repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    assert apart(replace(request_of, repository=str(tmp_path / "bare.git"))).risk is not None


def test_the_configuration_is_the_one_at_the_bases_tip(repository: RealRepository):
    repository.commit("Start", {"shop.py": "x = 1\n"})
    repository.branch("topic")
    loosened = {".github/assay.yml": "tier3: {riskThresholdForHold: critical}\nmode: advisory\n", "shop.py": "x = 2\n"}
    head = repository.commit("Change", loosened)
    repository.switch("main")
    base = repository.commit(
        "Stricter now", {".github/assay.yml": "mode: enforce\ntier3: {riskThresholdForHold: high}\n"}
    )
    report = apart(ValidationRequest(str(repository.path), base, head, options=RISK))
    assert report.mode == "enforce"
    assert report.settings["hold_at"] == "high"


@pytest.mark.soak
def test_the_configuration_may_be_the_one_at_another_commit(repository: RealRepository):
    base = repository.commit("Start", {".github/assay.yml": "mode: advisory\n", "shop.py": "x = 1\n"})
    repository.branch("topic")
    head = repository.commit("Change", {"shop.py": "x = 2\n"})
    repository.switch("main")
    tip = repository.commit("Stricter now", {".github/assay.yml": "mode: enforce\n", "other.py": "y = 1\n"})
    report = apart(ValidationRequest(str(repository.path), base, head, options=replace(RISK, settings=tip)))
    assert (report.mode, report.base.sha, report.merge_base) == ("enforce", base, base)


@pytest.mark.soak
def test_rule_files_come_from_where_the_configuration_does(repository: RealRepository):
    repository.commit("Start", {"shop.py": "x = 1\n"})
    repository.branch("topic")
    repository.commit("Change", {"shop.py": "print('a')\n"})
    repository.switch("main")
    repository.commit("Rules", {".assay/learned-rules.yml": "rules: wrong\n"})
    with Repository(repository.path) as opened:
        change = read_change(opened, "main", "topic")
        assert change.in_force.read(".assay/learned-rules.yml") is not None
        assert change.base.read(".assay/learned-rules.yml") is None


@pytest.mark.soak
def test_a_configuration_that_is_wrong_is_told_with_every_place(repository: RealRepository):
    base = repository.commit("Start", {".github/assay.yml": "mode: lax\ntier9: 1\n", "a.py": "x = 1\n"})
    head = repository.commit("Change", {"a.py": "x = 2\n"})
    with pytest.raises(ConfigurationError) as raised:
        apart(ValidationRequest(str(repository.path), base, head))
    assert [(one.file, one.line) for one in raised.value.problems] == [
        (".github/assay.yml", 1),
        (".github/assay.yml", 2),
    ]


@pytest.mark.soak
def test_commits_that_are_not_there_are_the_askers_mistake(request_of: ValidationRequest):
    with pytest.raises(UsageError, match=r"git\.unknown-revision"):
        apart(replace(request_of, head="1" * 40))


@pytest.mark.soak
def test_a_repository_that_lost_contents_cannot_be_looked_at(request_of: ValidationRequest, repository: RealRepository):
    blob = repository.git("rev-parse", f"{request_of.head}:shop.py").strip()
    (repository.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(CouldNotRun):
        apart(request_of)


# ------------------------------------------------------------------ secrets


def test_no_secret_of_ours_is_in_the_child(request_of: ValidationRequest, monkeypatch: pytest.MonkeyPatch):
    secrets = {
        "GITHUB_TOKEN": "leak1", "ASSAY_PRIVATE_KEY": "leak2", "ASSAY_WEBHOOK_SECRET": "leak3",
        "ANTHROPIC_API_KEY": "leak4",
        "ASSAY_DATABASE_URL": "postgresql://u:leak5@h/d", "AWS_SECRET_ACCESS_KEY": "leak6", "SSH_AUTH_SOCK": "leak7",
        "HTTPS_PROXY": "http://u:leak8@proxy", "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "leak9", "ASSAY_ALERT_URLS": "leak0",
    }  # fmt: skip
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    environments: list[bytes] = []
    commands: list[bytes] = []

    def look(pid: int) -> None:
        # Both files are empty for a moment: Popen returns when exec closes its pipe, before the new stack is filled.
        environments.append(filled(Path(f"/proc/{pid}/environ")))
        commands.append(filled(Path(f"/proc/{pid}/cmdline")))

    apart(request_of, on_started=look)
    assert b"TMPDIR=" in environments[0]
    assert b"leak" not in environments[0]
    assert b"leak" not in commands[0]
    assert str(request_of.repository).encode() not in commands[0]


# ------------------------------------------------------------------ the end


def test_a_judge_that_is_stopped_is_dead_with_all_it_started(
    request_of: ValidationRequest, stubborn: Path, marks: list[str]
):
    stop = threading.Event()

    def soon() -> None:
        until(stubborn)
        assert len(alive(marks[0])) == 2
        stop.set()

    thread = threading.Thread(target=soon)
    thread.start()
    with pytest.raises(ValidationEnded, match="stopped") as raised:
        apart(request_of, stop=stop)
    thread.join()
    assert raised.value.why == "stopped"
    assert alive(marks[0]) == []


@pytest.mark.system
def test_a_judge_that_takes_too_long_is_ended_with_all_it_started(
    request_of: ValidationRequest, stubborn: Path, marks: list[str]
):
    with pytest.raises(ValidationEnded, match=r"longer than 1\.5 s \(incident [0-9a-f]{12}\)") as raised:
        apart(request_of, deadline_s=1.5)
    assert raised.value.why == "deadline"
    assert alive(marks[0]) == []


def test_a_judge_that_is_killed_is_told_apart_from_one_that_has_answered(request_of: ValidationRequest):
    with pytest.raises(ValidationEnded) as raised:
        apart(request_of, on_started=lambda pid: os.kill(pid, signal.SIGKILL))
    assert raised.value.why == "crashed"


def test_what_a_judge_starts_may_not_take_more_memory_than_all_of_it_may(
    request_of: ValidationRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marks: list[str]
):
    inner = "x = bytearray(300 << 20); import time; time.sleep(60)"
    hungry = f"import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', {inner!r}])\ntime.sleep(60)"
    monkeypatch.setattr(process, "own_python", lambda module: [sys.executable, "-P", "-c", hungry])
    with pytest.raises(ValidationEnded, match="more than 200 MiB") as raised:
        apart(request_of, memory_bytes=200 << 20)
    assert raised.value.why == "memory"
    assert alive(marks[0]) == []


@pytest.mark.soak
def test_a_judge_that_runs_out_of_its_own_memory_says_so(request_of: ValidationRequest):
    with pytest.raises(ValidationEnded) as raised:
        apart(request_of, memory_bytes=16 << 20)
    assert raised.value.why == "memory"


@pytest.mark.parametrize("answer", ["no json", "[1]", '{"report": {}}', '{"error": 1}', '{"error": {"kind": "x"}}'])
def test_an_answer_that_means_nothing_is_no_report(
    request_of: ValidationRequest, answer: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(process, "own_python", lambda module: [sys.executable, "-c", f"print({answer!r})"])
    with pytest.raises((CouldNotRun, UsageError)):
        apart(request_of)


def test_an_orphan_ends_itself_with_all_it_started(request_of: ValidationRequest, tmp_path: Path):
    """Whoever asked is killed without a chance to clean up: its end of the child's input closes."""
    flag = tmp_path / "child"
    asker = (
        "import sys, time\n"
        "from assay.validators.io import process\n"
        "from assay.validators.run import isolated\n"
        "real = process.own_python\n"
        f"request = isolated.ValidationRequest({request_of.repository!r}, {request_of.base!r}, {request_of.head!r})\n"
        "def started(pid):\n"
        f"    open({str(flag)!r}, 'w').write(str(pid))\n"
        "    time.sleep(60)\n"
        "isolated.validate_isolated(request, deadline_s=60, memory_bytes=1 << 32, on_started=started)\n"
    )
    parent = subprocess.Popen([sys.executable, "-P", "-c", asker], cwd=tmp_path)
    until(flag)
    time.sleep(0.1)
    child = int(flag.read_text())
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    for _ in range(100):
        if not Path(f"/proc/{child}").exists() or b"Z" in Path(f"/proc/{child}/stat").read_bytes().split(b")")[1][:3]:
            return
        time.sleep(0.05)
    raise AssertionError("the child lives on")


@pytest.mark.soak
def test_two_changes_can_be_judged_at_once(request_of: ValidationRequest):
    found: list[ValidationReport] = []
    threads = [threading.Thread(target=lambda: found.append(apart(request_of))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.title for one in found] == [found[0].title] * 2


def test_a_request_survives_its_way(request_of: ValidationRequest):
    assert ValidationRequest.from_data(request_of.to_data()) == request_of
    full = replace(request_of, options=ValidationOptions(commands=Commands.alone, settings="1" * 40, lines=True))
    assert ValidationRequest.from_data(full.to_data()) == full
