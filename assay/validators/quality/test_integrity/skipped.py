"""Tests that no longer run: skipped, expected to fail, or excluded by others that run alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from assay.validators.changes.language_table import suffixes
from assay.validators.quality.inputs.changed_texts import ReadFile
from assay.validators.quality.test_integrity.finding import finding
from assay.validators.quality.test_integrity.test_code.both_sides import Kept, TestsOfChange
from assay.validators.quality.test_integrity.test_code.found_tests import FoundTest, opener, tests_in
from assay.validators.quality.test_integrity.test_code.subjects import Subjects, SubjectState
from assay.validators.report.model import Finding, Severity


@dataclass(frozen=True, slots=True)
class _Mark:
    """Mark that keeps a test from running.

    `conditional`: only in some environments. `alone`: it keeps all *other* tests from running.
    """

    pattern: re.Pattern[str]
    suffixes: tuple[str, ...]
    conditional: bool = False
    alone: bool = False
    expected: bool = False


MOST_LINES_BETWEEN = 10
"""Maximum lines from a condition to its mark."""
_PY = suffixes("python")
_JS = suffixes("javascript", "jsx", "typescript", "tsx")
_JVM = suffixes("java", "kotlin", "scala", "groovy")
_RUBY = suffixes("ruby")


def _mark(
    endings: tuple[str, ...], *patterns: str, conditional: bool = False, alone: bool = False, expected: bool = False
) -> _Mark:
    return _Mark(re.compile("|".join(patterns)), endings, conditional, alone, expected)


_SUITES = r"(?<![\w.$])(?:it|test|describe|suite|context|specify)(?:\s*\.\s*\w+)*\s*\.\s*"
_TESTS = r"(?:it|test|describe|specify)"
_MARKS = (
    _mark(_JS, rf"^\s*[?:]\s*{_TESTS}\b", rf"\?\s*{_TESTS}\b[\w.\s]*:\s*{_TESTS}\b", conditional=True),
    _mark(_PY, r"\bskip(?:[Ii]f|[Uu]nless)\b|\bmark\.skipif\b|\bimportorskip\b", conditional=True),
    # An xfail's first positional argument is its condition.
    _mark(_PY, r"\bmark\.xfail\(\s*(?:condition\b|(?!\w+\s*=|[)\"']|\s)[^\s])", conditional=True),
    _mark(_PY, r"\bmark\.xfail\b|@(?:unittest\.)?expectedFailure\b|\bpytest\.xfail\s*\(", expected=True),
    _mark(
        _PY,
        r"\bmark\.skip\b|@(?:unittest\.)?skip\b|\bpytest\.skip\s*\(|\bself\.skipTest\s*\(",
        r"\braise\s+(?:unittest\.)?SkipTest\b",
    ),
    _mark(_JS, rf"{_SUITES}only\b|(?<![\w.$])(?:fit|fdescribe)\s*\(", alone=True),
    _mark(_JS, r"(?<![\w.$])(?:it|test|describe)(?:\s*\.\s*\w+)*\s*\.\s*(?:skipIf|runIf)\b", conditional=True),
    _mark(_JS, r"(?<![\w.$])(?:it|test)(?:\s*\.\s*\w+)*\s*\.\s*(?:fails|failing|fixme)\b", expected=True),
    _mark(
        _JS,
        rf"{_SUITES}(?:skip|todo)\b|(?<![\w.$])(?:xit|xtest|xdescribe|xspecify)\s*\(",
        r"\bthis\.skip\(\)|(?<![\w.$])pending\(\s*['\"`)]",
    ),
    _mark(suffixes("go"), r"\bt\.Skip(?:Now|f)?\s*\("),
    _mark(suffixes("rust"), r"#\[\s*(?:cfg\(|cfg_attr\()", conditional=True),
    _mark(suffixes("rust"), r"#\[\s*ignore\b"),
    _mark(
        _JVM,
        r"@(?:DisabledOn|DisabledIf|EnabledIf|EnabledOn)\w*|\bassume(?:True|False|That|Not)\w*\s*\(",
        conditional=True,
    ),
    _mark(_JVM, r"@(?:Disabled|Ignore)\b"),
    _mark(suffixes("csharp"), r"\[(?:Conditional|Skippable)(?:Fact|Theory)\b", conditional=True),
    _mark(suffixes("csharp"), r"\[Ignore\b|\bSkip\s*=\s*\""),
    _mark(_RUBY, r"^[ \t]*(?:skip|pending)\b(?!\s*[=.])[^\n]*\b(?:if|unless)\b", conditional=True),
    _mark(_RUBY, r"^[ \t]*(?:xit|xdescribe|xcontext)\b|^[ \t]*(?:skip|pending)\b(?!\s*[=.])"),
    _mark(suffixes("php"), r"\bmarkTest(?:Skipped|Incomplete)\s*\(", r"^\s*\}\)\s*->(?:skip|todo)\("),
    _mark(suffixes("kotlin"), r"^\s*x(?:test|it|should|describe|context|given)\(", r"\benabled\s*=\s*false\b"),
    _mark(suffixes("cpp"), r"\bGTEST_SKIP\s*\(", r"\bDISABLED_\w"),
)
_CONDITION = _mark((*_PY, *_JS), r"\bif\b", conditional=True)


def skipped(tests: TestsOfChange, subjects: Subjects) -> Iterator[Finding]:
    """Yield one finding per mark the change adds in a test file; only info for a mark on a new test."""
    reported: set[tuple[str, str]] = set()
    was_there = {kept.after.name: kept.before for kept in tests.kept}
    for read in tests.files:
        in_file = tests_in(read.head, read.file.path) if read.head_text is not None else []
        for line, mark in _added_marks(read):
            test = next((each for each in in_file if each.start <= line <= each.end), None)
            before = was_there.get(test.name) if test is not None else None
            if before is not None and _had_one(before, read.file.path, mark):
                continue
            text = read.head.lines[line - 1].strip()
            is_in_new = test is not None or read.file.base_path is None or _marks_something_new(read, line)
            is_new = before is None and is_in_new
            if is_new and (mark.conditional or mark.expected or _stands_in_an_if(read, line)):
                continue
            if test is None and mark.conditional and not text.startswith(("@", "pytestmark")):
                continue
            reported.add((read.file.path, test.name if test is not None else ""))
            yield _finding(read, line, text, mark, test, is_new=is_new, subjects=subjects)
    for read, test, line in _put_under_a_condition(tests, reported):
        yield _finding(read, line, read.head.lines[line - 1].strip(), _CONDITION, test, is_new=False, subjects=subjects)


def _added_marks(read: ReadFile) -> Iterator[tuple[int, _Mark]]:
    """Yield the marks on added lines, except moved lines."""
    gone = Counter(line.strip() for line in read.file.removed.values())
    for line in sorted(read.file.added) if read.head_text is not None else ():
        mark = _mark_on(read, line) if line <= len(read.head.code_lines) else None
        if mark is not None and not gone[read.head.lines[line - 1].strip()]:
            yield line, mark


def _put_under_a_condition(
    tests: TestsOfChange, reported: set[tuple[str, str]]
) -> Iterator[tuple[ReadFile, FoundTest, int]]:
    """Yield tests of both sides that a new `if` makes conditional, with the line of the `if`."""
    for kept in tests.kept:
        lines = kept.read.head.code_lines
        if not kept.read.file.path.endswith((*_PY, *_JS)) or (kept.read.file.path, kept.after.name) in reported:
            continue
        condition = _condition_before(lines, kept.after.start)
        if _is_run_by_a_choice(kept) and kept.after.start in kept.read.file.added:
            yield kept.read, kept.after, kept.after.start
        elif condition in kept.read.file.added and not _condition_before(kept.read.base.code_lines, kept.before.start):
            yield kept.read, kept.after, condition


def _is_run_by_a_choice(kept: Kept) -> bool:
    """Return whether the test is called by a name for `it` or `it.skip`, and was not before."""
    now, then = (re.match(r"\s*(\w+)", test.code) for test in (kept.after, kept.before))
    if now is None or (then is not None and now[1] == then[1]):
        return False
    chosen = rf"\b(?:const|let|var)\s+{now[1]}\s*=[^;\n]*\?[^;\n]*\b(?:it|test)\b"
    return re.search(chosen, kept.read.head.code) is not None


def _condition_before(lines: list[str], line: int) -> int:
    """Return the line of the `if` around a line, or 0."""
    if re.match(r"\s*if\b", lines[line - 1]):
        return line
    outer = opener(lines, line)
    is_condition = re.match(r"\s*(?:\}\s*)?(?:if|elif|else|try|except)\b", lines[outer - 1])
    return outer if outer and is_condition else 0


def _marks_something_new(read: ReadFile, line: int) -> bool:
    """Return whether the class or function below a decorator is added, under a name the base lacks."""
    for number in range(line, min(line + 15, len(read.head.code_lines)) + 1):
        if match := re.match(r"\s*(?:class|(?:async\s+)?def)\s+(\w+)", read.head.code_lines[number - 1]):
            return number in read.file.added and not re.search(rf"\b(?:class|def)\s+{match[1]}\b", read.base.code)
    return False


def _mark_on(read: ReadFile, line: int) -> _Mark | None:
    code = "\n".join(read.head.code_lines[line - 1 : line + 2])
    first = len(read.head.code_lines[line - 1])
    marks = (mark for mark in _MARKS if read.file.path.endswith(mark.suffixes))
    return next((mark for mark in marks if (found := mark.pattern.search(code)) and found.start() < first), None)


def _had_one(before: FoundTest, path: str, added: _Mark) -> bool:
    """Return whether the test had an equally strict mark in other words; a condition is not yet a skip."""
    marks = (mark for mark in _MARKS if path.endswith(mark.suffixes) and (added.conditional or not mark.conditional))
    return any(mark.pattern.search(before.code) for mark in marks)


def _stands_in_an_if(read: ReadFile, line: int) -> bool:
    """Return whether a condition precedes the line, less indented or on it."""
    lines = read.head.code_lines
    outer = opener(lines, line)
    if outer and outer >= line - MOST_LINES_BETWEEN:
        condition = r"\s*(?:\}\s*)?(?:if|elif|elsif|else|except|catch|rescue|unless|when)\b"
        return bool(re.match(condition, lines[outer - 1]))
    return bool(re.match(r"\s*if\b", lines[line - 1]))


def _finding(
    read: ReadFile, line: int, text: str, mark: _Mark, test: FoundTest | None, *, is_new: bool, subjects: Subjects
) -> Finding:
    what = f"`{test.name}`" if test is not None else "Tests of this file"
    run = "runs" if test is not None else "run"
    if mark.alone:
        message, severity = f"`{text[:80]}` runs alone: every other test of this file is left out", Severity.error
    elif is_new:
        message, severity = f"{what}, new with this change, nowhere {run}", Severity.info
    elif mark.conditional or _stands_in_an_if(read, line):
        message, severity = f"{what} ran everywhere before, and now only under a condition", Severity.warning
    else:
        expected = "is now expected to fail" if test is not None else "are now expected to fail"
        message = f"{what} {expected if mark.expected else f'no longer {run}'}"
        stays = test is None or subjects.state_of(test) is not SubjectState.gone
        severity = Severity.error if stays and subjects.touches_source else Severity.warning
    if not mark.alone:
        message += f": `{text[:80]}`"
    advice = "Make it pass, or say why it cannot and who will bring it back."
    return finding(
        "focused" if mark.alone else "skipped",
        severity,
        (read.file.path, line),
        message,
        "Remove `only`." if mark.alone else advice,
        f"{test.name if test else ''} {text}",
        replacement=_without_only(read, line, mark) if mark.alone else None,
    )


def _without_only(read: ReadFile, line: int, mark: _Mark) -> str | None:
    """Return the intended line: `it(` for `it.only(` and `fit(`. None unless it is one plain mark."""
    raw, code = read.head.lines[line - 1], read.head.code_lines[line - 1]
    found = list(mark.pattern.finditer(code))
    if len(found) != 1 or raw[slice(*found[0].span())] != found[0][0]:
        return None
    start, end = found[0].span()
    meant = found[0][0].removesuffix(".only") if found[0][0].endswith(".only") else found[0][0][1:]
    return raw[:start] + meant + raw[end:]
