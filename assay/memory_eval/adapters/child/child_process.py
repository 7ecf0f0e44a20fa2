"""The process of an agent, called line by line and bounded in time and size.

No other module of this package starts processes. One JSON object per line is sent and one is received. Other output is
kept in part, for error messages. The process runs in its own session, and its whole process group is killed on exit.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

from assay.memory_eval.adapters.child.child_lines import TOO_LONG, Lines, object_of
from assay.memory_eval.errors import AgentFailed, AgentTimedOut, ExamUsageError

LEAVING_S = 10.0
"""Seconds a program may take to exit after its last call: it may have to write its store."""

_GRACE_S = 1.0
_PR_SET_NO_NEW_PRIVS = 38
_KEPT_OF_ERRORS = 4096
_MOST_UNASKED = 64
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
        self._in, self._out, self._err = (_open(pipe) for pipe in _pipes(self._process))
        self._said = Lines()
        self._errors = b""
        self._num_owed = 0  # replies to calls that timed out: they may still arrive and must be dropped
        self._why_gone: str | None = None

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
        self._forget_unasked()
        self._move(json.dumps(message).encode() + b"\n", deadline, until_line=False)
        self._num_owed += 1
        while True:
            line = self._line(deadline, timeout_s)
            if not line.lstrip().startswith(b"{") and line is not TOO_LONG:
                self._keep(line + b"\n")  # output of a library that prints while it loads is not a reply
                continue
            self._num_owed -= 1
            if self._num_owed == 0:
                return object_of(line)

    def close(self) -> None:
        """Let the program exit, then kill its process group."""
        with contextlib.suppress(OSError):
            self._in.close()
        self._wait(0.0 if self.is_behind else LEAVING_S)
        if self._process.poll() is None:
            self._signal(signal.SIGTERM)
            self._wait(_GRACE_S)
        self.kill()

    def kill(self) -> None:
        """Kill the process."""
        self._signal(signal.SIGKILL)
        self._process.wait()
        for pipe in (self._in, self._out, self._err):
            with contextlib.suppress(OSError):
                pipe.close()

    def _wait(self, seconds: float) -> None:
        """Wait for the process to exit while reading its output: a full pipe would block its exit."""
        deadline = time.monotonic() + seconds
        while self._process.poll() is None and time.monotonic() < deadline:
            for data in (_read(self._err), _read(self._out)):
                self._keep(data or b"")
            time.sleep(0.005)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _forget_unasked(self) -> None:
        """Discard complete lines that arrived before the call, so that they are not taken for its reply."""
        if self._num_owed:
            return
        self._keep(self._said.drop())
        for _ in range(_MOST_UNASKED):
            if not (data := _read(self._out)):
                return
            self._said.add(data)
            self._keep(self._said.drop())

    def _line(self, deadline: float, timeout_s: float) -> bytes:
        while (line := self._said.next()) is None:
            if not self._move(b"", deadline, until_line=True):
                words = f"; it last said: {self.last_words}" if self.last_words else ""
                raise AgentTimedOut(f"no answer in {timeout_s:g} s{words}")
        return line

    def _move(self, unsent: bytes, deadline: float, *, until_line: bool) -> bool:
        """Write `unsent`, or read until output arrives; return False if the deadline passes first."""
        left = memoryview(unsent)
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._out, selectors.EVENT_READ)
            waiting.register(self._err, selectors.EVENT_READ)
            if left:
                waiting.register(self._in, selectors.EVENT_WRITE)
            while left or until_line:
                if left and self._said.is_full:
                    # The program writes without reading; its output would fill the memory.
                    _no_longer(waiting, self._out)
                left_s = deadline - time.monotonic()
                ready = {key.fileobj for key, _ in waiting.select(left_s)} if left_s > 0 else set()
                if not ready:
                    self._must_have_read(unsent, left)
                    return False
                if self._err in ready and not self._listen(self._err):
                    _no_longer(waiting, self._err)
                if self._in in ready:
                    left = left[self._write(left) :]
                if self._out in ready:
                    if not self._listen(self._out):
                        raise self._gone("ended")
                    until_line = False
        return True

    def _must_have_read(self, unsent: bytes, left: memoryview) -> None:
        if left and len(left) < len(unsent):
            raise self._gone("closed its input during a call")
        if left:
            raise AgentTimedOut("the agent does not read its input")

    def _listen(self, pipe: IO[bytes]) -> bool:
        """Read available output; return False at the end of the stream."""
        data = _read(pipe)
        if pipe is self._out and data:
            self._said.add(data)
        elif data:
            self._keep(data)
        return data != b""

    def _write(self, left: memoryview) -> int:
        try:
            return os.write(self._in.fileno(), left[:65536])
        except BlockingIOError:
            return 0
        except OSError:
            raise self._gone("ended") from None

    def _keep(self, data: bytes) -> None:
        self._errors = (self._errors + data)[-_KEPT_OF_ERRORS:]

    def _gone(self, how: str) -> AgentFailed:
        """Kill the program and return the error that reports how it ended."""
        self._wait(_GRACE_S)
        code = self._process.poll()
        self._keep(_read(self._err) or b"")
        last_words = self.last_words
        self.kill()
        way = "" if code is None else f" with exit code {code}" if code >= 0 else f" by signal {-code}"
        self._why_gone = f"the agent's process {how}{way}{f': {last_words}' if last_words else ''}"
        return AgentFailed(self._why_gone, code="agent.ended")


def _started(command: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        list(command),
        env=dict(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        close_fds=True,
    )


def _forbid_new_privileges() -> None:
    """Keep programs that this thread starts from becoming root by `sudo` and the like (man 2 prctl)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise ValueError("this program was not begun with pipes")
    return process.stdin, process.stdout, process.stderr


def _open(pipe: IO[bytes]) -> IO[bytes]:
    os.set_blocking(pipe.fileno(), False)
    return pipe


def _no_longer(waiting: selectors.BaseSelector, pipe: IO[bytes]) -> None:
    with contextlib.suppress(KeyError):
        waiting.unregister(pipe)


def _read(pipe: IO[bytes]) -> bytes | None:
    """Return available bytes, b"" at the end of the stream, None if nothing has arrived yet."""
    try:
        return os.read(pipe.fileno(), 65536)
    except BlockingIOError:
        return None
    except (OSError, ValueError):
        return b""
