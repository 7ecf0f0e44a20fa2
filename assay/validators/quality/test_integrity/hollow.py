"""Asserts that cannot fail, and asserts whose failure is swallowed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.quality.inputs.changed_texts import ReadFile
from assay.validators.quality.test_integrity.finding import finding
from assay.validators.quality.test_integrity.test_code.found_tests import FoundTest
from assay.validators.quality.test_integrity.test_code.subjects import Subjects
from assay.validators.report.model import Finding, Severity

_TRIVIAL = re.compile(
    r"^\s*assert\s*\(?\s*(?:True|1|not\s+False|not\s+None)\s*\)?\s*(?:,.*)?$"
    r"|\bassertTrue\(\s*True\s*[,)]|\bassertFalse\(\s*False\s*[,)]"
    r"|\bassertEqual\(\s*(\w+)\s*,\s*\1\s*\)|\bexpect\(\s*(true|false|1|null)\s*\)\s*\.(?:to(?:Be"
    r"|Equal|StrictEqual)\(\s*\2\s*\)|toBeTruthy\(\))"
    r"|\bassert(?:\.ok|\.isTrue|_eq!"
    r"|!)?\(\s*true\s*\)|\bassert_eq!\(\s*(\w+)\s*,\s*\3\s*\)|\bassert\.True\(\s*t\s*,\s*true\s*\)"
)
_EXCEPT = re.compile(r"^(?P<indent>\s*)except\b(?P<what>[^:]*):\s*(?P<rest>.*)$")
_TRY = re.compile(r"^(?P<indent>\s*)try\s*:\s*$")
_WIDE = re.compile(r"^\s*$|\b(?:Exception|BaseException|AssertionError)\b")


def hollow(read: ReadFile, test: FoundTest, before: FoundTest | None, subjects: Subjects) -> Iterator[Finding]:
    """Yield findings about a test's added asserts that cannot fail."""
    for line in range(test.start, test.end + 1):
        if line in read.file.added and _TRIVIAL.search(read.head.code_lines[line - 1]):
            text = read.head.lines[line - 1]
            lost = before is not None and len(before.asserts) >= len(test.asserts)
            yield finding(
                "trivial",
                Severity.error if lost and subjects.touches_source else Severity.warning,
                (read.file.path, line),
                f"`{text.strip()[:80]}` in `{test.name}` cannot fail",
                "Assert what the code under test gives.",
                f"trivial {test.name} {text}",
            )
    for line in _swallowed(test):
        if line in read.file.added:
            yield finding(
                "swallowed",
                Severity.error if before is not None and subjects.touches_source else Severity.warning,
                (read.file.path, line),
                f"`{test.name}` swallows its own failure: this `except` catches what the asserts above it raise",
                "Let the assert fail; where an exception is expected, say so with pytest.raises.",
                f"swallowed {test.name} {read.head.lines[line - 1]}",
            )


def _swallowed(test: FoundTest) -> Iterator[int]:
    """Yield lines of a Python `except` that catches an assert of its `try` and ignores it."""
    lines = test.source.code_lines[test.start - 1 : test.end]
    for index, line in enumerate(lines):
        match = _EXCEPT.match(line)
        if match is None or not _WIDE.search(match["what"]):
            continue
        indent = len(match["indent"])
        body = [match["rest"]] if match["rest"].strip() else _block(lines, index, indent)
        if not body or not all(each.strip() in ("pass", "...", "continue", "return", "") for each in body):
            continue
        opening = next(
            (i for i in range(index - 1, -1, -1) if (found := _TRY.match(lines[i])) and len(found["indent"]) == indent),
            None,
        )
        if opening is not None and any(test.start + i in test.asserts for i in range(opening + 1, index)):
            yield test.start + index


def _block(lines: list[str], index: int, indent: int) -> list[str]:
    body = []
    for line in lines[index + 1 :]:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        body.append(line)
    return body
