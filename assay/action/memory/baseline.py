"""Baseline of a memory report: a report in the workspace, the last one, or the one that an open issue names.

A run with a regression also stores a report. Compared with that, a second equally bad run would not be worse, so while
the issue about the regression is open, the report from before it stays the baseline.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.action.memory.artifacts import Ours, earlier_reports, report_of_run
from assay.action.memory.inputs import MemoryInputs
from assay.action.memory.issue import Standing
from assay.github.client.endpoints.artifacts import Artifacts
from assay.github.errors import ActionMisused
from assay.memory_eval import (
    Comparison,
    EvalReport,
    ExamUsageError,
    MemoryEvalError,
    compare_reports,
    merge_reports,
    parsed_report,
    read_report,
)

_ALIKE = ("num_turns", "grading", "grader_votes", "world_version")
NOT_REQUESTED = "no baseline was requested"
NO_EARLIER_REPORT = "there is no earlier report of the default branch yet"
NO_SCORE = "this run has no valid score"


@dataclass(frozen=True, slots=True)
class Compared:
    """The comparison, or in `why_not` why there is none.

    `run_id` is the baseline's run; None for a file of the workspace. `in_its_place` gives the reason if another report
    replaced the one of the open issue: "not worse" does not mean that the memory has recovered then.
    """

    comparison: Comparison | None = None
    why_not: str = ""
    run_id: int | None = None
    in_its_place: str = ""


def compared(
    merged: EvalReport, inputs: MemoryInputs, repo: Artifacts, ours: Ours, standing: Standing | None
) -> Compared:
    """Compare with the baseline of the inputs. Raises `ActionMisused` for an invalid file."""
    if inputs.baseline is None and not inputs.compares_with_last:
        return Compared(why_not=NOT_REQUESTED)
    if inputs.baseline is not None:
        return Compared(*_with(_of_file(inputs.baseline), "the baseline", merged))
    if not merged.valid:
        return Compared(why_not=NO_SCORE)
    if standing is None:
        return _with_last(merged, repo, ours)
    found, why_not = _with_named(merged, repo, ours, standing.baseline_run)
    return found or _with_last(merged, repo, ours, why_not)


def _with_named(merged: EvalReport, repo: Artifacts, ours: Ours, run_id: int | None) -> tuple[Compared | None, str]:
    """Compare with the report of the run that the open issue names, or return why not."""
    if run_id is None:
        return None, "the issue does not name its run"
    kept = report_of_run(repo, run_id, ours, parsed_report)
    if kept is None:
        return None, f"run {run_id} has no such report (any more)"
    comparison, why_not = _with(kept.report, f"the report of run {run_id}", merged)
    return (Compared(comparison, run_id=run_id), "") if comparison is not None else (None, why_not)


def _with_last(merged: EvalReport, repo: Artifacts, ours: Ours, in_its_place: str = "") -> Compared:
    kept = next(earlier_reports(repo, ours, parsed_report), None)
    if kept is None:
        return Compared(None, NO_EARLIER_REPORT, in_its_place=in_its_place)
    comparison, why_not = _with(kept.report, "the last report", merged)
    return Compared(comparison, why_not, kept.run_id, in_its_place)


def _with(before: EvalReport, name: str, merged: EvalReport) -> tuple[Comparison | None, str]:
    """Return the comparison with this report, or why there is none."""
    different = [what for what in _ALIKE if getattr(before, what) != getattr(merged, what)]
    if different:
        return None, f"{name} was made with other settings ({', '.join(different)})"
    if not before.valid or not merged.valid:
        return None, f"{name} has no valid score" if merged.valid else NO_SCORE
    try:
        return compare_reports(before, merged, (name, "this run")), ""
    except ExamUsageError as error:
        return None, str(error)


def _of_file(path: Path) -> EvalReport:
    """Read a baseline from the workspace. Raises `ActionMisused`."""
    if path.is_symlink():
        raise ActionMisused("input baseline: the file is a link")
    try:
        report = read_report(path, "input baseline")
        # The report of a single exam names its questions without the exam.
        return merge_reports([report]) if report.seed is not None else report
    except MemoryEvalError as error:
        raise ActionMisused(str(error)) from None
