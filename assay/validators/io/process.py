"""Processes with limits on time and output, in a separate group that is killed at the end.

A command of a change is untrusted. It runs in a separate session. Its output is kept up to a limit: the beginning
and the end; the middle is read, so that the command cannot block, and dropped. At the end its whole group is killed,
and so are daemons that left the group: each run carries a mark in its environment by which they are found (Linux).
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import selectors
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from assay.validators.changes.change import shown
from assay.validators.errors import ProgramMissing
from assay.validators.io.kept_output import Kept, ShortLines

OUTPUT_LIMIT = 16 * 1024 * 1024
"""Bytes of each stream kept by default: half from the beginning, half from the end."""

GRACE_S = 2.0
"""Seconds between SIGTERM and SIGKILL for a group."""

DRAIN_S = 0.5
"""Seconds of reading the pipes after a command has ended."""

_MARK = "ASSAY_RUN_MARK"
_ALLOWED = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|SOURCE_DATE_EPOCH"
    r"|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS|GIT_SSL_CAINFO"
    r"|(https?|all|no)_proxy|(HTTPS?|ALL|NO)_PROXY"
    r"|PIP_(CERT|FIND_LINKS|INDEX_URL|EXTRA_INDEX_URL|DEFAULT_TIMEOUT)|UV_(INDEX_URL|DEFAULT_INDEX|CACHE_DIR|NATIVE_TLS|SYSTEM_CERTS)"
    r"|npm_config_(registry|cache|cafile)|NPM_CONFIG_(REGISTRY|CACHE|CAFILE)|PYENV_ROOT|JAVA_HOME|CARGO_HOME|RUSTUP_HOME|GOPATH|GOMODCACHE|GOCACHE|GOFLAGS|GOPROXY"
)
_CREDENTIAL_IN_URL = re.compile(r"://[^/@\s]*:[^/@\s]*@")


@dataclass(frozen=True, slots=True)
class Completed:
    """Result of a process. `returncode` is negative for a signal (as in `subprocess`), None after a timeout.

    `stdout` and `stderr` hold at most the limit each; `num_dropped` bytes were cut out of the middle. With
    `merged=True` everything is in `stdout`.
    """

    returncode: int | None
    stdout: bytes
    stderr: bytes
    duration_s: float
    timed_out: bool = False
    num_dropped: int = 0

    @property
    def ok(self) -> bool:
        return self.returncode == 0


def run(
    command: Sequence[str],
    *,
    cwd: str | os.PathLike[str],
    env: Mapping[str, str],
    timeout_s: float | None,
    stdin: bytes | None = None,
    merged: bool = False,
    output_limit: int = OUTPUT_LIMIT,
    on_output: Callable[[bytes], None] | None = None,
    may_leave: bool = True,
    longest_line: int | None = None,
) -> Completed:
    """Run a command until it ends or times out; never raise for what the command does.

    `longest_line`: bytes of each line of its standard output that are kept, before `output_limit` counts. `env` is
    the whole environment (see `clean_environment`). `may_leave=False` is for a trusted program that starts nothing
    outside its group: looking for daemons reads the environment of each process of the machine. Raises
    `ProgramMissing` if the program does not exist or cannot be executed.
    """
    mark = new_mark() if may_leave else None
    began = time.monotonic()
    child = _started(
        command,
        cwd,
        _marked(env, mark),
        stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
        stderr=subprocess.STDOUT if merged else subprocess.PIPE,
    )
    out = Kept(output_limit) if longest_line is None else ShortLines(output_limit, longest_line)
    err = Kept(output_limit)
    timed_out = True
    try:
        timed_out = not _Pump(child, stdin, (out, err)).until(
            None if timeout_s is None else began + timeout_s, on_output
        )
    finally:
        _end(child, mark, gently=timed_out)
    return Completed(
        returncode=None if timed_out else child.returncode,
        stdout=out.value(),
        stderr=err.value(),
        duration_s=time.monotonic() - began,
        timed_out=timed_out,
        num_dropped=out.num_dropped + err.num_dropped,
    )


def start(
    command: Sequence[str],
    *,
    cwd: str | os.PathLike[str],
    env: Mapping[str, str],
    errors: int = subprocess.DEVNULL,
    mark: str | None = None,
) -> subprocess.Popen[bytes]:
    """Start a trusted program to exchange data with over its pipes (git's batch mode); end it with `stop`.

    `errors` is an open file for its standard error. With a `mark` (`new_mark`), `stop` finds everything the program
    started, in any group or session.
    """
    return _started(command, cwd, _marked(env, mark), stdin=subprocess.PIPE, stderr=errors)


def pipes(child: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    """Return the input and output pipes of a program started by `start`."""
    if child.stdin is None or child.stdout is None:
        raise ValueError("this program was not started with pipes")
    return child.stdin, child.stdout


def stop(child: subprocess.Popen[bytes], mark: str | None = None) -> None:
    """End a program started by `start`, with its `mark` also everything it started; return when it is gone."""
    _end(child, mark, gently=False)


def new_mark() -> str:
    """Return a new mark for `start`."""
    return uuid.uuid4().hex


def started_under(mark: str) -> list[int]:
    """Return the ids of all processes that carry a mark: the marked one and those it started (Linux)."""
    needle = mark.encode()
    return [pid for pid in _process_ids() if needle in _environment_of(pid)]


def memory_under(mark: str) -> int:
    """Return the bytes of memory the processes that carry a mark use together, shared memory counted once (Linux)."""
    return sum(map(_memory_of, started_under(mark)))


def stop_all_of_ours() -> None:
    """End every process this one started, if it was itself started with a mark."""
    mark = os.environ.get(_MARK)
    if mark:
        _kill_marked(mark)


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the allow-listed part of this environment, safe for an untrusted command, plus `extra`.

    It has no token, no key, no `PYTHON*` setting, no virtual environment (taken off PATH), and no address with a
    password.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if _ALLOWED.fullmatch(name) and not _CREDENTIAL_IN_URL.search(value)
    }
    if sys.prefix != sys.base_prefix:
        ours = {str(Path(sys.prefix, "bin")), str(Path(sys.executable).parent)}
        kept["PATH"] = os.pathsep.join(part for part in kept.get("PATH", "").split(os.pathsep) if part not in ours)
    kept.setdefault("PATH", "/usr/local/bin:/usr/bin:/bin")
    return {**kept, "TERM": "dumb", **(extra or {})}


def limit_resource(what: int, limit: int) -> None:
    """Limit a resource (`resource.RLIMIT_…`) of this process and those it starts; a lower hard limit stays."""
    _, hard = resource.getrlimit(what)
    resource.setrlimit(what, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


_OF_SCANNERS = frozenset(("ast-grep", "ruff", "squawk", "zizmor"))


def own_program(name: str) -> str:
    """Return the path of a program installed with Assay (jscpd, zizmor, …); raise `ProgramMissing`."""
    beside = Path(sys.executable).parent / name
    if beside.is_file():
        return str(beside)
    found = shutil.which(name)
    if found is None:
        extra = "scanners" if name in _OF_SCANNERS else "cli"
        raise ProgramMissing(name, f"install Assay with its `{extra}` extra")
    return found


def semgrep_program() -> str:
    """Return the path of semgrep, which has a separate environment; raise `ProgramMissing`.

    The places are `ASSAY_SEMGREP`, a `.venv-sast` next to the current environment, then PATH.
    """
    named = os.environ.get("ASSAY_SEMGREP")
    beside = Path(sys.prefix).parent / ".venv-sast" / "bin" / "semgrep"
    found = named or (str(beside) if beside.is_file() else shutil.which("semgrep"))
    if not found or not Path(found).is_file():
        raise ProgramMissing("semgrep", "install it with `make install-sast`, or name it in ASSAY_SEMGREP")
    return found


def own_python(module: str) -> list[str]:
    """Return the command for a Python tool of this environment, without the current folder on its path."""
    return [sys.executable, "-P", "-m", module]


def _started(
    command: Sequence[str], cwd: str | os.PathLike[str], env: Mapping[str, str], *, stdin: int, stderr: int
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(command),
            cwd=cwd,
            env=env,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
        )
    except OSError as error:
        raise ProgramMissing(
            str(command[0]), f"could not be started ({error.strerror or error}): install it, or correct PATH"
        ) from None
    except ValueError:
        raise ProgramMissing(shown(str(command[0])), "could not be started (a NUL in its command line)") from None


class _Pump:
    """Exchange of bytes with a child until it ends or its time is up."""

    def __init__(self, child: subprocess.Popen[bytes], stdin: bytes | None, kept: tuple[Kept, Kept]) -> None:
        self._child = child
        self._unsent = memoryview(stdin or b"")
        self._waiting = selectors.DefaultSelector()
        for stream, keep in zip((child.stdout, child.stderr), kept, strict=True):
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
                self._waiting.register(stream, selectors.EVENT_READ, keep)
        if child.stdin is not None:
            os.set_blocking(child.stdin.fileno(), False)
            self._waiting.register(child.stdin, selectors.EVENT_WRITE)

    def until(self, deadline: float | None, on_output: Callable[[bytes], None] | None) -> bool:
        """Return True if the child has ended, False if the deadline came first."""
        ended_at: float | None = None
        with self._waiting:
            while self._waiting.get_map():
                now = time.monotonic()
                if self._child.poll() is None:
                    if deadline is not None and now >= deadline:
                        return False
                else:
                    ended_at = ended_at or now
                    # A daemon may hold the pipes open after the command has ended; its output is not the command's.
                    if now - ended_at > DRAIN_S:
                        break
                step = 0.1 if deadline is None else max(0.0, min(0.1, deadline - now))
                for key, _ in self._waiting.select(step):
                    self._move(key, on_output)
        try:
            self._child.wait(None if deadline is None else max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            return False
        return True

    def _move(self, key: selectors.SelectorKey, on_output: Callable[[bytes], None] | None) -> None:
        if key.data is None:
            self._send(key.fd)
            return
        data = os.read(key.fd, 65536)
        if not data:
            self._waiting.unregister(key.fileobj)
            return
        key.data.add(data)
        if on_output is not None:
            on_output(data)

    def _send(self, handle: int) -> None:
        try:
            self._unsent = self._unsent[os.write(handle, self._unsent[:65536]) :]
        except BrokenPipeError:
            self._unsent = self._unsent[:0]
        if not self._unsent and self._child.stdin is not None:
            self._waiting.unregister(self._child.stdin)
            self._child.stdin.close()


def _end(child: subprocess.Popen[bytes], mark: str | None, *, gently: bool) -> None:
    """Kill the child's group and whatever carries its mark; wait until the child is gone."""
    if gently and child.poll() is None:
        _signal_group(child.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(GRACE_S)
    _signal_group(child.pid, signal.SIGKILL)
    if mark is not None:
        _kill_marked(mark)
    child.wait()
    for stream in (child.stdin, child.stdout, child.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def _signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _marked(env: Mapping[str, str], mark: str | None) -> dict[str, str]:
    """Return the environment with this mark added to the current ones, so that our parent finds our children."""
    marks = [one for one in (os.environ.get(_MARK), mark) if one]
    return {**env, _MARK: "/".join(marks)} if marks else dict(env)


def _kill_marked(mark: str) -> None:
    """Kill daemons that left the group, in a few rounds: one may fork meanwhile."""
    for _ in range(5):
        found = started_under(mark)
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def _process_ids() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
    except OSError:
        return []


def _memory_of(pid: int) -> int:
    """Return a process's proportional set size as the kernel counts it; 0 if it has just ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_bytes().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(b"Pss:")), 0)


def _environment_of(pid: int) -> bytes:
    """Return a process's environment; plain `os` calls, since every command asks for all processes."""
    try:
        handle = os.open(f"/proc/{pid}/environ", os.O_RDONLY)
    except OSError:
        return b""
    try:
        return b"".join(iter(lambda: os.read(handle, 1 << 17), b""))
    except OSError:
        return b""
    finally:
        os.close(handle)
