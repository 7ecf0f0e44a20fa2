"""Commands inside bubblewrap, where it works; and that it is said where it does not."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from assay.validators.configuration.model import Sandbox as Wanted
from assay.validators.errors import ProgramMissing
from assay.validators.report.model import Outcome
from assay.validators.tools.execution.sandbox import WITHOUT_NETWORK, Sandbox, open_sandbox
from assay.validators.tools.run import EFFECTS_ON_MACHINE, KEEP_OFF_THE_NETWORK
from tests.repositories import RealRepository
from tests.validators.tools.changes import only, run_on, settings


@pytest.fixture(scope="session")
def works(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skips where bubblewrap is missing or user namespaces are forbidden."""
    sandbox = open_sandbox(Wanted.auto, network=True, scratch=tmp_path_factory.mktemp("trial"))
    if sandbox.program is None:
        pytest.skip(sandbox.why or "no sandbox")


@pytest.fixture
def change(repository: RealRepository) -> RealRepository:
    repository.commit(files={"a": "1"})
    repository.commit(files={"a": "2"})
    return repository


@pytest.mark.usefixtures("works")
@pytest.mark.parametrize(
    ("line", "passes"),
    [
        ("touch here && touch $TMPDIR/x && touch /tmp/x", True),
        ("touch /etc/x", False),
        ("touch /usr/x", False),
        ("git log -1 && git status", True),
        ("test $(ls /proc | grep -c '^[0-9]') -lt 12", True),
        ("exit 0", True),
    ],
)
def test_a_command_writes_its_own_tree_and_nothing_else(change: RealRepository, line: str, passes: bool):
    result = run_on(change, settings(line, sandbox="required", gate="strict"))
    assert only(result).outcome is (Outcome.passed if passes else Outcome.failed), only(result).excerpt
    assert result.sandbox == "bubblewrap"


@pytest.mark.usefixtures("works")
def test_the_home_folder_and_its_keys_are_not_there(
    change: RealRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id").write_text("key")
    (home / ".cargo" / "bin").mkdir(parents=True)
    (home / ".cargo" / "bin" / "tool").write_text("#!/bin/sh\nexit 0\n")
    (home / ".cargo" / "bin" / "tool").chmod(0o755)
    (home / ".cargo" / "credentials.toml").write_text("token")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{home}/.cargo/bin:{Path(shutil.which('git') or '').parent}:/usr/bin:/bin")
    line = "test ! -e ~/.ssh && tool && ! grep -q token ~/.cargo/credentials.toml && touch ~/x"
    run = only(run_on(change, settings(line, sandbox="required")))
    assert run.outcome is Outcome.passed, run.excerpt
    assert not (home / "x").exists()


@pytest.mark.usefixtures("works")
def test_the_network_is_taken_away_where_the_configuration_says_so(change: RealRepository):
    line = "test \"$(cat /proc/net/dev | grep -vc -e lo: -e '|')\" = 0"
    result = run_on(change, settings(line, sandbox="required", network=False))
    assert only(result).outcome is Outcome.passed, only(result).excerpt
    assert result.sandbox == WITHOUT_NETWORK


@pytest.mark.usefixtures("works")
@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("no-such-program", Outcome.inert),
        ("kill -9 $$", Outcome.infra_failed),
        ("sleep 60", Outcome.timed_out),
        ("exit 3", Outcome.failed),
    ],
)
def test_ends_are_told_apart_inside_too(change: RealRepository, line: str, outcome: Outcome):
    config = settings({"run": line, "timeoutSeconds": 2}, sandbox="required", gate="strict")
    assert only(run_on(change, config)).outcome is outcome


def test_a_required_sandbox_that_is_not_there_is_never_silently_left_out(
    change: RealRepository, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("assay.validators.tools.execution.sandbox.PROGRAM", "no-such-bwrap")
    with pytest.raises(ProgramMissing, match=r"tier1\.sandbox is `required`"):
        run_on(change, settings("true", sandbox="required"))


def test_a_sandbox_that_does_not_work_is_as_good_as_none_and_that_is_said(
    change: RealRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho bwrap: no permissions to create a new namespace >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr("assay.validators.tools.execution.sandbox.PROGRAM", str(broken))
    result = run_on(change, settings("true", sandbox="auto", network=False))
    assert only(result).outcome is Outcome.passed
    assert "no permissions to create a new namespace" in (result.sandbox or "")
    assert KEEP_OFF_THE_NETWORK in [note.what for note in result.not_checked]
    open_to_network = run_on(change, settings("true", sandbox="auto"))
    assert EFFECTS_ON_MACHINE in [note.what for note in open_to_network.not_checked]
    with pytest.raises(ProgramMissing, match="no permissions"):
        run_on(change, settings("true", sandbox="required"))


def test_a_home_folder_closed_to_this_user_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    closed = tmp_path / "home"
    closed.mkdir(mode=0)
    monkeypatch.setenv("HOME", str(closed / "assay"))
    was = os.geteuid()
    os.seteuid(was or 65534)  # nothing is closed to root
    try:
        words = Sandbox("bwrap").wrapped(["true"], cwd=tmp_path, writable=[])
    finally:
        os.seteuid(was)
    assert "--ro-bind" in words
    assert not [word for word in words if word.startswith(str(closed))]


def test_what_the_sandbox_off_means_is_said(change: RealRepository):
    assert run_on(change, settings("true", sandbox="off")).sandbox == "none: switched off by tier1.sandbox"
