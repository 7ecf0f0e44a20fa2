"""Fix cycles: a command, such as an agent's, receives the failures, and the failing tier runs again.

The cycle stops when nothing fails, when the failures stay the same, or when the cycles are used up. The command comes
from the user's command line, never from the repository: it has the user's environment, keys included, and works in
the user's working tree. The report says if it fails, hangs or cannot start.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from assay.validators.errors import ProgramMissing
from assay.validators.io import process
from assay.validators.report.model import Outcome, ToolRun, ToolsResult
from assay.validators.report.unknown import NotChecked
from assay.validators.tools.commands.command_line import argv_of
from assay.validators.tools.readers.excerpt import excerpt_of

R = TypeVar("R")

FIXER_TIMEOUT_S = 1800.0
"""Seconds a fixer may take: agents are slow, but a longer run is stuck."""

JSON_VARIABLE, MARKDOWN_VARIABLE = "ASSAY_FINDINGS_JSON", "ASSAY_FINDINGS_MD"
CYCLE_VARIABLE = "ASSAY_FIX_CYCLE"
_CANNOT_START = frozenset((126, 127))
# Parts that differ between two runs with the same failure: times, temporary folders, addresses, process ids.
_VARYING = re.compile(
    r"0x[0-9a-f]+|/tmp/\S+|\b\d+(\.\d+)?\s?(s|ms|seconds?|min)\b|\d{2}:\d{2}:\d{2}\S*|\bpid \d+", re.IGNORECASE
)
SAME_FAILURES = "the same failures came back unchanged; no further cycle was run"


@dataclass(frozen=True, slots=True)
class Handover:
    """Input of a fixer: `failures` identifies what fails (same names, same failures), the rest describes it."""

    failures: frozenset[str]
    markdown: str
    findings: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Fixed(Generic[R]):
    """The tier's last result, the number of cycles used, and notes about them."""

    result: R
    num_cycles: int = 0
    notes: tuple[NotChecked, ...] = ()


def fix_cycles(
    first: R,
    run_tier: Callable[[], R],
    hand_over: Callable[[R], Handover],
    command: str,
    *,
    root: Path,
    most: int,
) -> Fixed[R]:
    """Have the failures of a tier's first result fixed and run the tier again, at most `most` times.

    The command runs in `root`. It finds the failures as JSON and Markdown in the files that `ASSAY_FINDINGS_JSON` and
    `ASSAY_FINDINGS_MD` name, and the Markdown on its standard input; `ASSAY_FIX_CYCLE` counts from 1.
    """
    result = first
    notes: list[NotChecked] = []
    for cycle in range(1, most + 1):
        handover = hand_over(result)
        if not handover.failures:
            return Fixed(result, cycle - 1, tuple(notes))
        started, note = _run_fixer(command, handover, root, cycle)
        if note:
            notes.append(NotChecked(f"fix cycle {cycle}", note))
        if not started:
            return Fixed(result, cycle - 1, tuple(notes))
        result = run_tier()
        if hand_over(result).failures == handover.failures:
            return Fixed(result, cycle, (*notes, NotChecked(f"fix cycle {cycle}", SAME_FAILURES)))
    if most and hand_over(result).failures:
        notes.append(NotChecked("fix cycles", f"all {most} are used; what still fails is in the report"))
    return Fixed(result, most, tuple(notes))


def tool_failures(result: ToolsResult) -> frozenset[str]:
    """Return names for Tier 1's failures: the ids of a run's findings, else the run and its output."""
    failing = [run for run in result.runs if run.gating and run.outcome in (Outcome.failed, Outcome.timed_out)]
    ids = {finding.id for finding in result.findings if finding.introduced}
    return frozenset((*(_fingerprint(run) for run in failing), *(ids if failing else ())))


def _fingerprint(run: ToolRun) -> str:
    # Sorted: parallel runs fail in a different order each time.
    lines = sorted({" ".join(_VARYING.sub("", line).split()) for line in run.excerpt})
    counts = f"{run.counts.passed}/{run.counts.failed}/{run.counts.errors}"
    text = "\n".join((run.name, run.command, run.outcome, counts, *lines))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def _run_fixer(command: str, handover: Handover, root: Path, cycle: int) -> tuple[bool, str | None]:
    """Return whether the fixer started, and a note about its run."""
    with tempfile.TemporaryDirectory(prefix="assay-fix-", ignore_cleanup_errors=True) as folder:
        env = {**os.environ, **_write(Path(folder), handover), CYCLE_VARIABLE: str(cycle)}
        brief = handover.markdown.encode("utf-8", "replace")
        try:
            done = process.run(argv_of(command), cwd=root, env=env, timeout_s=FIXER_TIMEOUT_S, stdin=brief, merged=True)
        except ProgramMissing as error:
            return False, f"the fixer could not be started: {error}"
    if done.timed_out:
        return True, f"the fixer was stopped after {FIXER_TIMEOUT_S:.0f} s"
    if done.returncode == 0:
        return True, None
    said = next((line.strip() for line in reversed(excerpt_of(done.stdout)) if line.strip()), "no output")
    return done.returncode not in _CANNOT_START, f"the fixer ended with exit code {done.returncode}: {said}"


def _write(folder: Path, handover: Handover) -> dict[str, str]:
    """Write the two files; return the variables that name them."""
    as_json, as_markdown = folder / "findings.json", folder / "findings.md"
    as_json.write_text(
        json.dumps({"findings": list(handover.findings)}, indent=2, default=str) + "\n", "utf-8", "replace"
    )
    as_markdown.write_text(handover.markdown, "utf-8", "replace")
    return {JSON_VARIABLE: str(as_json), MARKDOWN_VARIABLE: str(as_markdown)}
