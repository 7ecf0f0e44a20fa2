"""bun's test runner: parsed from its output and from the JUnit XML that it is asked to write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

from assay.validators.report.model import Counts, Finding, ToolKind
from assay.validators.tools.parsers.text_tool import TextTool
from assay.validators.tools.readers.agreement import agreed
from assay.validators.tools.readers.junit_xml import junit_reading, parse_junit
from assay.validators.tools.readers.output import MOST_FINDINGS, Output, could_not_look, finding
from assay.validators.tools.tool import Reading

_REPORT = "bun.xml"
_PART = re.compile(r" (\d{1,9}) (pass|fail|skip|todo|error)s?$")
_COUNT = re.compile(r" \d{1,9} (?:filtered out|expect\(\) calls|snapshots)|snapshots: ")
_RAN = re.compile(r"Ran \d{1,9} tests? across \d{1,9} files?\.")
_BEGUN = re.compile(r"bun test v\d")
_NONE = re.compile(r"No tests found!|note: Tests need \"\.test\"|error: regex .{0,500} matched 0 tests\b")
_FILE = re.compile(r"(?:::group::)?(\S.{0,1000}\.[cm]?[jt]sx?):$")
_TEST = re.compile(r"(?:\((pass|fail|skip|todo)\)|([✓✗»✎])) (.{1,1000}?)(?: \[[\d.]+m?s\])?$")
_SIGNS = {"✓": "pass", "✗": "fail", "»": "skip", "✎": "todo"}
_BETWEEN = "# Unhandled error between tests"
_RULE = "-----"
_SAID = ("Expected", "Received")


def look(output: Output) -> Reading | None:
    """Return the report's results, with the failures as they are printed: older versions report no messages."""
    cases = parse_junit(output.scratch_report(_REPORT) or b"")
    reported = replace(junit_reading(cases, "bun", output.places), is_reported=True) if cases else None
    printed = _printed(output)
    reading = agreed(reported, printed)
    if reading is not None and printed is not None and printed.num_bad >= reading.num_bad:
        return replace(reading, findings=printed.findings)
    return reading


def _printed(output: Output) -> Reading | None:
    """Return the counts above the closing lines; None where there is none."""
    sums: dict[str, int] = {}
    block: dict[str, int] = {}
    is_bun = False
    for line in output.lines:
        match = _PART.match(line)
        if match is not None:
            block[match[2]] = int(match[1])
        elif _COUNT.match(line):
            continue
        elif _RAN.match(line):
            is_bun = is_bun or bool(block)
            sums = {kind: sums.get(kind, 0) + block.get(kind, 0) for kind in {*sums, *block}}
            block = {}
        else:
            # Only what is directly above the closing line counts.
            block = {}
    if not is_bun:
        return _without_counts(output.lines)
    errors = sums.get("error", 0)
    # An error outside of tests counts as a failed test too.
    failed = max(0, sums.get("fail", 0) - errors)
    counts = Counts(sums.get("pass", 0), failed, sums.get("skip", 0) + sums.get("todo", 0), errors)
    found = (one for one in _failures(output) if (failed if one.rule == "test_failed" else errors))
    findings = tuple(islice(found, MOST_FINDINGS))
    loaded = _loaded(output)
    broken = next((one for one in findings if one.rule == "test_error" and one.file not in loaded), None)
    if broken is not None:
        return could_not_look(f"could not load {broken.file or 'a test file'}", findings, counts)
    if not any((counts.passed, counts.failed, counts.skipped, errors)):
        return could_not_look("no tests ran", findings, counts)
    return Reading(counts, findings)


def _without_counts(lines: Sequence[str]) -> Reading | None:
    if any(_NONE.match(line) for line in lines):
        return could_not_look("no tests ran")
    # A test can end the whole process, with success too.
    return could_not_look("it ended before its results") if any(map(_BEGUN.match, lines)) else None


def _failures(output: Output) -> Iterator[Finding]:
    """Yield failed tests and errors between tests, each with what is printed above it."""
    above: list[str] = []
    lines = output.lines
    for index, (line, file) in enumerate(_by_file(output)):
        test = _ended(line)
        if _FILE.match(line):
            above = []
        elif line == _BETWEEN:
            told = _up_to_rule(lines[index + 2 : index + 202])
            yield _found("test_error", "", file, told, output)
            above = []
        elif test is not None:
            if test[0] == "fail":
                late = [one.strip(" ^") for one in lines[index + 1 : index + 2] if one.startswith("  ^ ")]
                yield _found("test_failed", test[1], file, [*above, *late], output)
            above = []
        else:
            above.append(line)


def _ended(line: str) -> tuple[str, str] | None:
    """Return (state, name) of a line that reports a test."""
    match = _TEST.match(line)
    return None if match is None else (match[1] or _SIGNS[match[2]], match[3].replace(" > ", " "))


def _up_to_rule(lines: Sequence[str]) -> list[str]:
    end = next((index for index, line in enumerate(lines) if line.startswith((_RULE, _BETWEEN))), len(lines))
    return list(lines[:end])


def _found(rule: str, name: str, file: str, told: Sequence[str], output: Output) -> Finding:
    error = next((line for line in told if line.startswith(("error: ", "this test timed out"))), "")
    values = [line for line in told if line.startswith(_SAID)]
    said = ", ".join((error.removeprefix("error: "), *values)) or "failed"
    frames = list(output.places.frames("\n".join(told)))
    own = next((number for path, number in frames if path == file), None)
    words = f"{name}: {said}" if name else f"error between tests: {said}"
    return finding("bun", rule, words, (file, own), context=name or file)


def _loaded(output: Output) -> frozenset[str]:
    """Return the files of which a test is reported."""
    return frozenset(file for line, file in _by_file(output) if _ended(line) is not None)


def _by_file(output: Output) -> Iterator[tuple[str, str]]:
    """Yield each line with the file whose tests it is about; "" before the first."""
    file = ""
    for line in output.lines:
        named = _FILE.match(line)
        if named is not None:
            file = output.places.file(named[1]) or ""
        yield line, file


def _asking(words: Sequence[str], scratch: Path) -> Sequence[str]:
    """Return the words with the report's options after `test`, unless the project chose a reporter."""
    # The folder of `--cwd` may be called like the command.
    ends = (index for index, pair in enumerate(pairwise(("", *words)), 1) if pair[1] == "test" and pair[0] != "--cwd")
    place = next(ends, 0)
    if not place or any(word.startswith("--reporter") for word in words):
        return words
    return (*words[:place], "--reporter=junit", f"--reporter-outfile={scratch / _REPORT}", *words[place:])


bun = TextTool("bun", ToolKind.test, frozenset(("bun",)), look, only_with={"bun": frozenset(("test",))}, asking=_asking)
