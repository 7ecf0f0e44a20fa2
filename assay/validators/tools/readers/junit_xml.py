"""JUnit XML, which nearly every test runner can write. It has no standard; this reads what the runners agree on."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from xml.sax.saxutils import unescape

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import ParseError, iterparse

from assay.validators.changes.language_table import suffixes
from assay.validators.report.model import Counts, Finding
from assay.validators.tools.readers.output import MOST_FINDINGS, could_not_look, finding, first_line
from assay.validators.tools.readers.places import Places
from assay.validators.tools.tool import Ended, Reading, TestId

_SCRIPTS = suffixes("javascript", "jsx", "typescript", "tsx")

MOST_CASES = 500_000
_BAD = ("failure", "error")
_ENDED = {"passed": Ended.passed, "failure": Ended.failed, "error": Ended.failed, "skipped": Ended.skipped}


@dataclass(frozen=True, slots=True)
class Case:
    """A test in a report; `outcome` is passed, failure, error or skipped."""

    name: str
    group: str
    file: str | None
    line: int | None
    outcome: str
    message: str
    body: str


def parse_junit(data: bytes) -> list[Case] | None:
    """Return the tests of a report; None for what is not JUnit XML, damaged or hostile."""
    cases: list[Case] = []
    is_junit = False
    path: list[str] = []
    try:
        for event, element in iterparse(io.BytesIO(data), events=("start", "end")):
            tag = _local(element.tag)
            if event == "start":
                path.append(tag)
                is_junit = is_junit or (len(path) == 1 and tag in ("testsuites", "testsuite"))
                if not is_junit:
                    return None
                continue
            path.pop()
            if tag == "testcase":
                cases.append(_case(element))
                if len(cases) >= MOST_CASES:
                    break
            if tag in ("testcase", "testsuite", "properties", "system-out", "system-err"):
                element.clear()
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        return None
    return cases if is_junit else None


def junit_reading(cases: Sequence[Case], tool: str, places: Places) -> Reading:
    """Return counts and failing tests of a report."""
    counts = Counts(
        passed=sum(case.outcome == "passed" for case in cases),
        failed=sum(case.outcome == "failure" for case in cases),
        skipped=sum(case.outcome == "skipped" for case in cases),
        errors=sum(case.outcome == "error" for case in cases),
    )
    if not cases:
        return could_not_look("no tests ran", counts=counts)
    findings = tuple(_findings(cases, tool, places))
    tests = _tests(cases, places)
    unloaded = next((case for case in cases if _is_whole_file(case)), None)
    if unloaded is not None:
        unread = could_not_look(f"could not load {unloaded.name or unloaded.group}", findings, counts)
        return replace(unread, tests=tests)
    return Reading(counts, findings, tests=tests)


def _tests(cases: Sequence[Case], places: Places) -> dict[TestId, Ended]:
    """Return every test by file and name; of one reported twice (call and teardown) the worse outcome counts."""
    tests: dict[TestId, Ended] = {}
    files: dict[tuple[str | None, str], str] = {}
    for case in cases:
        key = (case.file, case.group)
        if key not in files:
            files[key] = _own_file(case, places) or ""
        file = files[key]
        group = case.group
        module = file.rpartition(".")[0].replace("/", ".")
        if module and (group == module or group.startswith(f"{module}.")):
            group = group[len(module) :].strip(".")
        test = (file, f"{group}::{case.name}" if group else case.name)
        ended = _ENDED[case.outcome]
        tests[test] = Ended.failed if Ended.failed in (ended, tests.get(test)) else ended
    return tests


def _is_whole_file(case: Case) -> bool:
    """Return whether a failing test is a whole file: vitest names both alike, node:test uses the path."""
    if case.outcome not in _BAD:
        return False
    is_path = "/" in case.name and case.name.endswith(_SCRIPTS)
    return case.message == "collection failure" or (is_path and case.group in (case.name, "test"))


def _findings(cases: Iterable[Case], tool: str, places: Places) -> Iterable[Finding]:
    bad = [case for case in cases if case.outcome in _BAD]
    for case in bad[:MOST_FINDINGS]:
        rule = "test_failed" if case.outcome == "failure" else "test_error"
        name = context_of(case)
        said = first_line(case.message) or first_line(case.body) or case.outcome
        yield finding(tool, rule, f"{name}: {said}", place_of(case, places), context=name)


def context_of(case: Case) -> str:
    """Return the context of the finding about a failing test."""
    return f"{case.group} {case.name}".strip()


def place_of(case: Case, places: Places) -> tuple[str, int | None]:
    """Return where a test failed: in its own file where the trace passes through it, else the trace's place."""
    own = _own_file(case, places)
    frames = list(places.frames(case.body)) or list(places.frames(case.message))
    for file, line in frames:
        if own is None or file == own:
            return file, line
    if own is not None:
        return own, case.line
    return "", None


def _own_file(case: Case, places: Places) -> str | None:
    """Return a test's file: as reported, or from a dotted or path-like group (`tests.test_cart.TestTotal`)."""
    if case.file:
        return places.file(case.file)
    for group in (case.group, case.name):
        if "/" in group or group.endswith(_SCRIPTS):
            found = places.file(group.split(" ")[0].split("::")[0])
            if found:
                return found
    parts = case.group.split(".")
    for num in range(min(len(parts), 12), 0, -1):
        found = places.file("/".join(parts[:num]) + ".py")
        if found:
            return found
    return None


def _case(element: Any) -> Case:
    outcome, message, body = "passed", "", ""
    for child in element:
        tag = _local(child.tag)
        if tag in _BAD or (tag == "skipped" and outcome == "passed"):
            outcome, message, body = tag, child.get("message") or "", (child.text or "")[:100_000]
            if tag in _BAD:
                break
    line = element.get("line") or ""
    return Case(
        name=unescape(element.get("name") or "")[:500],
        group=(element.get("classname") or "")[:500],
        file=element.get("file") or element.get("filepath") or None,
        line=int(line) if line.isascii() and line.isdigit() and len(line) < 8 else None,
        outcome=outcome,
        message=message[:20_000],
        body=body,
    )


def _local(tag: Any) -> str:
    return str(tag).rpartition("}")[2]
