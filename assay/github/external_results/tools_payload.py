"""Payload of Tier 1 results uploaded by a workflow: tool results and line coverage.

    {"version": 1, "run_id": 123, "job": "tools", "tools": {…as in the JSON report…},
     "lines": {"a.py": {"run": [[1, 9]], "missed": [[10, 12]]}}}

The payload comes from a run of the change: it is bounded, typed, and attributed to that run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from assay.validators import (
    UNTRUSTED_RUN,
    LineCoverage,
    NotStrict,
    ReportUnreadable,
    ToolsResult,
    path_of,
    read_strict_json,
    read_tools,
    shown,
    strict_values,
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
    data = _parsed(body) if isinstance(body, bytes) else body
    try:
        strict_values(data)
    except NotStrict as error:
        raise _wrong(str(error)) from None
    unknown = sorted(set(data) - {"version", "run_id", "job", "tools", "lines"})
    if unknown:
        raise _wrong(f"it has unknown keys, such as {unknown[0][:40]!r}")
    if type(data.get("version")) is not int or data["version"] != VERSION:
        raise _wrong(f"its version is not {VERSION}")
    job, run_id = data.get("job", ""), data.get("run_id")
    if not isinstance(job, str) or len(job) > 200 or not job.isprintable():
        raise _wrong("`job` is not a short line of text")
    if run_id is not None and (not isinstance(run_id, int) or isinstance(run_id, bool) or not 0 < run_id < 2**63):
        raise _wrong("`run_id` is not a number of a run")
    given = data.get("tools")
    if not isinstance(given, Mapping):
        raise _wrong("`tools` is missing")
    _bounded(given)
    tools = read_tools(given)
    lines = _lines_of(data.get("lines"))
    source = tools.coverage_source or (reported_by if lines else None)
    tools = replace(tools, line_coverage=lines or None, coverage_source=source, reported_by=reported_by)
    return PostedTools(tools, job, run_id)


def kept(posted: PostedTools) -> dict[str, Any]:
    """Convert an upload to plain data for a store; `read_posted` parses it again."""
    data: dict[str, Any] = json.loads(body_of(posted.tools, job=posted.job, run_id=posted.run_id))
    return data


def _parsed(body: bytes) -> Mapping[str, Any]:
    if len(body) > MOST_BODY_BYTES:
        raise _wrong(f"they are larger than {MOST_BODY_BYTES // 1024 // 1024} MiB")
    try:
        data = read_strict_json(body)
    except NotStrict as error:
        raise _wrong(str(error)) from None
    if not isinstance(data, dict):
        raise _wrong("they are not a JSON object")
    return data


def _bounded(tools: Mapping[str, Any]) -> None:
    """Refuse oversized results: too many entries, too long texts."""
    for name, most in (("runs", MOST_RUNS), ("findings", MOST_FINDINGS), ("not_checked", MOST_NOTES)):
        items = tools.get(name, ())
        if isinstance(items, list) and len(items) > most:
            raise _wrong(f"`tools.{name}` has more than {most} entries")
    for text in _texts(tools):
        if len(text) > MOST_TEXT:
            raise _wrong(f"a text is longer than {MOST_TEXT} characters")
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
        raise _wrong("a path is not in Assay's format")
    return path


def _ranges_of(lines: Mapping[int, bool]) -> dict[str, list[list[int]]]:
    found: dict[str, list[list[int]]] = {"run": [], "missed": []}
    for covered, name in ((True, "run"), (False, "missed")):
        numbers = sorted(number for number, was_run in lines.items() if was_run is covered)
        for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
            run = [number for _, number in group]
            found[name].append([run[0], run[-1]])
    return found


def _lines_of(given: Any) -> LineCoverage:
    if given is None:
        return {}
    if not isinstance(given, Mapping) or len(given) > MOST_FILES:
        raise _wrong(f"`lines` is not an object of at most {MOST_FILES} files")
    left = MOST_LINES
    found: dict[str, dict[int, bool]] = {}
    for path, sides in given.items():
        if len(path) > MOST_TEXT or not isinstance(sides, Mapping) or set(sides) - {"run", "missed"}:
            raise _wrong("`lines` of a file are `run` and `missed`")
        lines: dict[int, bool] = {}
        for name, covered in (("missed", False), ("run", True)):
            for first, last in _pairs(sides.get(name, [])):
                left -= last - first + 1
                if left < 0:
                    raise _wrong(f"`lines` holds more than {MOST_LINES} lines")
                lines.update(dict.fromkeys(range(first, last + 1), covered))
        found[_path(path)] = lines
    return found


def _pairs(given: Any) -> Iterable[tuple[int, int]]:
    if not isinstance(given, list):
        raise _wrong("`run` and `missed` are lists of first and last lines")
    for one in given:
        is_pair = isinstance(one, list) and len(one) == 2 and all(type(number) is int for number in one)
        if not is_pair or not 0 < one[0] <= one[1] < 2**31:
            raise _wrong("`run` and `missed` are lists of first and last lines")
        yield one[0], one[1]


def _wrong(why: str) -> ReportUnreadable:
    return ReportUnreadable("the uploaded results", why)
