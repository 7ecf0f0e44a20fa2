"""Findings addressed by the merge.

A finding of an earlier head is addressed if the report of the merged head lacks it; ids are stable across pushes.
Findings that report could not check are unknown. Without a report on the merged head, lines decide: the finding is
addressed if the change no longer touches its lines, and present if it touches exactly the same lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assay.github_app.store import ChangedLines, FindingRow, PullHistory, RunHistory, Side


@dataclass(frozen=True, slots=True)
class Addressed:
    """Findings reported before the merge, by state at the merge: addressed, still present, or (the rest) unknown.

    All are 0 for a pull request that was not merged.
    """

    num_told: int = 0
    num_addressed: int = 0
    num_standing: int = 0

    @property
    def num_unknown(self) -> int:
        return self.num_told - self.num_addressed - self.num_standing


def addressed_at_merge(history: PullHistory) -> Addressed:
    """Count the addressed findings of a merged pull request."""
    if not history.pull.is_merged or not history.runs:
        return Addressed()
    reported: dict[str, tuple[RunHistory, FindingRow]] = {}
    for run in history.runs:
        reported |= {finding.finding_id: (run, finding) for finding in run.findings}
    last = [run for run in history.runs if run.run.head_sha == history.pull.head_sha]
    verdicts = [
        _by_report(finding, last[-1]) if last else _by_lines(finding, run, history)
        for run, finding in reported.values()
    ]
    return Addressed(len(reported), verdicts.count(True), verdicts.count(False))


def _by_report(finding: FindingRow, last: RunHistory) -> bool | None:
    if any(one.finding_id == finding.finding_id for one in last.findings):
        return False
    # A finding that was not checked again is not addressed.
    unseen = {finding.rule, finding.tier, finding.tool or finding.rule} & last.not_checked
    return None if unseen else True


def _by_lines(finding: FindingRow, run: RunHistory, history: PullHistory) -> bool | None:
    after = _places(history.lines, history.pull.head_sha, finding.file)
    before = _places(history.lines, run.run.head_sha, finding.file)
    if finding.line is None or history.pull.head_sha not in history.lines or not before:
        return None
    if before == after:
        return False
    last_line = finding.end_line or finding.line
    is_touched = any(one.side is Side.head and one.first <= last_line and one.last >= finding.line for one in after)
    return None if is_touched else True


def _places(lines: Mapping[str, Iterable[ChangedLines]], head_sha: str, path: str) -> tuple[ChangedLines, ...]:
    return tuple(one for one in lines.get(head_sha, ()) if one.path == path)
