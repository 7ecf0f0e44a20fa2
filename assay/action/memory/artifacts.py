"""Artifacts of memory evaluations: what the jobs of this run left, and the reports of earlier runs.

A job that examines runs the agent's own code, so its file is untrusted; it is read within limits and by its schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from assay.action.handover.archive import only_file
from assay.action.handover.artifact import ArtifactLimits, downloaded
from assay.action.memory.inputs import Exam
from assay.github.client import ArtifactFacts, Repo
from assay.github.errors import ArtifactRefused, GithubRefused
from assay.memory_eval import REPORT_FILES, EvalReport, MemoryEvalError, parsed_report

EXAM_ARTIFACT = "assay-memory-{exam}-data"
RECORD_ARTIFACT = EXAM_ARTIFACT.format(exam="record")
LIMITS = ArtifactLimits(most_archive_bytes=32 * 1024 * 1024, most_file_bytes=64 * 1024 * 1024)
"""Chosen limits; a report with 1,000 long answers has 2 MB."""
MOST_LOOKED_AT = 50
"""Maximum artifacts of earlier runs that are read, newest first."""
NO_REPORT = "its job stored no report"

Report = TypeVar("Report")
Parse = Callable[[bytes, str], Report]
"""Parses a report from bytes; the second argument names it in errors. Raises `MemoryEvalError`."""


@dataclass(frozen=True, slots=True)
class Found:
    """The readable reports, and a line for each exam without one."""

    reports: tuple[EvalReport, ...] = ()
    missing: tuple[str, ...] = ()


def exam_reports(repo: Repo, run_id: int, exams: Sequence[Exam]) -> Found:
    """Return the report of each exam's job of this run; of several attempts, the newest."""
    reports, missing = [], []
    for exam in exams:
        name = f"seed {exam}" if isinstance(exam, int) else exam
        report, why = own_report(repo, run_id, EXAM_ARTIFACT.format(exam=exam), parsed_report)
        if report is None:
            missing.append(f"{name}: {why}")
        elif isinstance(exam, int) and report.seed != exam:
            missing.append(f"{name}: its job stored the report of another exam, {_exam_of(report)}")
        elif isinstance(exam, str) and not report.comparable:
            missing.append(f"{name}: its job stored the report of {_exam_of(report)}, which is not secret")
        else:
            reports.append(report)
    return Found(tuple(reports), tuple(missing))


def _exam_of(report: EvalReport) -> str:
    if report.seed is not None:
        return f"seed {report.seed}"
    return "another world"


def own_report(repo: Repo, run_id: int, name: str, parse: Parse[Report]) -> tuple[Report | None, str]:
    """Return what a job of this run stored under this name, or why there is none; of several attempts, the newest."""
    named = repo.artifacts(run_id, name)
    kept = [one for one in named if one.run_id in (None, run_id) and not one.is_expired]
    if not kept:
        return None, NO_REPORT
    try:
        return _report(repo, max(kept, key=lambda one: one.id), parse), ""
    except (ArtifactRefused, MemoryEvalError) as error:
        return None, str(error)


@dataclass(frozen=True, slots=True)
class Ours:
    """Artifacts that may be baselines: with this name, branch and repository, from another run.

    A run on another branch or of a fork is never a baseline of the default branch.
    """

    name: str
    branch: str
    repository_id: int
    run_id: int

    def has(self, artifact: ArtifactFacts) -> bool:
        """Return whether this is such an artifact and not expired."""
        is_from_here = artifact.branch == self.branch and artifact.head_repository_id == self.repository_id
        is_another = artifact.run_id not in (None, self.run_id)
        return artifact.name == self.name and is_from_here and is_another and not artifact.is_expired


@dataclass(frozen=True, slots=True)
class Kept(Generic[Report]):
    """The report of an earlier run."""

    report: Report
    run_id: int | None


def earlier_reports(repo: Repo, ours: Ours, parse: Parse[Report]) -> Iterator[Kept[Report]]:
    """Yield the readable baselines, newest first, of at most `MOST_LOOKED_AT` artifacts."""
    for one in islice(repo.artifacts_named(ours.name), MOST_LOOKED_AT):
        kept = _kept(repo, one, parse) if ours.has(one) else None
        if kept is not None:
            yield kept


def report_of_run(repo: Repo, run_id: int, ours: Ours, parse: Parse[Report]) -> Kept[Report] | None:
    """Return the report of this run; None if it may not be a baseline, is gone, or cannot be read.

    `run_id` is untrusted, so the same rules apply as for the last report.
    """
    try:
        named = repo.artifacts(run_id, ours.name)
    except GithubRefused as refused:
        if refused.status in (404, 410):
            return None
        raise
    found = [one for one in named if one.run_id == run_id and ours.has(one)]
    return _kept(repo, max(found, key=lambda one: one.id), parse) if found else None


def _kept(repo: Repo, artifact: ArtifactFacts, parse: Parse[Report]) -> Kept[Report] | None:
    try:
        return Kept(_report(repo, artifact, parse), artifact.run_id)
    except (ArtifactRefused, MemoryEvalError):
        return None


def _report(repo: Repo, artifact: ArtifactFacts, parse: Parse[Report]) -> Report:
    content = only_file(downloaded(repo, artifact, LIMITS), REPORT_FILES["json"], LIMITS.most_file_bytes)
    return parse(content, REPORT_FILES["json"])
