"""Gate decisions: whether a failing command blocks, by its gate and the base's result of the same command.

A failure counts as old only where the base's run was readable and shows the same failures. A base that was not
prepared, could not load its tests, found nothing, hung or was killed gives no baseline, and a failing head blocks.
If both sides fail in the same place for the same cause, the environment is at fault and neither could run. A
successful test run passes only if none of the base's tests is lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.validators.changes.change import ChangeSet
from assay.validators.report.model import Finding, Gate, Outcome, ToolKind
from assay.validators.tools.comparison.compared import hidden
from assay.validators.tools.execution.attempt import Attempt
from assay.validators.tools.execution.environment import same_failure, telling_line
from assay.validators.tools.readers.output import MOST_FINDINGS
from assay.validators.tools.tool import Reading
from assay.validators.wording import listed, plural

NO_BASELINE = "no result of the base to compare with"
MOST_NAMES = 2
"""Failures of the base that a reason names."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """Decision on a head's run: the reported `outcome`, whether it blocks, and a one-line reason."""

    outcome: Outcome
    gating: bool
    reason: str | None


def needs_base(head: Attempt, gate: Gate, kind: ToolKind, bent: str | None = None) -> bool:
    """Return whether the base has to run.

    It runs for a failure that may be old, a command that may be new, and tests whose results are in doubt or may be
    altered by the change (`bent` says by what).
    """
    if gate is Gate.informational:
        return False
    if kind is ToolKind.test and head.outcome is Outcome.passed:
        return bent is not None or not head.reading.looked or head.reading.is_reported is False
    return gate is Gate.regression_only and (head.is_bad or head.outcome is Outcome.inert)


def ruling(head: Attempt, base: Attempt | None, gate: Gate, kind: ToolKind, change: ChangeSet) -> Ruling:
    """Decide on a head's run; `base` is None where it did not run."""
    if head.outcome is Outcome.inert and base is not None and base.outcome is Outcome.passed:
        return Ruling(Outcome.failed, True, f"passes on the base, unavailable on the head: {head.reason}")
    if head.outcome is Outcome.passed and kind is ToolKind.test and gate is not Gate.informational:
        return _of_a_pass(head, base, change)
    if not head.is_bad:
        return Ruling(head.outcome, False, head.reason)
    if gate is Gate.informational:
        return Ruling(head.outcome, False, _with(head.reason, "its gate is `informational`"))
    if gate is Gate.strict or base is None:
        return Ruling(head.outcome, True, head.reason)
    return _against(head, base, kind, change)


def _of_a_pass(head: Attempt, base: Attempt | None, change: ChangeSet) -> Ruling:
    """Decide on a successful test run; it passes unless its results are worse than those of the base."""
    if base is not None and base.outcome in (Outcome.passed, Outcome.failed):
        why = hidden(head.reading, base.reading, change)
        return Ruling(Outcome.failed, True, why) if why else Ruling(head.outcome, False, head.reason)
    if head.reading.looked:
        return Ruling(head.outcome, False, head.reason)
    return Ruling(Outcome.infra_failed, False, _with(head.reason, NO_BASELINE))


def unseen(findings: Iterable[Finding], base: Reading, change: ChangeSet) -> list[Finding]:
    """Return the findings the base's run does not have; of repeated ones, the surplus."""
    known = Counter(_identity(finding, {}) for finding in base.findings)
    renamed = {file.path: file.base_path for file in change.files if file.base_path and file.base_path != file.path}
    new = []
    for finding in findings:
        key = _identity(finding, renamed)
        if known[key] > 0:
            known[key] -= 1
        else:
            new.append(finding)
    return new


def _against(head: Attempt, base: Attempt, kind: ToolKind, change: ChangeSet) -> Ruling:
    if base.outcome is Outcome.passed:
        return Ruling(head.outcome, True, _with(head.reason, "it passes on the base"))
    why = why_no_baseline(base)
    if head.outcome is Outcome.timed_out and (why or base.outcome is not Outcome.failed):
        return Ruling(Outcome.infra_failed, False, _with(head.reason, f"{NO_BASELINE}: {why}"))
    if (why or not head.reading.looked) and base.is_bad and same_failure(head, base):
        said = head.reason or head.reading.reason or telling_line(head.excerpt)
        return Ruling(Outcome.infra_failed, False, _with(said, "the base fails in the same place for the same cause"))
    if why:
        return Ruling(head.outcome, True, _with(head.reason, f"{NO_BASELINE}: {why}"))
    if not head.reading.looked or head.outcome is Outcome.timed_out:
        return Ruling(head.outcome, True, _with(head.reason, "the base's run fails too, but can be read"))
    if kind is ToolKind.test:
        num = _num_newly_failing(head.reading, base.reading, change)
        if num:
            said = plural(num, "failure is new", "failures are new")
            return Ruling(head.outcome, True, f"{said}: {_elsewhere(base.reading)}")
        lost = hidden(head.reading, base.reading, change)
        if lost:
            return Ruling(head.outcome, True, lost)
    return Ruling(head.outcome, False, _with(head.reason, "it fails on the base too"))


def with_services(reason: str | None, services: Sequence[str], head: Attempt, base: Attempt | None) -> str | None:
    """Return the reason for a failure on both sides, with the services that CI starts for the command."""
    if not services or base is None or not (head.is_bad and base.is_bad):
        return reason
    return _with(reason, f"CI starts {' and '.join(services)} for it, Assay does not")


def why_no_baseline(base: Attempt) -> str | None:
    """Return why the base's failure is not a baseline; None if it is one."""
    if base.outcome is not Outcome.failed:
        late = "it ran out of time, see tier1.timeoutSeconds"
        said = {Outcome.timed_out: late, Outcome.infra_failed: "the machine failed"}
        return said.get(base.outcome, base.reason or "it does not run")
    reading = base.reading
    if not reading.looked:
        return reading.reason or "it could not do its work"
    counts = reading.counts
    if not reading.findings and not any((counts.passed, counts.failed, counts.errors, counts.warnings)):
        return "its output could not be read"
    return None


def _num_newly_failing(head: Reading, base: Reading, change: ChangeSet) -> int:
    """Return how many tests newly fail: by name where all are named, else by count."""
    if head.findings and base.findings and len(head.findings) < MOST_FINDINGS and len(base.findings) < MOST_FINDINGS:
        return len(unseen(head.findings, base, change))
    return max(0, head.num_bad - base.num_bad)


def _elsewhere(base: Reading) -> str:
    """Return where the base fails: a test that fails now and then may be among them."""
    names = list(dict.fromkeys(finding.context or finding.message for finding in base.findings))
    return f"the base fails too, but elsewhere{f' ({listed(names, MOST_NAMES)})' if names else ''}"


def _identity(finding: Finding, renamed: dict[str, str]) -> tuple[str, str, str, str]:
    """Return a key that is the same on both sides: without the line, and with the old name of a moved file."""
    context = " ".join((finding.context or finding.message).split())
    return finding.tool or "", finding.rule, renamed.get(finding.file, finding.file), context


def _with(reason: str | None, more: str) -> str:
    return f"{reason}; {more}" if reason else more
