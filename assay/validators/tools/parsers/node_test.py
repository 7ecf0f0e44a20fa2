"""Node's test runner (`node --test`), in its two usual formats: spec and TAP."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from assay.validators.report.model import Counts, Finding, ToolKind
from assay.validators.tools.parsers.text_tool import TextTool
from assay.validators.tools.readers.output import MOST_FINDINGS, Output, by_name, could_not_look, finding
from assay.validators.tools.readers.tap import first_words, look_tap
from assay.validators.tools.tool import Ended, Reading, TestId

_PROGRAMS = frozenset(("node", "nodejs", "tsx"))
_STARTER = "borp"
"""Program that does nothing but start the test runner."""
_SUMMARY = re.compile(r"\N{INFORMATION SOURCE} (tests|pass|fail|cancelled|skipped|todo) (\d{1,9})$")
_TEST_AT = re.compile(r"test at (.{1,1000}?):(\d{1,7}):\d{1,7}$")
_LINE = re.compile(r"( {0,80})([▶✔✖﹣]) (.{1,1000}?)(?: \([\d.]+ms\))?(?: # (?:SKIP|TODO).*)?$")
_STATES = {"✔": Ended.passed, "✖": Ended.failed, "﹣": Ended.skipped}
_NAME = re.compile(r"✖ (.{1,1000}?)(?: \([\d.]+ms\))?$")


def look(output: Output) -> Reading | None:
    """Parse the output in either format."""
    reading = _spec(output) or (look_tap(output, "node:test") if "# duration_ms " in output.text else None)
    if reading is None:
        return None
    broken = next((found for found in reading.findings if _is_whole_file(found)), None)
    if broken is not None and reading.looked:
        return replace(reading, looked=False, reason=f"could not load {broken.file or broken.context}")
    return reading


def _spec(output: Output) -> Reading | None:
    sums = {match[1]: int(match[2]) for line in output.lines if (match := _SUMMARY.match(line))}
    if "pass" not in sums:
        return None
    skipped = sums.get("skipped", 0) + sums.get("todo", 0)
    counts = Counts(sums["pass"], sums.get("fail", 0) + sums.get("cancelled", 0), skipped)
    findings = tuple(_failures(output))[:MOST_FINDINGS]
    if not sums.get("tests"):
        return could_not_look("no tests ran", findings, counts)
    return Reading(counts, findings, tests=_named(output.lines, sums["tests"]))


def _named(lines: Sequence[str], num: int) -> dict[TestId, Ended]:
    """Return every test by name; none if their number differs from the printed count, with or without parents."""
    within: list[str] = []
    tests: list[tuple[TestId, Ended]] = []
    num_parents = 0
    for line in lines:
        if _SUMMARY.match(line):
            break
        match = _LINE.match(line)
        if match is None or len(match[1]) // 2 > len(within):
            continue
        depth = len(match[1]) // 2
        is_end = depth < len(within) and within[depth] == match[3]
        within = within[:depth]
        if is_end:
            num_parents += 1
        elif match[2] == "▶":
            within.append(match[3])
        else:
            ended = Ended.skipped if "# TODO" in line else _STATES[match[2]]
            tests.append((("", " > ".join((*within, match[3]))), ended))
    return by_name(tests) if len(tests) <= num <= len(tests) + num_parents else {}


def _failures(output: Output) -> Iterator[Finding]:
    """Yield each `test at file:line:column` with the lines below it."""
    lines = output.lines
    for index, line in enumerate(lines[:-1]):
        match = _TEST_AT.match(line)
        name = _NAME.match(lines[index + 1]) if match else None
        if match is None or name is None:
            continue
        details = list(takewhile(lambda line: not line.startswith("test at "), lines[index + 2 : index + 202]))
        file = output.places.file(match[1]) or ""
        own = next((number for path, number in output.places.frames("\n".join(details)) if path == file), None)
        said = first_words(details) or "failed"
        yield finding("node:test", "test_failed", f"{name[1]}: {said}", (file, own or int(match[2])), context=name[1])


def _is_whole_file(found: Finding) -> bool:
    """Return whether a test is a whole file, by its name: the file ended before its first test."""
    return bool(found.file) and found.context.endswith(found.file.rpartition("/")[2])


node_test = TextTool(
    "node:test",
    ToolKind.test,
    _PROGRAMS | {_STARTER},
    look,
    only_with=dict.fromkeys(_PROGRAMS, frozenset(("--test",))),
    gave_up=re.compile("Could not find '"),
)
