"""A report.json read back, as `run` and `grade` write it. It may come from anywhere: bounded and checked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from assay.memory_eval.errors import WorldUnreadable
from assay.memory_eval.exam_lines import plain_json
from assay.memory_eval.report import SCHEMA_VERSION, EvalReport

MOST_BYTES = 512 * 1024 * 1024
_SHAPE: TypeAdapter[EvalReport] = TypeAdapter(EvalReport)


def read_report(path: Path) -> EvalReport:
    """The report in this file; raises `WorldUnreadable` with one line."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise WorldUnreadable(f"{path}: cannot be read ({error.strerror or error})") from None
    if len(data) > MOST_BYTES:
        raise WorldUnreadable(f"{path}: larger than {MOST_BYTES // 1024 // 1024} MB")
    return parsed_report(data, str(path))


def parsed_report(data: bytes, where: str) -> EvalReport:
    """A report from the bytes of its file; `where` they came from begins every complaint."""
    try:
        found = plain_json(data.decode("utf-8"))
    except ValueError as error:
        raise WorldUnreadable(f"{where}: not JSON: {' '.join(str(error).split())[:200]}") from None
    return report_from(found, where)


def report_from(data: Any, where: str) -> EvalReport:
    """A report from plain data; `where` it came from begins every complaint."""
    if not isinstance(data, dict) or "schema_version" not in data:
        raise WorldUnreadable(f"{where}: no report of a memory examination")
    version = str(data["schema_version"])[:20]
    if version.partition(".")[0] != SCHEMA_VERSION.partition(".")[0]:
        raise WorldUnreadable(f"{where}: a report of version {version!r}; this Assay reads {SCHEMA_VERSION}")
    try:
        report = _SHAPE.validate_python(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(str(part) for part in first["loc"])[:200]
        raise WorldUnreadable(f"{where}: {key}: {first['msg']}") from None
    if not all(0.0 <= score <= 1.0 for score in _scores(report)):
        raise WorldUnreadable(f"{where}: a score that is not between 0 and 1")
    return report


def _scores(report: EvalReport) -> Iterable[float]:
    yield from (result.score for result in report.results if result.score is not None)
    yield from (score for result in report.results for score in result.dimensions.values() if score is not None)
    yield from (one.avg_score for one in report.category_breakdown if one.avg_score is not None)
    if report.overall_score is not None:
        yield report.overall_score
