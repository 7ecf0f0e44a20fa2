"""Bounded reading of a session's file, line by line, with a report of unreadable lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from assay.github.errors import TraceUnreadable
from assay.github_app.provenance.traces.claude_code import is_claude_code, read_claude_code
from assay.github_app.provenance.traces.otlp import is_otlp, read_otlp
from assay.github_app.provenance.traces.step import BadLine, Entry, Trace, bounded

READERS = {"otlp": (is_otlp, read_otlp), "claude_code": (is_claude_code, read_claude_code)}
"""Formats by the name of `Trace.source`: whether an object has it and no other, and the sessions of all objects.

The first that matches one of a file's first objects reads it. Readers never raise for unexpected content.
"""
MOST_BYTES = 64 * 1024 * 1024
"""Maximum bytes of one file."""
MOST_LINE_BYTES = 16 * 1024 * 1024
MOST_BAD = 20
"""Maximum number of bad lines that are named; the rest are only counted."""
_LOOKED_AT = 50
"""Maximum objects a reader checks to recognize its format."""


@dataclass(frozen=True, slots=True)
class ReadTraces:
    """Content of a file. `bad` are skipped lines, `num_bad` their total number."""

    source: str
    traces: tuple[Trace, ...]
    bad: tuple[BadLine, ...] = ()
    num_bad: int = 0


def read_traces(data: bytes, name: str) -> ReadTraces:
    """Read a file; errors call it `name`.

    Raises:
        TraceUnreadable: it is too large, of an unknown format, or has no session.
    """
    if len(data) > MOST_BYTES:
        raise TraceUnreadable(f"{name}: more than {MOST_BYTES // 2**20} MiB")
    entries: list[Entry] = []
    bad: list[BadLine] = []
    for one in _objects(data):
        if isinstance(one, Entry):
            entries.append(one)
        else:
            bad.append(one)
    source = _source_of(entries)
    if source is None:
        first = f"; line {bad[0].line}: {bad[0].why}" if bad and not entries else ""
        known = ", ".join(READERS)
        raise TraceUnreadable(f"{name}: unknown trace format; supported: {known}{first}", code="trace.unknown-format")
    traces, more = READERS[source][1](entries)
    kept = tuple(bounded(trace) for trace in traces if trace.steps)
    if not kept:
        raise TraceUnreadable(f"{name}: contains no step", code="trace.empty")
    found = sorted([*bad, *more], key=lambda one: one.line)
    return ReadTraces(source, kept, tuple(found[:MOST_BAD]), len(found))


def _source_of(entries: Sequence[Entry]) -> str | None:
    found = (name for entry in entries[:_LOOKED_AT] for name, (fits, _) in READERS.items() if fits(entry.data))
    return next(found, None)


def _objects(data: bytes) -> Iterator[Entry | BadLine]:
    """Yield the objects of a file, one per line or one pretty-printed over all lines."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    first = next((line for line in lines if line.strip()), b"")
    if isinstance(_object(first, 1), BadLine):
        whole = _object(data.removeprefix(b"\xef\xbb\xbf"), 1)
        if isinstance(whole, Entry):
            yield whole
            return
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _object(line, number)


def _object(text: bytes, line: int) -> Entry | BadLine:
    if len(text) > MOST_LINE_BYTES and line > 1:
        return BadLine(line, f"more than {MOST_LINE_BYTES // 2**20} MiB")
    try:
        value = json.loads(text.decode("utf-8", "replace"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        return BadLine(line, "not JSON")
    return Entry(line, value) if isinstance(value, dict) else BadLine(line, "no object")


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)
