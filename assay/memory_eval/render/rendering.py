"""Every result in every format."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from rich.console import Console

from assay import __version__
from assay.memory_eval.render import terminal
from assay.memory_eval.render.document import Document
from assay.memory_eval.render.html import html
from assay.memory_eval.render.json import clean, written
from assay.memory_eval.render.markdown import markdown
from assay.memory_eval.render.report_document import not_graded, report_document
from assay.memory_eval.render.results import comparison_document, drift_document, inspection_document
from assay.memory_eval.report.compare import Comparison
from assay.memory_eval.report.drift import Drift
from assay.memory_eval.report.inspection import Inspection
from assay.memory_eval.report.model import EvalReport

Result = EvalReport | Comparison | Inspection | Drift

_WRITERS: Mapping[str, Callable[[Document], str]] = {"terminal": terminal.text, "markdown": markdown, "html": html}
FORMATS = ("terminal", "json", "markdown", "html")
FILES = {"json": "report.json", "markdown": "report.md", "html": "report.html"}
"""Report files of a run's folder, by format."""
_RECORD = '"record": null'


def rendered(result: Result, format_name: str) -> str:
    """Return a result in one of `FORMATS`; the same result gives the same text."""
    if format_name == "json":
        return _json(result)
    return _WRITERS[format_name](_document(result, has_results=format_name == "html"))


def show(result: Result, console: Console) -> None:
    """Print a result on a terminal."""
    terminal.show(_document(result), console)


def _document(result: Result, *, has_results: bool = False) -> Document:
    if isinstance(result, EvalReport):
        return report_document(result, has_results=has_results)
    if isinstance(result, Comparison):
        return comparison_document(result)
    return inspection_document(result) if isinstance(result, Inspection) else drift_document(result)


def _json(result: Result) -> str:
    """Serialize to valid JSON in valid UTF-8, as in the published schema."""
    data: dict[str, Any] = {**result.to_dict()}
    if not isinstance(result, Comparison):
        data["assay_version"] = __version__
    if isinstance(result, EvalReport):
        data["not_graded"] = [{"question_id": name, "why": why} for name, why in not_graded(result)]
    if not isinstance(result, Drift):
        return written(clean(data))
    # The record is one line, since it has an entry for each of the memory's.
    record = json.dumps(clean(data.pop("record")), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    head, _, tail = written(clean({**data, "record": None})).rpartition(_RECORD)
    return f'{head}"record": {record}{tail}'
