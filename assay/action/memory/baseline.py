"""Baseline of a memory report: a report in the workspace, the last one, or the one that an open issue names.

A run with a regression also stores a report. Compared with that, a second equally bad run would not be worse, so while
the issue about the regression is open, the report from before it stays the baseline.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from assay.action.environment.job import Job
from assay.action.memory.artifacts import Ours, Parse, Report, earlier_reports, report_of_run
from assay.action.memory.inputs import MemoryInputs
from assay.action.memory.issue import Standing
from assay.github.client import Repo
from assay.github.errors import ActionMisused
from assay.memory_eval import MemoryEvalError

NOT_REQUESTED = "no baseline was requested"
NO_EARLIER_REPORT = "there is no earlier report of the default branch yet"
MOST_BYTES = 64 * 1024 * 1024

Found = TypeVar("Found")
Compare = Callable[[Report, str], tuple[Found | None, str]]
"""Compares an earlier report, of this name, with the present one; returns the comparison, or why there is none."""


@dataclass(frozen=True, slots=True)
class Compared(Generic[Found]):
    """The comparison, or in `why_not` why there is none.

    `run_id` is the baseline's run; None for a file of the workspace. `in_its_place` gives the reason if another report
    replaced the one of the open issue: "not worse" does not mean that the memory has recovered then.
    """

    comparison: Found | None = None
    why_not: str = ""
    run_id: int | None = None
    in_its_place: str = ""


def compared(
    inputs: MemoryInputs,
    job: Job,
    repo: Repo,
    standing: Standing | None,
    parse: Parse[Report],
    compare: Compare[Report, Found],
) -> Compared[Found]:
    """Compare with the baseline of the inputs. Raises `ActionMisused` for an invalid file."""
    if inputs.baseline is not None:
        return Compared(*compare(_of_file(inputs.baseline, parse), "the baseline"))
    if not inputs.compares_with_last:
        return Compared(why_not=NOT_REQUESTED)
    ours = Ours(f"{inputs.artifact}-data", job.default_branch, job.repository_id, job.run_id)
    in_its_place = ""
    if standing is not None:
        run_id = standing.baseline_run
        kept = report_of_run(repo, run_id, ours, parse) if run_id is not None else None
        in_its_place = "the issue does not name its run"
        if kept is not None:
            found, in_its_place = compare(kept.report, f"the report of run {run_id}")
            if found is not None:
                return Compared(found, run_id=run_id)
        elif run_id is not None:
            in_its_place = f"run {run_id} has no such report (any more)"
    last = next(earlier_reports(repo, ours, parse), None)
    if last is None:
        return Compared(None, NO_EARLIER_REPORT, in_its_place=in_its_place)
    return Compared(*compare(last.report, "the last report"), last.run_id, in_its_place)


def _of_file(path: Path, parse: Parse[Report]) -> Report:
    """Read a baseline from the workspace. Raises `ActionMisused`."""
    try:
        if path.is_symlink():
            raise ActionMisused("input baseline: the file is a link")
        with path.open("rb") as file:
            return parse(file.read(MOST_BYTES), "input baseline")
    except OSError as error:
        raise ActionMisused(f"input baseline: cannot be read ({error.strerror})") from None
    except MemoryEvalError as error:
        raise ActionMisused(str(error)) from None
