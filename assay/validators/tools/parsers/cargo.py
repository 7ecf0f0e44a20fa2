"""cargo: build, check, clippy, test, nextest and fmt, in their output formats since 2018."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from assay.validators.changes.language_table import suffixes
from assay.validators.report.model import Counts, Finding, Severity, ToolKind
from assay.validators.tools.parsers.text_tool import TextTool
from assay.validators.tools.readers.json_text import dicts, inner, json_values, number, text
from assay.validators.tools.readers.output import MOST_FINDINGS, Output, could_not_look, finding, severity_of
from assay.validators.tools.readers.places import split_place
from assay.validators.tools.tool import Ended, Reading, TestId

_PROGRAMS = frozenset(("cargo", "cross", "cargo-clippy", "cargo-nextest", "rustfmt"))
_CHECKS = frozenset("build b check c clippy test t nextest fmt doc bench llvm-cov miri hack".split())
_HEAD = re.compile(r"(error|warning)(?:\[(E\d{4})\])?: (.*)")
_ARROW = re.compile(r" *--> (.*):(\d{1,7}):\d{1,7}$")
_SHORT = re.compile(r":(\d{1,7}):\d{1,7}: (error|warning)(?:\[(E\d{4})\])?: (.*)")
_LINT = re.compile(r"`(?:#\[(?:warn|deny|forbid)\(([\w:]{2,80})\)\]|-[DWF] ([\w:-]{2,80}))`")
_CLIPPY = re.compile(r"rust-clippy/\S{1,40}index\.html#(\w{2,80})")
_DIFF = re.compile(r"Diff in (.*?)(?::| at line )(\d{1,7}):?$")
_RESULT = re.compile(r"test result: \w+\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored;")
_RUNNING = re.compile(r"running (\d{1,9}) tests?$")
_PROGRAM = re.compile(r" *(?:Running (?:unittests )?|(?=Doc-tests ))(\S{1,300}(?: \w{1,100})?)")
_ENDED = re.compile(r"test (.{1,500}?)(?: \(line \d+\))?(?: - [\w ]{1,40})? \.\.\. (ok|FAILED|ignored)")
_STATES = {"ok": Ended.passed, "FAILED": Ended.failed, "ignored": Ended.skipped}
_NEXTEST = re.compile(
    r" *Summary \[.{1,30}\] +\d+(?:/\d+)? tests? run: (\d+) passed(?:.*?, (\d+) failed)?(?:.*?, (\d+) skipped)?"
)
_FAILED = re.compile(r"test (.{1,500}) \.\.\. FAILED$")
_NEXTEST_FAILED = re.compile(r" +(?:FAIL|SIGABRT|TIMEOUT) \[.{1,30}\] (?:\(.{1,30}\) )?(.{1,500})$")
_PANIC = re.compile(r"thread '(.{1,500}?)' (?:\(\d+\) )?panicked at (.*)$")
_NOT_BUILT = ("error: could not compile", "error: aborting due to")


def look(output: Output) -> Reading | None:
    """Return diagnostics, formatting differences and tests, whichever are there."""
    diagnostics = list(dict.fromkeys((*_diagnostics(output), *_json(output), *_differences(output))))
    tests = _test_counts(output.lines)
    built = not any(line.startswith(_NOT_BUILT) for line in output.lines)
    if not diagnostics and tests is None and built and "    Finished " not in output.text:
        return None
    num_errors = sum(found.severity is Severity.error for found in diagnostics)
    num_warnings = len(diagnostics) - num_errors
    if tests is None and not built and _wants_tests(output):
        counts = Counts(errors=num_errors, warnings=num_warnings)
        return could_not_look("the tests could not be compiled", diagnostics, counts)
    if tests is None:
        findings = tuple(diagnostics[:MOST_FINDINGS])
        return Reading(Counts(errors=num_errors, warnings=num_warnings), findings)
    findings = (*dict.fromkeys(_failed_tests(output)), *diagnostics)[:MOST_FINDINGS]
    counts = Counts(*tests, errors=num_errors, warnings=num_warnings)
    if not sum(tests) and built:
        return could_not_look("no tests ran", findings, counts)
    why = None if built else "the tests could not be compiled"
    why = why or _cut_short(output.lines)
    return Reading(counts, findings, looked=why is None, reason=why, tests=_named(output.lines))


def _cut_short(lines: Sequence[str]) -> str | None:
    """Return why results are incomplete: a test program ended before its summary, whatever its exit code."""
    announced = sum(int(match[1]) for line in lines if (match := _RUNNING.match(line)))
    reported = sum(sum(map(int, match.groups(default="0"))) for line in lines if (match := _RESULT.match(line)))
    return f"a test program ended early: {reported} of {announced} tests are reported" if reported < announced else None


def _named(lines: Sequence[str]) -> dict[TestId, Ended]:
    """Return every test by its program and name."""
    tests: dict[TestId, Ended] = {}
    program = ""
    for line in lines:
        match = _PROGRAM.match(line)
        if match:
            program = match[1]
        elif match := _ENDED.match(line):
            name = match[1].removesuffix(" - should panic")
            tests["", f"{program} {name}".strip()] = _STATES[match[2]]
    return tests


def _wants_tests(output: Output) -> bool:
    asked = bool({"test", "t", "nextest"} & set(output.words))
    return asked or any(line.startswith(_NOT_BUILT) and " test" in line for line in output.lines)


def _diagnostics(output: Output) -> Iterator[Finding]:
    """Yield the diagnostics of rustc and clippy: a head, an arrow with the place, notes that name the lint."""
    lines = output.lines
    for index, line in enumerate(lines):
        head = _HEAD.match(line)
        if head is None:
            short = _SHORT.search(line)
            file = output.places.file(line[: short.start()]) if short else None
            # Compilers of other languages print `x.c:2:1: error:` in the same form.
            if short and file is not None and file.endswith(suffixes("rust")):
                rule = short[3] or "rustc"
                yield finding("cargo", rule, short[4], (file, int(short[1])), severity_of(short[2]))
            continue
        body = list(takewhile(str.strip, lines[index + 1 : index + 81]))
        arrow = next((match for text in body[:4] if (match := _ARROW.match(text))), None)
        file = output.places.file(arrow[1]) if arrow else None
        if arrow and file is not None:
            yield finding("cargo", head[2] or _lint(body), head[3], (file, int(arrow[2])), severity_of(head[1]))


def _lint(body: Sequence[str]) -> str:
    for line in body:
        clippy, lint = _CLIPPY.search(line), _LINT.search(line)
        if clippy:
            return f"clippy::{clippy[1]}"
        if lint:
            return (lint[1] or lint[2]).replace("-", "_")
    return "rustc"


def _json(output: Output) -> Iterator[Finding]:
    """Yield findings of `--message-format json`, where the project itself uses it."""
    if '"compiler-message"' not in output.text:
        return
    for value in json_values(output.text):
        message = inner(value, "message")
        span = next((span for span in dicts(inner(message, "spans")) if span.get("is_primary")), None)
        file = output.places.file(text(inner(span, "file_name")))
        if file is not None:
            place = (file, number(inner(span, "line_start")))
            rule = text(inner(message, "code", "code")) or "rustc"
            yield finding("cargo", rule, text(inner(message, "message")), place, severity_of(inner(message, "level")))


def _differences(output: Output) -> Iterator[Finding]:
    for line in output.lines:
        match = _DIFF.match(line)
        file = output.places.file(match[1]) if match else None
        if match and file is not None:
            yield finding("cargo", "fmt", "would be reformatted", (file, int(match[2])))


def _test_counts(lines: Sequence[str]) -> tuple[int, int, int] | None:
    """Return (passed, failed, ignored) over all test programs; None where none ran."""
    found = [match for line in lines if (match := _RESULT.match(line) or _NEXTEST.match(line))]
    if not found:
        return None
    passed, failed, ignored = (sum(int(match[group] or 0) for match in found) for group in (1, 2, 3))
    return passed, failed, ignored


def _failed_tests(output: Output) -> Iterator[Finding]:
    panics = _panics(output)
    for line in output.lines:
        match = _FAILED.match(line) or _NEXTEST_FAILED.match(line)
        if match is None:
            continue
        name = match[1].split(" ")[-1]
        said, place = panics.get(name, ("failed", ("", None)))
        yield finding("cargo", "test_failed", f"{name}: {said}", place, context=name)


def _assertion(lines: Sequence[str]) -> str:
    """Return a panic's message; of a failed comparison with both values."""
    said, *values = [line.strip() for line in lines] or [""]
    if [value.partition(": ")[0] for value in values] != ["left", "right"]:
        return said
    return f"{said} ({', '.join(value[:200] for value in values)})"


def _panics(output: Output) -> dict[str, tuple[str, tuple[str, int | None]]]:
    """Map each test name to its panic message and place."""
    found: dict[str, tuple[str, tuple[str, int | None]]] = {}
    for at, line in enumerate(output.lines):
        match = _PANIC.match(line)
        following = _assertion(output.lines[at + 1 : at + 4]) if match else ""
        where = split_place(match[2].rpartition("', ")[2]) if match else None
        if match and where:
            file = output.places.file(where[0])
            # Before 1.73 the message is in front of the place, on the same line.
            said = match[2].partition("'")[2].rpartition("', ")[0] if match[2].startswith("'") else following
            found.setdefault(match[1], (said or "panicked", (file, where[1]) if file else ("", None)))
    return found


cargo = TextTool(
    "cargo",
    ToolKind.build,
    _PROGRAMS,
    look,
    only_with={"cargo": _CHECKS, "cross": _CHECKS},
    gave_up=re.compile("error: "),
    variables={"CARGO_TERM_COLOR": "never", "CARGO_TERM_PROGRESS_WHEN": "never"},
)
