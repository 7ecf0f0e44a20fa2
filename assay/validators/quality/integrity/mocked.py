"""Tests that replace the very thing they test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from assay.validators.quality.changed_texts import ReadFile
from assay.validators.quality.integrity.both_sides import TestsOfChange
from assay.validators.quality.integrity.found_tests import FoundTest
from assay.validators.report import Finding, Severity, Tier

_MODULE = re.compile(r"\b(?:jest|vi)\.(?:mock|doMock)\(\s*[\"'](?P<path>[^\"'\n]{1,200})[\"']\s*\)")
_PATCH = re.compile(
    r"\bpatch(?:\.object)?\(\s*(?:[\"'](?P<dotted>[\w.]{3,200})[\"']|(?P<owner>[\w.]{1,100}),\s*[\"'](?P<attribute>\w{1,100})[\"'])"
    r"|\bmonkeypatch\.setattr\(\s*(?:[\"'](?P<dotted2>[\w.]{3,200})[\"']|(?P<owner2>[\w.]{1,100}),\s*[\"'](?P<attribute2>\w{1,100})[\"'])"
)
_TEST_MARKS = re.compile(r"^test_|_test$|\.(?:test|spec)$|Tests?$")


def mocked(tests: TestsOfChange) -> Iterator[Finding]:
    """A test file that mocks the whole module it is named for, and a Python test that patches the function it is
    named for.
    """
    for read in tests.files:
        if read.head_text is not None:
            yield from _whole_module(read)
    in_head = [(new.read, new.test) for new in tests.new] + [(kept.read, kept.after) for kept in tests.kept]
    for read, test in in_head:
        if read.file.path.endswith(".py"):
            yield from _own_function(read, test)


def _whole_module(read: ReadFile) -> Iterator[Finding]:
    subject = _TEST_MARKS.sub("", PurePosixPath(read.file.path).stem)
    for match in _MODULE.finditer(read.head.text):
        line = read.head.line_at(match.start())
        named = PurePosixPath(match["path"]).name.partition(".")[0]
        is_local = match["path"].startswith(".")
        if line in read.file.added and read.head.code_lines[line - 1].strip() and is_local and named == subject:
            yield _finding(read, line, f"This file tests `{subject}`, and mocks all of it")


def _own_function(read: ReadFile, test: FoundTest) -> Iterator[Finding]:
    for match in _PATCH.finditer(test.text):
        line = test.start + test.text.count("\n", 0, match.start())
        name = (
            match["attribute"] or match["attribute2"] or (match["dotted"] or match["dotted2"] or "").rpartition(".")[2]
        )
        bare = test.name.rpartition(".")[2].removeprefix("test_")
        if (
            line in read.file.added
            and len(name) > 4
            and bare == name
            and re.search(rf"\b{re.escape(name)}\s*\(", test.code)
        ):
            yield _finding(
                read, line, f"`{test.name}` replaces `{name}`, the function it is named for, and then calls it"
            )


def _finding(read: ReadFile, line: int, message: str) -> Finding:
    return Finding(
        tier=Tier.quality,
        severity=Severity.warning,
        rule="test_integrity.mocked",
        file=read.file.path,
        line=line,
        end_line=line,
        message=message,
        suggestion="Mock what the subject calls, not the subject.",
        context=f"mocked {read.head.lines[line - 1]}",
    )
