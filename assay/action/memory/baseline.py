"""What a memory is compared with: a report in the workspace, the last one, or the one an open issue names.

A run that got worse leaves the last report too. Compared with that, a second run as bad is no worse; so while the issue
about it stands open, the report from before it counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.action.memory.artifacts import AllArtifacts, Ours, last_report, report_of_run
from assay.action.memory.inputs import MemoryInputs
from assay.action.memory.issue import Standing
from assay.github.errors import ActionMisused
from assay.memory_eval import (
    Comparison,
    EvalReport,
    ExamUsageError,
    MemoryEvalError,
    compare_reports,
    merge_reports,
    read_report,
)

_ALIKE = ("num_turns", "grading", "grader_votes", "world_version")


@dataclass(frozen=True, slots=True)
class Compared:
    """The comparison, or in `why_not` why there is none.

    `run_id` is the run whose report it is with; None for one in the workspace. `in_its_place` says why it is not the
    report that the open issue is about: then "not worse" does not mean that the memory is as good again.
    """

    comparison: Comparison | None = None
    why_not: str = ""
    run_id: int | None = None
    in_its_place: str = ""


def compared(
    merged: EvalReport, inputs: MemoryInputs, repo: AllArtifacts, ours: Ours, standing: Standing | None
) -> Compared:
    """Compare as the inputs ask for it, with what may be believed; raises `ActionMisused` for a file that cannot be."""
    if inputs.baseline is None and not inputs.compares_with_last:
        return Compared(why_not="no baseline was asked for")
    if inputs.baseline is not None:
        return Compared(*_with(_of_file(inputs.baseline), "the baseline", merged))
    if not merged.valid:
        return Compared(why_not="this run says nothing of the memory")
    if standing is None:
        return _with_last(merged, repo, ours)
    found, why_not = _with_named(merged, repo, ours, standing.baseline_run)
    return found or _with_last(merged, repo, ours, why_not)


def _with_named(merged: EvalReport, repo: AllArtifacts, ours: Ours, run_id: int | None) -> tuple[Compared | None, str]:
    """With the report of the run that the open issue names, or why not."""
    if run_id is None:
        return None, "the issue does not tell which run left it"
    kept = report_of_run(repo, run_id, ours)
    if kept is None:
        return None, f"run {run_id} has no such report, or no longer"
    comparison, why_not = _with(kept.report, f"the report of run {run_id}", merged)
    return (Compared(comparison, run_id=run_id), "") if comparison is not None else (None, why_not)


def _with_last(merged: EvalReport, repo: AllArtifacts, ours: Ours, in_its_place: str = "") -> Compared:
    kept = last_report(repo, ours)
    if kept is None:
        return Compared(None, "there is no earlier report of the default branch yet", in_its_place=in_its_place)
    comparison, why_not = _with(kept.report, "the last report", merged)
    return Compared(comparison, why_not, kept.run_id, in_its_place)


def _with(before: EvalReport, name: str, merged: EvalReport) -> tuple[Comparison | None, str]:
    """The comparison with this report, or why there is none."""
    different = [what for what in _ALIKE if getattr(before, what) != getattr(merged, what)]
    if different:
        return None, f"{name} was made in another way ({', '.join(different)})"
    if not before.valid or not merged.valid:
        return None, f"{name} says nothing about the memory" if merged.valid else "this run says nothing of the memory"
    try:
        return compare_reports(before, merged, (name, "this run")), ""
    except ExamUsageError as error:
        return None, str(error)


def _of_file(path: Path) -> EvalReport:
    """A baseline that lies in the workspace; raises `ActionMisused`."""
    if path.is_symlink():
        raise ActionMisused("input baseline: it is a link")
    try:
        report = read_report(path, "input baseline")
        # One seed's own report names its questions as that seed does.
        return report if report.seed is None else merge_reports([report])
    except MemoryEvalError as error:
        raise ActionMisused(str(error)) from None
