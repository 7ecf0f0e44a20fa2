"""Inputs of the memory action's mode `report`, read strictly."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.action.environment.inputs import app_url, artifact_name, given, inside, misused
from assay.memory_eval import ExamUsageError, least_figures

DEFAULT_ARTIFACT = "assay-memory-report"
CHANGES_ARTIFACT = "assay-memory-changes"
RECORD = "record"
LAST = "last"
NONE = "none"
MOST_EXAMS = 100
_MOST_SEED = 2**63
_SECRET = re.compile(r"secret-[0-9]{1,4}")

Exam = int | str
"""Seed of a public exam, or `secret-1` and so on, the name of a secret one."""


@dataclass(frozen=True, slots=True)
class MemoryInputs:
    """The inputs; without `exams`, the job of this run recorded a production memory.

    `baseline` is a file of the workspace; without one, `compares_with_last` selects the last report. `fail_under` has
    figures with the least that each may have.
    """

    exams: tuple[Exam, ...]
    baseline: Path | None
    compares_with_last: bool
    fail_under: Mapping[str, float]
    artifact: str
    app_url: str | None = None


def read_memory_inputs(env: Mapping[str, str]) -> MemoryInputs:
    """Read the inputs from the environment. Raises `ActionMisused` for the first invalid one."""
    baseline = given(env, "baseline") or LAST
    is_file = baseline not in (LAST, NONE)
    return MemoryInputs(
        exams=() if is_record(env) else _exams(env),
        baseline=_file(env) if is_file else None,
        compares_with_last=baseline == LAST,
        fail_under=_least(env),
        artifact=artifact_name(env) or (CHANGES_ARTIFACT if is_record(env) else DEFAULT_ARTIFACT),
        app_url=app_url(env),
    )


def is_record(env: Mapping[str, str]) -> bool:
    """Return whether the record of a production memory is compared with the last one, instead of exams merged."""
    return given(env, "exams") == RECORD


def _exams(env: Mapping[str, str]) -> tuple[Exam, ...]:
    value = given(env, "exams") or "[]"
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not found or not all(map(_is_exam, found)):
        raise misused("exams", 'neither record nor a JSON list of exams, such as ["secret-1", "secret-2"], or of seeds')
    if len(found) > MOST_EXAMS or len(set(found)) < len(found):
        raise misused("exams", f"give each exam once, and at most {MOST_EXAMS}")
    if len({type(one) for one in found}) > 1:
        raise misused("exams", "secret exams and seeds cannot be merged: give one kind")
    return tuple(found)


def _is_exam(given: object) -> bool:
    if isinstance(given, str):
        return _SECRET.fullmatch(given) is not None
    return isinstance(given, int) and not isinstance(given, bool) and abs(given) < _MOST_SEED


def _file(env: Mapping[str, str]) -> Path:
    workspace = env.get("GITHUB_WORKSPACE", "")
    if not Path(workspace).is_absolute():
        raise misused("baseline", "the job has no workspace; check out the repository first")
    return Path(workspace, inside(env, "baseline") or "")


def _least(env: Mapping[str, str]) -> Mapping[str, float]:
    try:
        value = given(env, "fail-under")
        return {} if value is None else least_figures(value)
    except ExamUsageError as error:
        raise misused("fail-under", str(error)) from None
