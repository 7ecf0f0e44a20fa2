"""Classification of a run's end, in the order of `Outcome`: machine failure, missing, timed out, failed, passed."""

from __future__ import annotations

import re
import signal

from assay.validators.io.process import Completed
from assay.validators.report.model import FAILED_TESTS, Outcome
from assay.validators.tools.tool import Ended, Reading

_KILLED = 128 + signal.SIGKILL
_NOT_FOUND = 127
_NOT_EXECUTABLE = 126
# A crash comes from the program, and so from the change; any other signal came from outside.
_CRASHES = frozenset((signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP))
_NO_SPACE = re.compile(r"\[Errno 28\]|ENOSPC|[Nn]o space left on device|[Dd]isk quota exceeded|EDQUOT")
_NO_MEMORY = re.compile(
    r"JavaScript heap out of memory|java\.lang\.OutOfMemoryError|[Cc]annot allocate memory|\[Errno 12\]|ENOMEM"
    r"|fatal error: out of memory|std::bad_alloc|signal: killed|Killed signal terminated program|exit code 137"
)
# The tool or script is missing. Anchored at the start of a line, because a test may print anything within one.
_ABSENT = re.compile(
    r"^(?:"
    r"(?:/bin/)?(?:ba|da)?sh: (?:line )?(?:\d+: )?(?P<program>[^\s:]+): (?:command )?not found"
    r"|.{0,200}?: (?P<module>No module named [\w.]+)$"
    r"|npm (?:ERR!|error) (?P<script>Missing script: .+)"
    r"|(?:\s*\x20?ERR_PNPM_NO_SCRIPT\S*|ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL\S*)\s+(?P<pnpm>.+)"
    r"|error (?P<yarn>Command \"[^\"]+\" not found\.)|(?P<berry>Usage Error: Couldn't find a script named .+)"
    r"|error: (?P<bun>Script not found .+)"
    r"|make(?:\[\d+\])?: \*\*\* (?P<make>No rule to make target .+|No targets specified .+)"
    r"|make(?:\[\d+\])?: (?P<spawned>[^\s:*]+): No such file or directory"
    r"|bwrap: execvp (?P<boxed>\S+): No such file or directory"
    r"|(?:/usr/bin/)?env: .?(?P<env>[^'\u2018\u2019\s:]+).?: No such file or directory"
    r"|.{0,100}: line \d+: (?P<path>\S+): No such file or directory"
    r"|(?:npm (?:ERR!|error) )?.{0,40}\bspawn (?P<child>\S+) ENOENT"
    r"|make(?:\[\d+\])?: \*\*\* \[.+\] (?P<recipe>Error 127)"
    r"|error: (?P<just>[Jj]ustfile does not contain recipe .+)"
    r"|task: (?P<task>Task .+ does not exist)"
    r"|error: (?P<uv>Failed to spawn: .+)"
    r"|(?P<poetry>Command not found: .+)"
    r"|error: (?P<cargo>no such (?:sub)?command: .+)"
    r"|bundler: (?P<bundler>command not found: .+)"
    r"|(?P<gradle>Task '.+' not found in .+)"
    r"|npm (?:ERR!|error) (?P<npx>could not determine executable to run)"
    r")",
    re.MULTILINE,
)
_NO_DOWNLOAD = re.compile(
    r"^(?:go: .{0,300}?: (?:Get|reading) \"?https?://"
    r"|npm (?:ERR!|error) code (?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT)$"
    r"|\s*\[\d+\] .{0,100}Could(?:n't| not) resolve host"
    r"|\[ERROR\] .{0,300}Could not transfer artifact )",
    re.MULTILINE,
)
"""A package manager inside the command could not download. Anchored as above: a test may print its own errors."""
TAIL = 20_000
"""Characters at the end of an output that are searched for a reason."""


def outcome_of(completed: Completed, text: str, reading: Reading) -> tuple[Outcome, str | None]:
    """Return the outcome of a run and one line about anything but a plain pass; `text` is its sanitized output."""
    tail = text[-TAIL:]
    lost = cannot_go_on(completed, tail)
    if lost:
        return Outcome.infra_failed, lost
    # A program with results exists, whatever its output says about another one.
    has_results = _has_results(reading)
    absent = None if has_results else not_there(completed, tail)
    if absent:
        return Outcome.inert, absent
    if not has_results and completed.returncode and _NO_DOWNLOAD.search(tail):
        return Outcome.infra_failed, "a download that it needs failed"
    if completed.timed_out:
        return Outcome.timed_out, f"still running after {completed.duration_s:.0f} s"
    if completed.returncode != 0:
        return Outcome.failed, _crash(completed) or reading.reason
    num_bad = _num_bad_tests(reading)
    if num_bad:
        return Outcome.failed, f"exit code 0, although {num_bad} failed"
    return Outcome.passed, None if reading.looked else reading.reason


def _num_bad_tests(reading: Reading) -> int:
    """Return how many tests failed or could not run; errors of a compiler or a linter do not count."""
    named = sum(found.rule in FAILED_TESTS for found in reading.findings)
    return max(reading.counts.failed or 0, named, sum(ended is Ended.failed for ended in reading.tests.values()))


def _has_results(reading: Reading) -> bool:
    return reading.has_results or (reading.looked and bool(reading.findings))


def cannot_go_on(completed: Completed, tail: str) -> str | None:
    """Return the cause of a machine failure (memory, space, a signal from outside), or None where it did not fail."""
    code = completed.returncode
    if completed.timed_out or code == 0 or code is None:
        return None
    if code < 0 and -code not in _CRASHES:
        return f"killed by {_signal(-code)}"
    if code == _KILLED:
        return "killed (exit code 137): most likely out of memory"
    if _NO_SPACE.search(tail):
        return "no space left on the disk"
    if _NO_MEMORY.search(tail):
        return "out of memory"
    return None


def not_there(completed: Completed, tail: str) -> str | None:
    """Return what a command names that does not exist, or None where it ran."""
    code = completed.returncode
    if completed.timed_out or code == 0 or code is None:
        return None
    found = _ABSENT.search(tail)
    if found:
        kind = found.lastgroup or "program"
        what = found[kind].strip()[:200]
        if kind == "boxed":
            return f"{what}: not found in the sandbox"
        return f"{what}: not found" if kind in ("program", "spawned", "env", "path", "child") else what
    if code == _NOT_FOUND:
        return "a program it starts was not found (exit code 127)"
    if code == _NOT_EXECUTABLE:
        return "it cannot be executed (exit code 126)"
    return None


def _crash(completed: Completed) -> str | None:
    code = completed.returncode or 0
    number = -code if code < 0 else code - 128
    return f"crashed ({_signal(number)})" if number in _CRASHES else None


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
