"""TAP, the Test Anything Protocol, versions 12 to 14: node:test, node-tap, tape, ava, bats, prove, pgTAP."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assay.validators.report.model import Counts, Finding
from assay.validators.tools.readers.output import MOST_FINDINGS, Output, by_name, could_not_look, finding
from assay.validators.tools.tool import Ended, Reading, TestId

_POINT = re.compile(r"( {0,80})(not ok|ok)\b(?: +\d+)?(?: +-)?(?: +|$)(.*)")
_SUBTEST = re.compile(r"( {0,80})# Subtest: (.*)")
_PLAN = re.compile(r"1\.\.\d+(\s|$)")
_SUMMARY = re.compile(r"# (tests|pass|fail|cancelled|skipped|todo)\s+(\d{1,9})$")
_DIRECTIVE = re.compile(r"(?:^|[^\\])# ?(skip|todo)\b", re.IGNORECASE)
_SAYS = re.compile(r"\s+(error|message|fileName|lineNumber|location|file|line|at):\s*(.*)")
MOST_DETAIL_LINES = 120


@dataclass
class _Point:
    name: str
    indent: int
    ok: bool
    directive: str
    is_parent: bool
    within: tuple[str, ...] = ()
    details: list[str] = field(default_factory=list)


def look_tap(output: Output, tool: str = "tap") -> Reading | None:
    """Return the TAP results in the output; None where there are none."""
    if not _is_tap(output.lines):
        return None
    points = _points(output.lines)
    leaves = [point for point in points if not point.is_parent]
    bad = [point for point in leaves if not point.ok and not point.directive]
    num_skipped = sum(bool(point.directive) for point in leaves)
    num_passed = sum(point.ok and not point.directive for point in leaves)
    counts = _summary(output.lines, num_skipped) or Counts(num_passed, len(bad), num_skipped)
    if not leaves and not (counts.passed or counts.failed):
        return could_not_look("no tests ran", counts=counts)
    findings = tuple(_finding(point, output, tool) for point in bad[:MOST_FINDINGS])
    return Reading(counts, findings, tests=_named(leaves, counts, num_parents=len(points) - len(leaves)))


def first_words(block: Sequence[str]) -> str:
    """Return the first line of a block; if it announces values, with the line that has them."""
    first, *following = [line.strip() for line in block if line.strip()][:2] or [""]
    return f"{first} {following[0]}" if following and first.endswith(":") and "!==" in following[0] else first


def _named(leaves: Sequence[_Point], counts: Counts, num_parents: int) -> dict[TestId, Ended]:
    """Return every test by name; none if their number differs from the count (node:test counts parents too)."""
    num = sum((counts.passed or 0, counts.failed or 0, counts.skipped or 0))
    if not len(leaves) <= num <= len(leaves) + num_parents:
        return {}
    return by_name((("", " > ".join((*point.within, point.name))), _ended(point)) for point in leaves)


def _ended(point: _Point) -> Ended:
    return Ended.skipped if point.directive else Ended.passed if point.ok else Ended.failed


def _is_tap(lines: Sequence[str]) -> bool:
    """Return whether a text is TAP: a version line, or a plan with a test point. `ok` alone is common in logs."""
    has_plan = has_point = False
    for line in lines:
        if line.startswith("TAP version 1"):
            return True
        has_plan = has_plan or bool(_PLAN.match(line))
        has_point = has_point or (line.startswith(("ok", "not ok")) and bool(_POINT.fullmatch(line)))
        if has_plan and has_point:
            return True
    return False


def _points(lines: Sequence[str]) -> list[_Point]:
    points: list[_Point] = []
    within: dict[int, str] = {}
    deepest_since = -1
    for line in lines:
        if "# Subtest: " in line and (subtest := _SUBTEST.fullmatch(line)):
            within = {indent: name for indent, name in within.items() if indent < len(subtest[1])}
            within[len(subtest[1])] = subtest[2]
        match = _POINT.fullmatch(line) if "ok" in line[:90] else None
        if match is None:
            if points and len(points[-1].details) < MOST_DETAIL_LINES:
                points[-1].details.append(line)
            continue
        indent = len(match[1])
        directive = _DIRECTIVE.search(match[3])
        name = match[3].split(" # ")[0].strip()
        # A point that follows deeper ones sums them up and is not a test itself.
        above = tuple(title for depth, title in within.items() if depth < indent)
        is_parent = deepest_since > indent
        points.append(_Point(name, indent, match[2] == "ok", directive[1] if directive else "", is_parent, above))
        deepest_since = indent
    return points


def _summary(lines: Sequence[str], num_skipped: int) -> Counts | None:
    """Return the counts in the closing comments of node:test, tape and mocha, which beat a count of lines."""
    numbers = {
        match[1]: int(match[2]) for line in lines[-400:] if line.startswith("# ") and (match := _SUMMARY.match(line))
    }
    if "pass" not in numbers or not {"fail", "tests"} & set(numbers):
        return None
    failed = numbers.get("fail", numbers.get("tests", 0) - numbers["pass"])
    skipped = max(num_skipped, numbers.get("skipped", 0) + numbers.get("todo", 0))
    return Counts(passed=numbers["pass"], failed=max(0, failed) + numbers.get("cancelled", 0), skipped=skipped)


def _finding(point: _Point, output: Output, tool: str) -> Finding:
    said = dict(_said(point.details))
    file = output.places.file(said.get("fileName") or said.get("file") or "")
    number = said.get("lineNumber") or said.get("line") or ""
    place: tuple[str, int | None] = (file, int(number) if number.isdigit() else None) if file else ("", None)
    frames = list(output.places.frames("\n".join(point.details)))
    if frames and not file:
        own = [frame for frame in frames if frame[0] == frames[0][0]]
        place = own[1] if said.get("location") and len(own) > 1 else own[0]
    words = (line.strip() for line in point.details if line.strip() not in ("", "---", "..."))
    message = said.get("error") or said.get("message") or next(words, "failed")
    return finding(tool, "test_failed", f"{point.name or 'a test'}: {message}", place, context=point.name)


def _said(details: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Return the informative keys of the details, each with its first words. The first of several counts."""
    for at in reversed(range(len(details))):
        match = _SAYS.fullmatch(details[at])
        if match:
            value = match[2].strip()
            value = first_words(details[at + 1 :]) if value in ("|", "|-", ">", ">-") else value
            yield match[1], value.strip("'\"")[:300]
