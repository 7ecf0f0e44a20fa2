"""Selection of the findings a change introduces; existing ones on untouched lines are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.validators.changes.change import ChangeSet, FileStatus
from assay.validators.report.model import Finding, Outcome, Severity, ToolKind
from assay.validators.tools.comparison.gates import unseen, why_no_baseline
from assay.validators.tools.execution.attempt import Attempt

MOST_LINES = 50
"""Maximum lines of one finding that are compared with the change's."""

MOST_SHOWN = 100
"""Maximum findings of one run in a report; the run's counts include all."""


def introduced(
    head: Attempt, base: Attempt | None, kind: ToolKind, change: ChangeSet, *, gating: bool
) -> tuple[list[Finding], int]:
    """Return the findings the change introduces, and the number of the others.

    Compared with the base's run where it was readable: a type error the change causes in an untouched file is new, an
    existing one on a moved line is not. Otherwise keep findings on added lines, and every test finding, since those
    have no line. An `error` of a run that does not block becomes a `warning`.
    """
    every = head.reading.findings
    new = _new(every, base, kind, change)
    shown = [finding if gating else _softened(finding) for finding in new[:MOST_SHOWN]]
    return shown, len(every) - len(new)


def _new(every: Sequence[Finding], base: Attempt | None, kind: ToolKind, change: ChangeSet) -> list[Finding]:
    if base is not None and _could_be_read(base):
        return unseen(every, base.reading, change)
    if kind is ToolKind.test:
        return list(every)
    return [finding for finding in every if _is_on_added_lines(finding, change)]


def _could_be_read(base: Attempt) -> bool:
    if base.outcome is Outcome.passed:
        return base.reading.looked
    return base.is_bad and why_no_baseline(base) is None


def _is_on_added_lines(finding: Finding, change: ChangeSet) -> bool:
    """Return whether a finding is on an added line, or, for a whole file, whether the file is changed."""
    file = change.by_path.get(finding.file)
    if file is None or not file.exists:
        return False
    if finding.line is None or file.status is FileStatus.added:
        return True
    last = min(max(finding.end_line or 0, finding.line), finding.line + MOST_LINES)
    return any(line in file.added for line in range(finding.line, last + 1))


def _softened(finding: Finding) -> Finding:
    return replace(finding, severity=Severity.warning) if finding.severity is Severity.error else finding
