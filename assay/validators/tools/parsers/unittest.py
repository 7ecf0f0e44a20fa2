"""unittest of Python's standard library, parsed from stderr."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.validators.changes.language_table import suffixes
from assay.validators.report.model import Counts, Finding, ToolKind
from assay.validators.tools.parsers.text_tool import TextTool
from assay.validators.tools.readers.output import MOST_FINDINGS, Output, by_name, could_not_look, finding
from assay.validators.tools.tool import Ended, Reading, TestId

_SUFFIX = suffixes("python")[0]
_RAN = re.compile(r"Ran (\d{1,9}) tests? in [\d.]+s$")
_CLOSING = re.compile(r"(?:OK|FAILED|NO TESTS RAN)(?: \((.{0,300})\))?$")
_DETAIL = re.compile(r"([a-z ]{3,30})=(\d{1,9})")
_HEADER = re.compile(r"(FAIL|ERROR|UNEXPECTED SUCCESS): (\S{1,300})(?: \((.{0,500}?)\))?")
_STARTED = re.compile(r"(\w{1,300}) \(([\w.<>]{1,500})\)(?: \.\.\. .*)?$")
_ENDED = re.compile(r"(?:.* \.\.\. )?(ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$")
_STATES = {"ok": Ended.passed, "FAIL": Ended.failed, "ERROR": Ended.failed, "unexpected success": Ended.failed}
_NOT_LOADED = "unittest.loader._FailedTest"


def look(output: Output) -> Reading | None:
    """Parse counts from the closing lines, failing tests from their tracebacks."""
    runs = [int(match[1]) for line in output.lines if (match := _RAN.match(line))]
    if not runs:
        return None
    details = _details(output.lines)
    failed = details.get("failures", 0) + details.get("unexpected successes", 0)
    errors = details.get("errors", 0)
    skipped = details.get("skipped", 0) + details.get("expected failures", 0)
    counts = Counts(max(0, sum(runs) - failed - errors - skipped), failed, skipped, errors)
    findings = tuple(_findings(output))[:MOST_FINDINGS]
    missing = next((line for line in output.lines if _NOT_LOADED in line and line.startswith("ERROR:")), None)
    if missing:
        return could_not_look(f"could not load {missing.removeprefix('ERROR:').split()[0]}", findings, counts)
    if not sum(runs) and not errors:
        return could_not_look("no tests ran", findings, counts)
    return Reading(counts, findings, tests=_named(output, sum(runs)))


def _named(output: Output, num: int) -> dict[TestId, Ended]:
    """Return every test by name, as `-v` prints them; none if their number differs from the printed count."""
    tests: list[tuple[TestId, Ended]] = []
    test: TestId | None = None
    for line in output.lines:
        if line.startswith("====="):
            break
        if match := _STARTED.match(line):
            test = _test(output, match[2].removesuffix(f".{match[1]}"), match[1])
        if test and (ended := _ENDED.match(line)):
            tests.append((test, _STATES.get(ended[1], Ended.skipped)))
            test = None
    return by_name(tests) if len(tests) == num else {}


def _test(output: Output, group: str, name: str) -> TestId:
    """Return the test of a dotted class (`tests.test_cart.TotalTest`), with its file if found."""
    parts = group.split(".")
    for num in range(min(len(parts), 12), 0, -1):
        file = output.places.file(f"{'/'.join(parts[:num])}{_SUFFIX}")
        if file:
            return file, "::".join((*parts[num:], name))
    return "", f"{group}::{name}"


def _verbose(words: Sequence[str], _scratch: Path) -> Sequence[str]:
    """Return the words with the option that makes unittest name every test."""
    return words if {"-v", "--verbose", "-q", "--quiet"} & set(words) else (*words, "-v")


def _details(lines: Sequence[str]) -> dict[str, int]:
    """Sum up the details of the closing lines (`FAILED (failures=1, skipped=2)`)."""
    sums: dict[str, int] = {}
    for line in lines:
        match = _CLOSING.match(line)
        for part in (match[1] or "").split(", ") if match else ():
            detail = _DETAIL.fullmatch(part)
            if detail:
                sums[detail[1]] = sums.get(detail[1], 0) + int(detail[2])
    return sums


def _findings(output: Output) -> Iterator[Finding]:
    lines = output.lines
    for index, line in enumerate(lines):
        if not line.startswith("=====") or index + 1 >= len(lines):
            continue
        match = _HEADER.match(lines[index + 1])
        if match is None:
            continue
        trace = _trace(lines, index + 2)
        frames = list(output.places.frames("\n".join(trace)))
        raised = next((later for later in reversed(trace) if later and not later.startswith((" ", "-"))), "failed")
        rule = "test_error" if match[1] == "ERROR" else "test_failed"
        place: tuple[str, int | None] = frames[0] if frames else ("", None)
        name = f"{match[3] or ''} {match[2]}".strip()
        yield finding("unittest", rule, f"{match[2]}: {raised}", place, context=name)


def _trace(lines: Sequence[str], start: int) -> list[str]:
    trace: list[str] = []
    for line in lines[start : start + 400]:
        if line.startswith("=====") or (line.startswith("-----") and len(trace) > 1):
            break
        trace.append(line)
    return trace


unittest = TextTool("unittest", ToolKind.test, frozenset(("unittest",)), look, asking=_verbose)
