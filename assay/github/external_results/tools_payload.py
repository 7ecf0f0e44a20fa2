"""Payload of Tier 1 results uploaded by a workflow: tool results and line coverage.

    {"version": 1, "run_id": 123, "job": "tools", "tools": {…as in the JSON report…},
     "lines": {"a.py": {"run": [[1, 9]], "missed": [[10, 12]]}}}

The payload comes from a run of the change: it is bounded, typed, and attributed to that run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from assay.github.external_results.payload import StrictModel, read_payload
from assay.validators import (
    UNTRUSTED_RUN,
    LineCoverage,
    ReportUnreadable,
    ToolsResult,
    path_of,
    read_tools,
    shown,
    tools_document,
)

VERSION = 1
MOST_BODY_BYTES = 4 * 1024 * 1024
MOST_RUNS = 100
MOST_FINDINGS = 5_000
MOST_NOTES = 500
MOST_FILES = 20_000
MOST_LINES = 2_000_000
MOST_TEXT = 4_000
REPORTED_BY = "the change's own workflow run"
WHAT = "the uploaded results"


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("not a line of text")
    return text


Path = Annotated[str, Field(max_length=MOST_TEXT)]
Line = Annotated[int, Field(gt=0, lt=2**31)]
Ranges = list[Annotated[list[Line], Field(min_length=2, max_length=2)]]


class _Sides(StrictModel):
    """Ranges of lines of a file, first and last line of each."""

    run: Ranges = Field(default_factory=list)
    missed: Ranges = Field(default_factory=list)


class _Payload(StrictModel):
    version: Annotated[int, Field(ge=VERSION, le=VERSION)]
    job: Annotated[str, Field(max_length=200), AfterValidator(_printable)] = ""
    run_id: Annotated[int, Field(gt=0, lt=2**63)] | None = None
    tools: dict[str, Any]
    lines: Annotated[dict[Path, _Sides], Field(max_length=MOST_FILES)] | None = None


@dataclass(frozen=True, slots=True)
class PostedTools:
    """Upload of one job. `run_id` is set if a second stage uploads for another run."""

    tools: ToolsResult
    job: str = ""
    run_id: int | None = None

    @property
    def is_untrusted(self) -> bool:
        """Whether the change can have forged it: see `untrusted.py`."""
        return self.run_id is not None or self.tools.reported_by == UNTRUSTED_RUN


def body_of(tools: ToolsResult, *, job: str = "", run_id: int | None = None) -> bytes:
    """Serialize results for the upload."""
    data: dict[str, Any] = {"version": VERSION, "job": job, "tools": tools_document(tools)}
    if run_id is not None:
        data["run_id"] = run_id
    if tools.line_coverage:
        data["lines"] = {shown(path): _ranges_of(lines) for path, lines in tools.line_coverage.items()}
    return json.dumps(data, ensure_ascii=True, allow_nan=False).encode()


def read_posted(body: bytes | Mapping[str, Any], *, reported_by: str = REPORTED_BY) -> PostedTools:
    """Parse an upload, as bytes or as stored data; `reported_by` overrides the source named in the body.

    Raises:
        ReportUnreadable: the payload is invalid.
    """
    payload = read_payload(_Payload, body, MOST_BODY_BYTES, WHAT)
    _bounded(payload.tools)
    tools, lines = read_tools(payload.tools), _lines_of(payload.lines or {})
    source = tools.coverage_source or (reported_by if lines else None)
    tools = replace(tools, line_coverage=lines or None, coverage_source=source, reported_by=reported_by)
    return PostedTools(tools, payload.job, payload.run_id)


def kept(posted: PostedTools) -> dict[str, Any]:
    """Convert an upload to plain data for a store; `read_posted` parses it again."""
    data: dict[str, Any] = json.loads(body_of(posted.tools, job=posted.job, run_id=posted.run_id))
    return data


def _bounded(tools: Mapping[str, Any]) -> None:
    """Refuse oversized results: too many entries, too long texts."""
    for name, most in (("runs", MOST_RUNS), ("findings", MOST_FINDINGS), ("not_checked", MOST_NOTES)):
        items = tools.get(name, ())
        if isinstance(items, list) and len(items) > most:
            raise ReportUnreadable(WHAT, f"`tools.{name}` has more than {most} entries")
    for text in _texts(tools):
        if len(text) > MOST_TEXT:
            raise ReportUnreadable(WHAT, f"a text is longer than {MOST_TEXT} characters")
    for path in _paths(tools):
        _path(path)


def _texts(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            waiting += one


def _paths(tools: Mapping[str, Any]) -> Iterator[Any]:
    for name, key in (("runs", "directory"), ("findings", "file")):
        items = tools.get(name)
        yield from (one.get(key) for one in (items if isinstance(items, list) else ()) if isinstance(one, Mapping))


def _path(text: Any) -> str:
    """Return the path of its `shown` form, which quotes and escapes unusual names."""
    path = path_of(text) if isinstance(text, str) else ""
    if "\0" in path or (isinstance(text, str) and shown(path) != text):
        raise ReportUnreadable(WHAT, "a path is not in Assay's format")
    return path


def _ranges_of(lines: Mapping[int, bool]) -> dict[str, list[list[int]]]:
    found: dict[str, list[list[int]]] = {"run": [], "missed": []}
    for covered, name in ((True, "run"), (False, "missed")):
        numbers = sorted(number for number, was_run in lines.items() if was_run is covered)
        for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
            run = [number for _, number in group]
            found[name].append([run[0], run[-1]])
    return found


def _lines_of(given: Mapping[str, _Sides]) -> LineCoverage:
    """Return the lines of each file, a line in both lists as run; the total is bounded before they are made."""
    pairs = [pair for sides in given.values() for pair in (*sides.missed, *sides.run)]
    if any(first > last for first, last in pairs) or sum(last - first + 1 for first, last in pairs) > MOST_LINES:
        raise ReportUnreadable(WHAT, f"lines: a range is reversed, or there are more than {MOST_LINES} lines")
    found: dict[str, dict[int, bool]] = {}
    for path, sides in given.items():
        lines = found[_path(path)] = {}
        for covered, ranges in ((False, sides.missed), (True, sides.run)):
            for first, last in ranges:
                lines.update(dict.fromkeys(range(first, last + 1), covered))
    return found
