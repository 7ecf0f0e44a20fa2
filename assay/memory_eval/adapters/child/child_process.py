"""The process of an agent, called line by line and bounded in time and size.

No other module of this package starts processes. One JSON object per line is sent and one is received. Other output is
kept in part, for error messages. The process runs in its own session, and its whole process group is killed on exit.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import queue
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import Any

from assay.memory_eval.errors import AgentCallFailed, AgentFailed, AgentTimedOut, ExamUsageError

MOST_BYTES = 8 * 1024 * 1024
"""The longest line that is read; a longer one is skipped and its call fails."""

LEAVING_S = 10.0
"""Seconds a program may take to exit after its last call: it may have to write its store."""

_GRACE_S = 1.0
_PR_SET_NO_NEW_PRIVS = 38
_KEPT_OF_ERRORS = 4096
_MOST_WAITING = 64
"""Lines that are read ahead; a program that writes without being asked then has to wait."""
_TOO_LONG = b"{too long}"
_SECRET = re.compile(
    r"ANTHROPIC_|OPENAI_|AZURE_|AWS_|GOOGLE_|ACTIONS_|TOKEN|KEY|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|PRIVATE|_PAT$|DSN"
    r"|_PWD$|_PW$|JWT|BEARER|WEBHOOK|CONNECTION_?STRING",
    re.IGNORECASE,
)
_SECRET_VALUE = re.compile(
    r"://[^/@\s]+@|\bauthorization:|\b(?:bearer|basic) [\w+/=.-]{8}|-----BEGIN|;?(?:AccountKey|Password|Pwd)="
    r"|\b(?:sk-[\w-]{16}|gh[oprsu]_\w{16}|github_pat_\w|glpat-|xox[abprs]-|AKIA[0-9A-Z]{16}|AIza[\w-]{30})",
    re.IGNORECASE,
)


def environment_without_secrets(passed_on: Iterable[str] = ()) -> dict[str, str]:
    """Return the environment without secrets, plus the variables named in `passed_on`.

    Removes names of model and cloud providers, names with TOKEN, KEY, SECRET, PASS, AUTH … in them, and values that
    look like secrets: addresses with a name or password in them, headers, keys of the usual forms. Raises
    `ExamUsageError` for a variable that is to be passed on and is not set.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not _SECRET.search(name) and not _SECRET_VALUE.search(value)
    }
    for name in passed_on:
        if name not in os.environ:
            raise ExamUsageError(f"{name} is to be passed on to the agent and is not set")
        kept[name] = os.environ[name]
    return kept


class Child:
    """Running program that returns one line per line.

    Its output is read by threads, so that a program that writes much, or dies, never blocks the caller.

    Raises `AgentFailed` if it cannot be started, and from any call once it has ended.
    """

    def __init__(self, command: Sequence[str], *, env: Mapping[str, str]) -> None:
        try:
            # The flag is the thread's, and what it starts inherits it; this process keeps its privileges.
            with ThreadPoolExecutor(1, initializer=_forbid_new_privileges) as starter:
                self._process = starter.submit(_started, command, env).result()
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise AgentFailed(f"the agent could not be started: {str(command[0])!r}: {why}") from None
        self._lines: queue.Queue[bytes | None] = queue.Queue(_MOST_WAITING)
        self._errors = b""
        self._num_owed = 0  # replies to calls that timed out: they may still arrive and must be dropped
        self._is_leaving = False
        self._why_gone: str | None = None
        self._writer = ThreadPoolExecutor(1)
        self._readers = [Thread(target=read, daemon=True) for read in (self._read_lines, self._read_errors)]
        for reader in self._readers:
            reader.start()

    @property
    def last_words(self) -> str:
        """The last line on standard error (or of other output), for error messages; empty if there was none."""
        lines = [line.strip() for line in self._errors.decode("utf-8", "replace").splitlines() if line.strip()]
        return lines[-1][:300] if lines else ""

    @property
    def is_behind(self) -> bool:
        """Whether a reply to a timed-out call is still outstanding."""
        return self._num_owed > 0

    def ask(self, message: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Send one object and return the reply.

        Raises `AgentTimedOut`, `AgentCallFailed` for a line that is not an object or is too long, and `AgentFailed` if
        the program has ended. A program that was only slow can be called again: its late reply is dropped.
        """
        if self._why_gone is not None:
            raise AgentFailed(self._why_gone, code="agent.ended")
        deadline = time.monotonic() + timeout_s
        if not self._num_owed:
            self._drop_lines()  # what arrived before the call is not its reply
        self._send(json.dumps(message).encode() + b"\n", timeout_s)
        self._num_owed += 1
        line = b""
        while self._num_owed:
            line = self._next_line(deadline, timeout_s)
            self._num_owed -= 1
        return _object_of(line)

    def close(self) -> None:
        """Let the program exit, then kill its process group."""
        self._is_leaving = True
        self._drop_lines()
        with contextlib.suppress(OSError):
            _pipe(self._process.stdin).close()
        self._wait(0.0 if self.is_behind else LEAVING_S)
        if self._process.poll() is None:
            self._signal(signal.SIGTERM)
            self._wait(_GRACE_S)
        self.kill()

    def kill(self) -> None:
        """Kill the process."""
        self._is_leaving = True
        self._signal(signal.SIGKILL)
        self._process.wait()
        self._drop_lines()
        self._writer.shutdown(wait=False)
        for reader in self._readers:
            reader.join(_GRACE_S)
        with contextlib.suppress(OSError):
            _pipe(self._process.stdin).close()

    def _send(self, data: bytes, timeout_s: float) -> None:
        try:
            self._writer.submit(self._write, data).result(timeout_s)
        except TimeoutError:
            raise self._gone("did not read its input and was ended") from None
        except (OSError, ValueError):
            raise self._gone("ended") from None

    def _write(self, data: bytes) -> None:
        pipe = _pipe(self._process.stdin)
        pipe.write(data)
        pipe.flush()

    def _next_line(self, deadline: float, timeout_s: float) -> bytes:
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            words = f"; it last said: {self.last_words}" if self.last_words else ""
            raise AgentTimedOut(f"no answer in {timeout_s:g} s{words}") from None
        if line is None:
            raise self._gone("ended")
        return line

    def _drop_lines(self) -> None:
        while not self._lines.empty():
            with contextlib.suppress(queue.Empty):
                line = self._lines.get_nowait()
                if line is None and not self._is_leaving:
                    raise self._gone("ended")
                self._keep(line or b"")

    def _read_lines(self) -> None:
        with contextlib.suppress(OSError, ValueError), _pipe(self._process.stdout) as pipe:
            while line := pipe.readline(MOST_BYTES):
                is_whole = line.endswith(b"\n")
                rest = line
                while not is_whole and rest and not rest.endswith(b"\n"):
                    rest = pipe.readline(MOST_BYTES)
                if not line.lstrip().startswith(b"{") or (not is_whole and not rest):
                    self._keep(line)  # output of a library that prints while it loads is not a reply
                elif not self._is_leaving:
                    self._lines.put(line if is_whole else _TOO_LONG)
        if not self._is_leaving:
            self._lines.put(None)

    def _read_errors(self) -> None:
        with contextlib.suppress(OSError, ValueError), _pipe(self._process.stderr) as pipe:
            while data := pipe.read1(65536):
                self._keep(data)

    def _keep(self, data: bytes) -> None:
        self._errors = (self._errors + data)[-_KEPT_OF_ERRORS:]

    def _wait(self, seconds: float) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _gone(self, how: str) -> AgentFailed:
        """Kill the program and return the error that reports how it ended."""
        self._wait(_GRACE_S)
        code = self._process.poll()
        self.kill()
        way = "" if code is None else f" with exit code {code}" if code >= 0 else f" by signal {-code}"
        self._why_gone = f"the agent's process {how}{way}{f': {self.last_words}' if self.last_words else ''}"
        return AgentFailed(self._why_gone, code="agent.ended")


def _object_of(line: bytes) -> dict[str, Any]:
    """Parse a line as a JSON object; raises `AgentCallFailed` if it is not one or was too long."""
    if line == _TOO_LONG:
        raise AgentCallFailed(f"the answer is longer than {MOST_BYTES // 1024 // 1024} MB")
    try:
        value = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise AgentCallFailed(
            f"replied with something other than a JSON object: {line[:100].decode('utf-8', 'replace')!r}",
            code="agent.invalid-reply",
        )
    return value


def _started(command: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(list(command), env=dict(env), stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)


def _pipe(pipe: Any) -> Any:
    if pipe is None:
        raise ValueError("this program was not begun with pipes")
    return pipe


def _forbid_new_privileges() -> None:
    """Keep programs that this thread starts from becoming root by `sudo` and the like (man 2 prctl)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
