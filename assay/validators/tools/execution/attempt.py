"""A run of one command in one tree, and its result."""

from __future__ import annotations

import re
import shlex
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.validators.errors import ProgramMissing
from assay.validators.report.model import Outcome, ToolKind
from assay.validators.tools.commands.choose_tool import tool_of
from assay.validators.tools.commands.command_kinds import known_tool_of
from assay.validators.tools.commands.command_line import argv_of, needs_shell, words_of
from assay.validators.tools.execution.outcomes import TAIL, outcome_of
from assay.validators.tools.execution.workplace import Workplace
from assay.validators.tools.readers.excerpt import FailureLines
from assay.validators.tools.readers.go_events import OPTION, GoEvents
from assay.validators.tools.readers.output import plain
from assay.validators.tools.readers.register import MEMBERS
from assay.validators.tools.tool import Ran, Reading, Task, Tool

OUTPUT_LIMIT = 4 * 1024 * 1024
"""Bytes of output a parser searches, from both ends; the excerpt is searched in all of it."""

_MISSING = re.compile(r"([^\s:]+): not found|No module named (\S+)$")


@dataclass(frozen=True, slots=True)
class Attempt:
    """Result of a run: `reading` is what the tool reported, `looked` whether it can be relied on."""

    outcome: Outcome
    reason: str | None = None
    reading: Reading = field(default_factory=Reading)
    exit_code: int | None = None
    duration_s: float = 0.0
    excerpt: tuple[str, ...] = ()

    @property
    def is_bad(self) -> bool:
        """Whether the command ran and did not pass."""
        return self.outcome in (Outcome.failed, Outcome.timed_out)


def attempt(task: Task, workplace: Workplace, timeout_s: float) -> Attempt:
    """Run a command for at most `timeout_s`; never raise for what the command does."""
    if workplace.folder(task.directory) is None:
        return Attempt(Outcome.inert, f"there is no folder {task.directory} in this tree")
    tool, words = tool_of(task)
    scratch = workplace.new_scratch()
    failure_lines = FailureLines()
    argv = _argv(task, tool, words, scratch)
    events = GoEvents() if tool.name == "go" and OPTION in argv else None
    began_at_s = time.time()
    try:
        completed = workplace.run(
            argv,
            task.directory,
            workplace.environment(task.directory, tool.environment(scratch)),
            timeout_s=timeout_s,
            on_output=failure_lines.feed if events is None else lambda data: failure_lines.feed(events.feed(data)),
            output_limit=OUTPUT_LIMIT,
        )
    except ProgramMissing as error:
        return Attempt(Outcome.inert, how_to_get(task, f"{error.program}: not found"))
    piped = None
    if events is not None:
        failure_lines.feed(events.end())
        completed = replace(completed, stdout=events.text)
        piped = events.results
    ran = Ran(task, tuple(words), completed, workplace.root, scratch, began_at_s, piped)
    reading = _heard(tool, ran)
    if completed.num_dropped and events is None and not reading.is_reported:
        # A truncated output does not hold every name and count.
        counts = replace(reading.counts, passed=None, skipped=None)
        reading = replace(reading, tests={}, counts=counts)
    outcome, reason = outcome_of(completed, plain(completed.stdout[-4 * TAIL :]), reading)
    if outcome is Outcome.inert:
        reason = how_to_get(task, reason or "")
    return Attempt(
        outcome=outcome,
        reason=reason,
        reading=reading,
        exit_code=completed.returncode,
        duration_s=completed.duration_s,
        excerpt=tuple(map(workplace.without_folders, failure_lines.lines())) if outcome is not Outcome.passed else (),
    )


def _argv(task: Task, tool: Tool, words: list[str], scratch: Path) -> list[str]:
    """Return what to start: the line unchanged, except for options that make its tool write a report."""
    if needs_shell(task.line) or words_of(task.line) != words:
        return argv_of(task.line)
    return list(tool.arguments(shlex.split(task.line), scratch))


def _heard(tool: Tool, ran: Ran) -> Reading:
    """Return the tool's reading; for an unknown command, drop duplicates of two readers and accept empty output."""
    reading = tool.read(ran)
    if tool is not MEMBERS[-1]:
        return reading
    once = {(finding.file, finding.line, finding.message): finding for finding in reversed(reading.findings)}
    heard = replace(reading, findings=tuple(reversed(once.values())))
    has_results = heard.findings or any((heard.counts.passed, heard.counts.failed, heard.counts.errors))
    is_silence = not heard.looked and not has_results and (heard.reason or "").startswith("no result of ")
    return Reading() if is_silence else heard


def how_to_get(task: Task, reason: str) -> str:
    """Return the reason, and what a maintainer can do about a tool missing in the tree's environment."""
    found = [
        known for line in task.does or (task.line,) if (words := words_of(line)) and (known := known_tool_of(words))
    ]
    missing = _MISSING.match(reason)
    if found and found[0].kind is not ToolKind.build and (missing is None or found[0].tool in missing.groups()):
        return f"{reason}; declare {found[0].tool} where the project names its development tools, or set tier1.setup"
    if missing is not None:
        return f"{reason}; install it in tier1.setup, or name another command in tier1.commands"
    return f"{reason}; check the line in {task.found_in}, or name the right one in tier1.commands"
