"""Every test by name, as runners without a report print them: TAP, node's spec, `unittest -v`, cargo.

A test could print such lines itself, so names count only if their number is the printed total.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from assay.validators.changes.language_table import suffixes
from assay.validators.report.model import Counts, Finding
from assay.validators.tools.readers.output import MOST_FINDINGS, Output, by_name, finding
from assay.validators.tools.tool import Ended, TestId

_SUFFIX = suffixes("python")[0]
_TAP = re.compile(
    r"(?P<indent> {0,80})(?:# Subtest: (?P<begins>.*)|(?P<state>not ok|ok)\b(?: +\d+)?(?: +-)?(?: +|$)(?P<name>.*))"
)
_SPEC = re.compile(
    r"(?P<indent> {0,80})(?P<state>[▶✔✖﹣]) (?P<name>.{1,1000}?)(?: \([\d.]+ms\))?(?P<mark> # (?:SKIP|TODO).*)?$"
)
_SKIPPED = re.compile(r"(?:^|[^\\])# ?(?:skip|todo)\b", re.IGNORECASE)
_STATES = {"ok": Ended.passed, "✔": Ended.passed, "﹣": Ended.skipped}
_PLAN = re.compile(r"1\.\.\d+(\s|$)")
_SUMMARY = re.compile(r"# (tests|pass|fail|cancelled|skipped|todo)\s+(\d{1,9})$")
_ERROR = re.compile(r"^\s*(?:error|message): *(?:[|>]-?\n)?\s*(.*(?:(?<=:)\n *\n.*!==.*)?)", re.MULTILINE)
_FIRST = re.compile(r"^ *(?!---)(\S.*)", re.MULTILINE)
_LOCATION = re.compile(r"^\s*location: .*", re.MULTILINE)
MOST_DETAIL_LINES = 120

_STARTED = re.compile(r"(\w{1,300}) \(([\w.<>]{1,500})\)(?: \.\.\. .*)?$")
_ENDED = re.compile(r"(?:.* \.\.\. )?(ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$")
_CARGO_PROGRAM = re.compile(r" *(?:Running (?:unittests )?|(?=Doc-tests ))(\S{1,300}(?: \w{1,100})?)")
_CARGO_ENDED = re.compile(r"test (.{1,500}?)(?: \(line \d+\))?(?: - [\w ]{1,40})? \.\.\. (ok|FAILED|ignored)")


@dataclass(frozen=True, slots=True)
class Point:
    """A test with the groups around it, and the index of its line; a parent only sums up its subtests."""

    name: str
    within: tuple[str, ...]
    ended: Ended
    is_parent: bool
    index: int


def tap_points(output: Output) -> list[Point]:
    """Return the tests of a TAP output; [] for anything else: a version or a plan is needed, `ok` alone is common."""
    has_plan = has_point = False
    for line in output.lines:
        has_plan = has_plan or bool(_PLAN.match(line))
        has_point = has_point or (line.startswith(("ok", "not ok")) and bool(_TAP.fullmatch(line)))
        if line.startswith("TAP version 1") or (has_plan and has_point):
            return list(_points(output.lines, _TAP))
    return []


def spec_points(output: Output) -> list[Point]:
    """Return the tests that node prints above its totals."""
    return list(
        _points(list(takewhile(lambda line: not line.startswith("\N{INFORMATION SOURCE} "), output.lines)), _SPEC)
    )


def _points(lines: Sequence[str], pattern: re.Pattern[str]) -> Iterator[Point]:
    within: dict[int, str] = {}
    deepest = -1
    for index, line in enumerate(lines):
        match = pattern.fullmatch(line) if line.lstrip()[:1] in "#no▶✔✖﹣" else None
        if match is None:
            continue
        said = match.groupdict()
        depth, name = len(match["indent"]), (said.get("begins") or said["name"] or "").split(" # ")[0].strip()
        if said.get("begins") is not None or (match["state"] == "▶" and within.get(depth) != name):
            within = {level: title for level, title in within.items() if level < depth} | {depth: name}
            continue
        above = tuple(title for level, title in within.items() if level < depth)
        is_skipped = bool(said.get("mark") or _SKIPPED.search(line))
        yield Point(
            name,
            above,
            Ended.skipped if is_skipped else _STATES.get(match["state"], Ended.failed),
            deepest > depth,
            index,
        )
        deepest = depth


def counts_of(points: Sequence[Point]) -> Counts:
    """Return the totals of the tests, parents left out."""
    ends = [point.ended for point in points if not point.is_parent]
    return Counts(ends.count(Ended.passed), ends.count(Ended.failed), ends.count(Ended.skipped))


def tap_totals(output: Output, points: Sequence[Point]) -> Counts:
    """Return the totals in TAP's closing comments (node:test, tape, mocha), else those of the tests."""
    counted = counts_of(points)
    closing = (match for line in output.lines[-400:] if (match := _SUMMARY.match(line)))
    sums = {match[1]: int(match[2]) for match in closing}
    if "pass" not in sums or not {"fail", "tests"} & set(sums):
        return counted
    failed = sums.get("fail", sums.get("tests", 0) - sums["pass"])
    skipped = max(counted.skipped or 0, sums.get("skipped", 0) + sums.get("todo", 0))
    return Counts(sums["pass"], max(0, failed) + sums.get("cancelled", 0), skipped)


def names_of(points: Sequence[Point], counts: Counts) -> dict[TestId, Ended]:
    """Return the tests by name; none if their number differs from the total (node counts parents too)."""
    leaves = [point for point in points if not point.is_parent]
    num = sum((counts.passed or 0, counts.failed or 0, counts.skipped or 0))
    if not len(leaves) <= num <= len(points):
        return {}
    return by_name((("", " > ".join((*point.within, point.name))), point.ended) for point in leaves)


def tap_failures(output: Output, points: Sequence[Point], tool: str) -> Iterator[Finding]:
    """Yield the failing tests of a TAP output, with what is printed below each."""
    stops = [*(point.index for point in points[1:]), len(output.lines)]
    failed = [(point, stop) for point, stop in zip(points, stops, strict=False) if point.ended is Ended.failed]
    for point, stop in [one for one in failed if not one[0].is_parent][:MOST_FINDINGS]:
        details = "\n".join(output.lines[point.index + 1 : min(stop, point.index + MOST_DETAIL_LINES)])
        said = _ERROR.search(details) or _FIRST.search(details)
        # The location is where the test begins; a frame of the same file is where it failed.
        where = list(output.places.frames(details))
        own = [frame for frame in where if frame[0] == where[0][0]]
        nowhere: tuple[str, int | None] = ("", None)
        place = own[1] if len(own) > 1 and _LOCATION.search(details) else next(iter(where), nowhere)
        message = " ".join((said[1] if said else "failed").split()).strip("'")
        yield finding(tool, "test_failed", f"{point.name or 'a test'}: {message}", place, context=point.name)


def unittest_names(output: Output, counts: Counts) -> dict[TestId, Ended]:
    """Return the tests that `-v` prints; none if their number differs from the total."""
    states = {"ok": Ended.passed, "FAIL": Ended.failed, "ERROR": Ended.failed, "unexpected success": Ended.failed}
    tests: list[tuple[TestId, Ended]] = []
    test: TestId | None = None
    for line in takewhile(lambda line: not line.startswith("====="), output.lines):
        if match := _STARTED.match(line):
            test = _python_test(output, match[2].removesuffix(f".{match[1]}"), match[1])
        if test and (ended := _ENDED.match(line)):
            tests.append((test, states.get(ended[1], Ended.skipped)))
            test = None
    num = sum((counts.passed or 0, counts.failed or 0, counts.skipped or 0, counts.errors or 0))
    return by_name(tests) if len(tests) == num else {}


def _python_test(output: Output, group: str, name: str) -> TestId:
    """Return the test of a dotted class (`tests.test_cart.TotalTest`), with its file if found."""
    parts = group.split(".")
    for num in range(min(len(parts), 12), 0, -1):
        file = output.places.file(f"{'/'.join(parts[:num])}{_SUFFIX}")
        if file:
            return file, "::".join((*parts[num:], name))
    return "", f"{group}::{name}"


def cargo_names(output: Output) -> dict[TestId, Ended]:
    """Return every test by its program and name."""
    states = {"ok": Ended.passed, "FAILED": Ended.failed, "ignored": Ended.skipped}
    tests: dict[TestId, Ended] = {}
    program = ""
    for line in output.lines:
        if match := _CARGO_PROGRAM.match(line):
            program = match[1]
        elif match := _CARGO_ENDED.match(line):
            tests["", f"{program} {match[1].removesuffix(' - should panic')}".strip()] = states[match[2]]
    return tests
