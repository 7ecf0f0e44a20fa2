"""Tests that stayed but say less: asserts gone, asserts that cannot fail, asserts whose failure is swallowed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.quality.changed_texts import ReadFile
from assay.validators.quality.integrity.both_sides import Kept, TestsOfChange
from assay.validators.quality.integrity.found_tests import FoundTest, after_signature
from assay.validators.quality.integrity.subjects import Subjects, SubjectState
from assay.validators.report import Finding, Severity, Tier

_TRIVIAL = re.compile(
    r"^\s*assert\s*\(?\s*(?:True|1|not\s+False|not\s+None)\s*\)?\s*(?:,.*)?$"
    r"|\bassertTrue\(\s*True\s*[,)]|\bassertFalse\(\s*False\s*[,)]"
    r"|\bassertEqual\(\s*(\w+)\s*,\s*\1\s*\)|\bexpect\(\s*(true|false|1|null)\s*\)\s*\.(?:to(?:Be"
    r"|Equal|StrictEqual)\(\s*\2\s*\)|toBeTruthy\(\))"
    r"|\bassert(?:\.ok|\.isTrue|_eq!"
    r"|!)?\(\s*true\s*\)|\bassert_eq!\(\s*(\w+)\s*,\s*\3\s*\)|\bassert\.True\(\s*t\s*,\s*true\s*\)"
)
# What such a test says, it says by running to its end.
_PASSES_BY_NOT_FAILING = re.compile(
    r"(?:not|no|never|without|n't)[ _-](?:\w+[ _-]){0,2}?(?:throw|rais|fail|crash|error|warn|exception|leak|hang)",
    re.IGNORECASE,
)
_CHECKER = re.compile(
    r"(?<![\w.@])(?:self\.|this\.)?_*(?:(?:run|check|verify|validate)(?:_\w+|[A-Z]\w*)?|(?:test|do)(?:_\w+|[A-Z]\w*))\s*\("
)
_EXCEPT = re.compile(r"^(?P<indent>\s*)except\b(?P<what>[^:]*):\s*(?P<rest>.*)$")
_TRY = re.compile(r"^(?P<indent>\s*)try\s*:\s*$")
_WIDE = re.compile(r"^\s*$|\b(?:Exception|BaseException|AssertionError)\b")


def weakened(tests: TestsOfChange, subjects: Subjects) -> Iterator[Finding]:
    """Findings about tests that stand on both sides, and about hollow asserts in any test."""
    for kept in tests.kept:
        yield from _fewer_asserts(kept, subjects)
        yield from _hollow(kept.read, kept.after, kept.before, subjects)
    for new in tests.new:
        yield from _hollow(new.read, new.test, None, subjects)


def _fewer_asserts(kept: Kept, subjects: Subjects) -> Iterator[Finding]:
    before, after = len(kept.before.asserts), len(kept.after.asserts)
    if after >= before or kept.before.code == kept.after.code:
        return
    # A test made a table of cases says the same with fewer words, one cut short says less; a subject that went takes
    # its asserts along.
    if _is_table(kept.after) and not _is_table(kept.before):
        return
    if after and (_rewritten(kept) or subjects.state_of(kept.before) is SubjectState.gone):
        return
    is_empty = after == 0
    if is_empty and (_calls_out(kept.after) or _says_enough_by_ending(kept)):
        return
    is_about_this = is_empty and subjects.state_of(kept.before) is SubjectState.changed
    yield Finding(
        tier=Tier.quality,
        severity=Severity.error if is_about_this else Severity.warning if is_empty else Severity.info,
        rule="test_integrity.weakened",
        file=kept.read.file.path,
        line=kept.after.start,
        end_line=kept.after.end,
        message=f"`{kept.after.name}` asserts nothing any more (it had {before} assert{'s' if before > 1 else ''})"
        if is_empty
        else f"`{kept.after.name}` asserts less: {after} where it had {before}",
        suggestion="Keep the asserts, or say in the description why they no longer hold.",
        context=f"weakened {kept.after.name}",
    )


def _is_table(test: FoundTest) -> bool:
    return bool(re.search(r"\bparametrize\b|\.each\b|\bsubTest\b|\bt\.Run\b|\bfor\b", test.code))


def _rewritten(kept: Kept) -> bool:
    """Whether so much else changed that counting asserts says nothing: some were put in where others went."""
    old, new = kept.before.telling_lines, kept.after.telling_lines
    asserts = set(kept.after.asserts)
    fresh = [line for line in asserts if line in kept.read.file.added]
    return bool(fresh) or (len(new - old) >= 2 and len(new - old) >= 0.5 * len(old - new))


def _says_enough_by_ending(kept: Kept) -> bool:
    """Whether the test is about not failing, or all it lost were expected warnings."""
    lines = kept.before.source.code_lines
    only_warnings = all(re.search(r"\bwarns\s*\(", lines[number - 1]) for number in kept.before.asserts)
    return only_warnings or bool(_PASSES_BY_NOT_FAILING.search(kept.after.name))


def _calls_out(test: FoundTest) -> bool:
    """Whether what it checks may be checked by a function of the tests it calls."""
    return any(_CHECKER.search(after_signature(line)) for line in test.code.split("\n"))


def _hollow(read: ReadFile, test: FoundTest, before: FoundTest | None, subjects: Subjects) -> Iterator[Finding]:
    for line in range(test.start, test.end + 1):
        if line in read.file.added and _TRIVIAL.search(read.head.code_lines[line - 1]):
            text = read.head.lines[line - 1].strip()
            lost = before is not None and len(before.asserts) >= len(test.asserts)
            yield _finding(
                "trivial",
                Severity.error if lost and subjects.touches_source else Severity.warning,
                read,
                test,
                line,
                f"`{text[:80]}` in `{test.name}` cannot fail",
                "Assert what the code under test gives.",
            )
    for line in _swallowed(test):
        if line in read.file.added:
            yield _finding(
                "swallowed",
                Severity.error if before is not None and subjects.touches_source else Severity.warning,
                read,
                test,
                line,
                f"`{test.name}` swallows its own failure: this `except` catches what the asserts above it raise",
                "Let the assert fail; where an exception is expected, say so with pytest.raises.",
            )


def _finding(
    part: str, severity: Severity, read: ReadFile, test: FoundTest, line: int, message: str, suggestion: str
) -> Finding:
    return Finding(
        tier=Tier.quality,
        severity=severity,
        rule=f"test_integrity.{part}",
        file=read.file.path,
        line=line,
        end_line=line,
        message=message,
        suggestion=suggestion,
        context=f"{part} {test.name} {read.head.lines[line - 1]}",
    )


def _swallowed(test: FoundTest) -> Iterator[int]:
    """Lines of a Python `except` that catches an assert of its `try` and does nothing about it."""
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
