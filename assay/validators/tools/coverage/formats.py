"""Formats of coverage reports: how a file of each begins, and how it is read. The first that fits counts."""

from __future__ import annotations

import io
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import ParseError, iterparse

from assay.validators.io.json_parts import inner, number
from assay.validators.tools.coverage.coverage_py_data import ran_lines

MOST_LINES = 5_000_000
"""Maximum lines of one report, about as many as the largest repositories have."""

_BLOCK = re.compile(rb"(.{1,4000}):(\d{1,8})\.\d{1,8},(\d{1,8})\.(\d{1,8}) \d{1,8} (\d{1,18})\s*")


@dataclass(frozen=True, slots=True)
class Reported:
    """One file of a report: its path as written, and line number -> whether a test ran it.

    `folders` are the report's candidate folders for its paths. `only_ran`: the report lists the lines that ran and not
    those that could have, so the others have to be found in the source.
    """

    path: str
    lines: dict[int, bool]
    folders: tuple[str, ...] = ()
    only_ran: bool = False


@dataclass(frozen=True, slots=True)
class CoverageFormat:
    """A format; `begins` is searched in the first kilobytes. `read` raises ValueError for a damaged or hostile file."""

    name: str
    begins: re.Pattern[bytes]
    read: Callable[[bytes], Iterator[Reported]]


def json_object(data: bytes) -> dict[str, Any]:
    """Parse a report that is a JSON object; empty for another value, ValueError for invalid JSON."""
    try:
        value = json.loads(data)
    except RecursionError:
        raise ValueError("nested too deep") from None
    return value if isinstance(value, dict) else {}


def _ran(lines: dict[int, bool], line: int | None, *, has_run: bool) -> None:
    """Record a line; it has run if any of its parts has."""
    if line is not None and 0 < line < 10_000_000:
        lines[line] = lines.get(line, False) or has_run


def _coverage_py(data: bytes) -> Iterator[Reported]:
    files = json_object(data).get("files")
    for path, entry in files.items() if isinstance(files, dict) else ():
        lines: dict[int, bool] = {}
        for key, has_run in (("executed_lines", True), ("missing_lines", False)):
            numbers = inner(entry, key)
            for line in numbers if isinstance(numbers, list) else ():
                _ran(lines, number(line), has_run=has_run)
        yield Reported(path, lines)


def _istanbul(data: bytes) -> Iterator[Reported]:
    """Yield the files of a report; a line has run if a statement that begins on it has."""
    for path, entry in json_object(data).items():
        statements, counts = inner(entry, "statementMap"), inner(entry, "s")
        if not isinstance(statements, dict) or not isinstance(counts, dict):
            continue
        lines: dict[int, bool] = {}
        for key, place in statements.items():
            _ran(lines, number(inner(place, "start", "line")), has_run=bool(number(counts.get(key))))
        yield Reported(str(inner(entry, "path") or path), lines)


def _xml(data: bytes) -> Iterator[tuple[str, str, Any]]:
    """Yield (start or end, tag without namespace, element) of a report of any size; ValueError for a hostile one."""
    try:
        for event, element in iterparse(io.BytesIO(data), events=("start", "end")):
            yield event, str(element.tag).rpartition("}")[2], element
            if event == "end":
                element.clear()
    except (ParseError, DefusedXmlException, LookupError) as error:
        raise ValueError(f"not readable as XML: {error}") from None


def _whole(value: str | None) -> int | None:
    return int(value) if value and value.isascii() and value.isdigit() and len(value) < 19 else None


def _cobertura(data: bytes) -> Iterator[Reported]:
    """Yield the files of a report; a file with several classes appears several times."""
    sources: list[str] = []
    lines: dict[int, bool] = {}
    in_method = False
    for event, tag, element in _xml(data):
        if event == "start" and tag == "class":
            lines = {}
        elif event == "end" and tag == "source":
            sources.append((element.text or "").strip())
        elif tag == "methods":
            # The same lines again, and with istanbul those of the declarations, which hold no statement.
            in_method = event == "start"
        elif event == "end" and tag == "line" and not in_method:
            _ran(lines, _whole(element.get("number")), has_run=bool(_whole(element.get("hits"))))
        elif event == "end" and tag == "class" and element.get("filename"):
            yield Reported(element.get("filename"), lines, tuple(filter(None, sources)))


def _jacoco(data: bytes) -> Iterator[Reported]:
    """Yield the files of a report as `com/shop/Cart.java`: the format does not record the source folder."""
    package = ""
    lines: dict[int, bool] = {}
    for event, tag, element in _xml(data):
        if event == "start" and tag == "package":
            package = element.get("name") or ""
        elif event == "start" and tag == "sourcefile":
            lines = {}
        elif event == "end" and tag == "line":
            _ran(lines, _whole(element.get("nr")), has_run=bool(_whole(element.get("ci"))))
        elif event == "end" and tag == "sourcefile" and element.get("name"):
            yield Reported(f"{package}/{element.get('name')}".lstrip("/"), lines)


def _lcov(data: bytes) -> Iterator[Reported]:
    """Yield the files of a report; a file tested by several programs appears several times."""
    path, lines = "", dict[int, bool]()
    for raw in data.split(b"\n"):
        line = raw.strip()
        if line.startswith(b"SF:"):
            path, lines = line[3:].decode("utf-8", "surrogateescape"), {}
        elif line.startswith(b"DA:"):
            at, _, hits = line[3:].partition(b",")
            if at.isdigit() and len(at) < 9:
                # Old files write `=====` for none, and hits may exceed a plain number.
                none = (b"", b"=====", b"#####", b"-")
                _ran(lines, int(at), has_run=hits.split(b",")[0].lstrip(b"0") not in none)
        elif line == b"end_of_record" and path:
            yield Reported(path, lines)
            path = ""


def _go_profile(data: bytes) -> Iterator[Reported]:
    """Yield the files of a profile; paths begin with the module's name."""
    files: dict[bytes, dict[int, bool]] = defaultdict(dict)
    left = MOST_LINES
    for match in filter(None, map(_BLOCK.fullmatch, data.split(b"\n"))):
        first, last, column, count = (int(match[group]) for group in (2, 3, 4, 5))
        # A block that ends in the first columns of a line ends with a closing brace alone.
        last -= column <= 2 and last > first
        left -= last - first
        if last < first or left < 0:
            raise ValueError("a block without end")
        for line in range(first, last + 1):
            _ran(files[match[1]], line, has_run=count > 0)
    for path, lines in files.items():
        yield Reported(path.decode("utf-8", "surrogateescape"), lines)


def _coverage_py_data(data: bytes) -> Iterator[Reported]:
    """Yield the files measured and the lines that ran; the format does not record which lines could have run."""
    for path, numbers in ran_lines(data).items():
        yield Reported(path, dict.fromkeys(sorted(numbers), True), only_ran=True)


def _format(name: str, begins: bytes, read: Callable[[bytes], Iterator[Reported]]) -> CoverageFormat:
    return CoverageFormat(name, re.compile(begins, re.DOTALL), read)


_ELEMENT = rb"\A(?:\xef\xbb\xbf)?\s*(?:<[?!][^>]{0,2000}>\s*){0,20}<(?:\w{1,40}:)?"
COVERAGE_FORMATS = (
    _format("coverage_py_json", rb'\A\s*\{.*(?:"executed_lines"|"branch_coverage")', _coverage_py),
    _format("istanbul", rb'\A\s*\{.*"statementMap"', _istanbul),
    # Clover has the same outermost element.
    _format("cobertura", _ELEMENT + rb"coverage\b(?!.*(?:<project|clover=))", _cobertura),
    _format("jacoco", _ELEMENT + rb"report\b.*(?:JACOCO|<sessioninfo|<package)|\A.{0,300}JACOCO.*<report\b", _jacoco),
    _format("lcov", rb"\A\s*(?:TN:|SF:).*SF:|\A\s*SF:", _lcov),
    _format("go_profile", rb"\A\s*mode: (?:set|count|atomic)\b", _go_profile),
    _format("coverage_py_data", rb"\ASQLite format 3\x00", _coverage_py_data),
)
