"""Reader of report.json, as written by `run` and `grade`. The file is untrusted: bounded and validated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from assay.memory_eval.errors import WorldUnreadable
from assay.memory_eval.files import first_wrong, plain_json
from assay.memory_eval.report.model import MEMORY_ROWS, SCHEMA_VERSION, EvalReport, overall_of
from assay.memory_eval.truth import has_implausible_number

MOST_BYTES = 512 * 1024 * 1024
MOST_RESULTS = 200_000
MOST_CATEGORIES = 1_000
READABLE = ("1", "2", "3")
"""First numbers of the schema versions that can be read; fields that are gone are ignored."""
_HAIR = 1e-6
_SHAPE: TypeAdapter[EvalReport] = TypeAdapter(EvalReport)


def read_report(path: Path, where: str | None = None) -> EvalReport:
    """Read a report file; raises `WorldUnreadable` with one line that begins with `where`, or the path."""
    where = where or str(path)
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise WorldUnreadable(f"{where}: cannot be read ({error.strerror or error})", code="file.not-read") from None
    if len(data) > MOST_BYTES:
        raise WorldUnreadable(f"{where}: larger than {MOST_BYTES // 1024 // 1024} MB")
    return parsed_report(data, where)


def parsed_report(data: bytes, where: str) -> EvalReport:
    """Parse a report from bytes; `where` begins every error."""
    try:
        found = plain_json(data.decode("utf-8"))
    except ValueError as error:
        raise WorldUnreadable(f"{where}: not JSON: {' '.join(str(error).split())[:200]}") from None
    if not isinstance(found, dict) or "schema_version" not in found:
        raise WorldUnreadable(f"{where}: not a report of a memory evaluation")
    version = str(found["schema_version"])[:20]
    if version.partition(".")[0] not in READABLE:
        raise WorldUnreadable(f"{where}: a report of version {version!r}; this Assay reads {SCHEMA_VERSION}")
    if has_implausible_number(found):
        raise WorldUnreadable(f"{where}: an invalid number")
    try:
        report = _SHAPE.validate_python(found)
    except ValidationError as error:
        raise WorldUnreadable(f"{where}: {first_wrong(error)}") from None
    for wrong in _wrong(report):
        raise WorldUnreadable(f"{where}: {wrong}", code="report.contradictory")
    return report


def _wrong(report: EvalReport) -> Iterator[str]:
    """Yield contradictions in a report of valid form: the file may be forged."""
    shares = (value for name in MEMORY_ROWS for key, value in report.memory_row(name).items() if key != "n")
    if not all(0.0 <= share <= 1.0 for share in shares):
        yield "a figure of the memory that is not between 0 and 1"
    if len(report.results) > MOST_RESULTS:
        yield f"more than {MOST_RESULTS:,} results"
    if max(len(report.category_breakdown), len({one.category for one in report.results})) > MOST_CATEGORIES:
        yield f"more than {MOST_CATEGORIES:,} categories"
    if not all(0 <= row.num_questions <= len(report.results) for row in report.category_breakdown):
        yield "a category of more questions than there are results"
    counted = overall_of(report.results)
    if (counted is None) != (report.overall_score is None) or abs((counted or 0) - (report.overall_score or 0)) > _HAIR:
        yield "its overall score is not the mean of its results"
