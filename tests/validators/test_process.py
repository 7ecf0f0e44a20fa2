"""A stranger's command is bounded in time and output, alone, and leaves nothing behind."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from assay.validators.errors import ProgramMissing
from assay.validators.io import process
from assay.validators.vcs.git_command import run_git

MIB = 1024 * 1024


def _run(*command: str, timeout_s: float = 20, **settings: object) -> process.Completed:
    env = process.clean_environment()
    return process.run(command, cwd="/", env=env, timeout_s=timeout_s, **settings)  # type: ignore[arg-type]


def _wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + 20
    while _is_alive(pid):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_output_and_exit_code_come_back() -> None:
    done = _run("bash", "-c", "echo out; echo err >&2; exit 3")
    assert (done.returncode, done.stdout, done.stderr) == (3, b"out\n", b"err\n")
    assert not done.timed_out


def test_merged_output_keeps_the_order() -> None:
    done = _run("bash", "-c", "echo a; echo b >&2; echo c", merged=True)
    assert done.stdout == b"a\nb\nc\n"
    assert done.stderr == b""


def test_input_larger_than_a_pipe_arrives_whole() -> None:
    done = _run("wc", "-c", stdin=b"x" * (3 * MIB))
    assert done.stdout.split() == [str(3 * MIB).encode()]


def test_a_command_that_reads_no_input_does_not_block() -> None:
    assert _run("true", stdin=b"x" * MIB).returncode == 0


def test_a_hanging_command_is_killed_when_its_time_is_up() -> None:
    done = _run("sleep", "600", timeout_s=0.5)
    assert done.timed_out
    assert done.returncode is None


@pytest.mark.system
def test_a_command_that_ignores_the_polite_signal_is_killed_too() -> None:
    done = _run("bash", "-c", "trap '' TERM; echo $$; while :; do sleep 0.1; done", timeout_s=0.5)
    assert done.timed_out
    assert not _is_alive(int(done.stdout.split()[0]))


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="daemons are found by /proc")
def test_a_daemon_that_left_the_group_is_killed() -> None:
    done = _run("bash", "-c", "setsid bash -c 'echo $$; exec sleep 60' & sleep 0.3")
    assert done.returncode == 0
    assert not _is_alive(int(done.stdout.split()[0]))


def test_what_is_trusted_not_to_leave_its_group_ends_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """And no other process of the machine is looked at."""
    monkeypatch.setattr(process, "_process_ids", None)
    done = _run("bash", "-c", "sleep 60 >&- 2>&- & echo $!", may_leave=False)
    assert done.returncode == 0
    _wait_until_gone(int(done.stdout))


def test_git_is_read_without_a_look_at_all_processes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(process, "_process_ids", None)
    assert run_git(["--version"], cwd=tmp_path, timeout_s=20, output_limit=MIB).ok


def test_a_daemon_that_holds_the_pipes_does_not_hold_us() -> None:
    assert _run("bash", "-c", "sleep 600 & echo done").stdout == b"done\n"


def test_a_flood_is_cut_in_the_middle_and_says_so() -> None:
    done = _run("bash", "-c", "echo first; yes | head -c 50000000; echo last", output_limit=MIB)
    assert len(done.stdout) < 2 * MIB
    assert done.stdout.startswith(b"first\n")
    assert done.stdout.endswith(b"last\n")
    assert b"bytes not kept" in done.stdout
    assert done.num_dropped > 40 * MIB


def test_the_beginning_of_each_line_can_be_kept() -> None:
    code = "import sys; sys.stdout.write('ab\\n' + 'x' * 200_000 + '\\n\\ncd')"
    done = _run(sys.executable, "-c", code, longest_line=5)
    assert (done.stdout, done.num_dropped) == (b"ab\nxxxxx\n\ncd", 0)


@pytest.mark.soak
def test_a_flood_of_a_gigabyte_stays_in_bounds() -> None:
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    done = _run("bash", "-c", "yes | head -c 1073741824", timeout_s=120)
    assert done.returncode == 0
    assert done.num_dropped > 1000 * MIB
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 * 1024, "kilobytes"


def test_a_killed_command_shows_its_signal() -> None:
    assert _run("bash", "-c", "kill -9 $$").returncode == -9


def test_a_missing_program_is_one_clear_line() -> None:
    with pytest.raises(ProgramMissing, match="no-such-program: not found; could not be started"):
        _run("no-such-program")


def test_a_command_line_no_program_can_be_given_is_one_clear_line() -> None:
    with pytest.raises(ProgramMissing, match=r"program\.missing"):
        _run("echo", "a\0b")


def test_no_credential_reaches_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = {
        "GITHUB_TOKEN": "t1", "ANTHROPIC_API_KEY": "t2", "AWS_SECRET_ACCESS_KEY": "t3",
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "t4",
        "PYTHONPATH": "/x", "PYTHONSAFEPATH": "1", "VIRTUAL_ENV": "/v", "GITHUB_ENV": "/e", "SSH_AUTH_SOCK": "/s",
        "PIP_INDEX_URL": "https://me:password@index.example/simple",
    }  # fmt: skip
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    seen = _run("env").stdout.decode()
    for name in secrets:
        assert f"{name}=" not in seen


def test_our_own_environment_is_not_on_its_path() -> None:
    path = process.clean_environment()["PATH"].split(":")
    assert str(Path(sys.prefix, "bin")) not in path
    assert path
