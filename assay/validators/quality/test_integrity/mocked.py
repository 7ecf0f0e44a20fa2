"""Tests that mock their own subject."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from assay.validators.changes.language_table import suffixes
from assay.validators.quality.inputs.changed_texts import ReadFile
from assay.validators.quality.test_integrity.finding import finding
from assay.validators.quality.test_integrity.test_code.assertions import assertions_of
from assay.validators.quality.test_integrity.test_code.both_sides import Kept, TestsOfChange
from assay.validators.quality.test_integrity.test_code.found_tests import FoundTest
from assay.validators.quality.test_integrity.test_code.subjects import Subjects, SubjectState, named_for
from assay.validators.report.model import Finding, Severity

_CALLED = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]{2,})\s*(?:<[^<>()]{0,60}>)?\(")
_QUOTED = r"[\"']([\w.]{3,200})[\"']"
_MEMBER = r"([\w.]{1,100}\s*,\s*[\"']\w{1,100})[\"']"
_REPLACED = re.compile(
    rf"\bpatch\(\s*{_QUOTED}|\bpatch\.object\(\s*{_MEMBER}|\bmonkeypatch\.setattr\(\s*(?:{_QUOTED}|{_MEMBER})"
    rf"|\b(?:jest|vi|vitest|sinon|mock)\.(?:spyOn|stub|method)\(\s*{_MEMBER}\s*\)\s*\.(?:mock(?!Clear|Restore|Reset)|returns|resolves|callsFake)"
    r"|(?<![\w.])([\w.]{1,100})[ \t]*=[ \t]*(?:\w+\.)?(?:Mock|MagicMock|AsyncMock|create_autospec|(?:jest|vi)\.fn)\(",
)
_MODULE = re.compile(r"\b(?:jest|vi)\.(?:mock|doMock)\(\s*[\"'](?P<path>[^\"'\n]{1,200})[\"']\s*\)")
_PATCH = re.compile(
    r"\b(?:patch(?:\.object)?|monkeypatch\.setattr)"
    r"\(\s*(?:[\"'](?P<dotted>[\w.]{3,200})[\"']|[\w.]{1,100},\s*[\"'](?P<attribute>\w{1,100})[\"'])"
)


def mocked(tests: TestsOfChange, subjects: Subjects) -> Iterator[Finding]:
    """Yield tests that replace what they test.

    These are a test file that mocks the module it is named for, a Python test that patches the function it is named
    for, and a changed test that now replaces the subject of its assertions.
    """
    for kept in tests.kept:
        yield from _replaced_subject(kept, subjects)
    for read in tests.files:
        if read.head_text is not None:
            yield from _whole_module(read)
    in_head = [(new.read, new.test) for new in tests.new] + [(kept.read, kept.after) for kept in tests.kept]
    for read, test in in_head:
        if read.file.path.endswith(suffixes("python")):
            yield from _own_function(read, test)


def _whole_module(read: ReadFile) -> Iterator[Finding]:
    subject = named_for(read.file.path)
    for match in _MODULE.finditer(read.head.text):
        line = read.head.line_at(match.start())
        named = PurePosixPath(match["path"]).name.partition(".")[0]
        is_local = match["path"].startswith(".")
        if line in read.file.added and read.head.code_lines[line - 1].strip() and is_local and named == subject:
            yield _finding(read, line, f"This file tests `{subject}`, and mocks all of it")


def _replaced_subject(kept: Kept, subjects: Subjects) -> Iterator[Finding]:
    """Yield a test that asserted a function's result and now asserts its replacement's."""
    if kept.before.text == kept.after.text:
        return
    asserted = assertions_of(kept.before, kept.read.file.base_path or kept.read.file.path)
    assertions_text = " ".join(each.text for each in asserted)
    called = {match[1] for match in _CALLED.finditer(assertions_text)}
    for match in _REPLACED.finditer(kept.after.text):
        line = kept.after.start + kept.after.text.count("\n", 0, match.start())
        target = next(group for group in match.groups() if group)
        owner, _, name = target.replace(" ", "").replace(",", ".").replace("'", "").replace('"', "").rpartition(".")
        is_new = line in kept.read.file.added and not re.search(
            rf"(?:patch|setattr|spyOn|stub|Mock|fn)\b[^\n]*\b{re.escape(name)}\b", kept.before.text
        )
        if is_new and name in called and (subjects.defines(owner, name) or f"{owner}.{name}(" in assertions_text):
            grave = subjects.state_of(kept.before) is SubjectState.changed
            message = f"`{kept.after.name}` replaces `{name}`, whose result it asserted before"
            yield _finding(kept.read, line, message, Severity.error if grave else Severity.warning)
            return


def _own_function(read: ReadFile, test: FoundTest) -> Iterator[Finding]:
    for match in _PATCH.finditer(test.text):
        line = test.start + test.text.count("\n", 0, match.start())
        name = match["attribute"] or match["dotted"].rpartition(".")[2]
        is_named_for = len(name) > 4 and test.name.rpartition(".")[2].removeprefix("test_") == name
        if line in read.file.added and is_named_for and re.search(rf"\b{re.escape(name)}\s*\(", test.code):
            message = f"`{test.name}` replaces `{name}`, the function it is named for, and then calls it"
            yield _finding(read, line, message)


def _finding(read: ReadFile, line: int, message: str, severity: Severity = Severity.warning) -> Finding:
    context = f"mocked {read.head.lines[line - 1]}"
    advice = "Mock what the subject calls, not the subject."
    return finding("mocked", severity, (read.file.path, line), message, advice, context)
