"""Weakened tests: each assertion of the base compared with its successor."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from assay.validators.changes.change import shown
from assay.validators.changes.language_table import is_in, suffixes
from assay.validators.quality.test_integrity.assertion_changes.compared import AssertionChange, Compared, compared
from assay.validators.quality.test_integrity.assertion_changes.hollow import hollow
from assay.validators.quality.test_integrity.finding import finding
from assay.validators.quality.test_integrity.test_code.assertion_readers.assertions import Assertion, Strength
from assay.validators.quality.test_integrity.test_code.assertion_readers.read import COMPARED
from assay.validators.quality.test_integrity.test_code.both_sides import Kept, TestsOfChange
from assay.validators.quality.test_integrity.test_code.found_tests import FoundTest, after_signature
from assay.validators.quality.test_integrity.test_code.subjects import Subjects, SubjectState
from assay.validators.report.answers import language_name
from assay.validators.report.model import Finding, Severity
from assay.validators.report.unknown import NotChecked, Question, grouped
from assay.validators.wording import plural

LONGEST_VALUE, LEAD = 60, 15
"""Maximum characters of an expected value in a message, and of its common beginning."""

# Such a test passes by running to its end.
_PASSES_BY_NOT_FAILING = re.compile(
    r"(?:not|no|never|without|n't)[ _-](?:\w+[ _-]){0,2}?(?:throw|rais|fail|crash|error|warn|exception|leak|hang)",
    re.IGNORECASE,
)
_CHECKER = re.compile(
    r"(?<![\w.@])(?:self\.|this\.)?_*(?:(?:run|check|verify|validate)(?:_\w+|[A-Z]\w*)?|(?:test|do)(?:_\w+|[A-Z]\w*))\s*\("
)
_TABLE = re.compile(r"\bparametrize\b|\.each\b|\bsubTest\b|\bt\.Run\b|\bfor\b")
_LITERAL = re.compile(
    r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`|(?<![\w.])-?\d[\d_]*(?:\.\d+)?\b|\b(?:True|False|None|true|false|nil|null)\b"
)
_EXPECTED = re.compile(r"\b(?:want|wants|expected|expect|exp)\w*[\"']?\s*(?::=|[:=])\s*$", re.IGNORECASE)
_DEF = re.compile(r"\s*(?:async\s+)?def\s")
_ASSERTS = re.compile(r"\b(?:assert|refute|expect|flunk)|should\b|\b(?:must|wont)_")
LONGEST_LINE = 2000


def weakened(tests: TestsOfChange, subjects: Subjects) -> Iterator[Finding | NotChecked]:
    """Yield findings about tests on both sides, about hollow asserts in any test, and what is not compared."""
    values: dict[str, list[tuple[Kept, AssertionChange]]] = defaultdict(list)
    fewer: dict[str, list[tuple[Kept, list[Assertion]]]] = defaultdict(list)
    for kept in tests.kept:
        hollows = list(hollow(kept.read, kept.after, kept.before, subjects))
        yield from hollows
        if hollows or kept.before.text == kept.after.text:
            continue
        found = compared(kept)
        yield from _less(kept, found, subjects)
        if gone := _gone(kept, found, subjects):
            fewer[kept.read.file.path].append((kept, gone))
        changed = [each for each in found.differences if each.is_other_value]
        changed += [AssertionChange(before, after) for before, after in _table_values(kept)]
        values[kept.read.file.path] += [(kept, each) for each in changed]
    for new in tests.new:
        yield from hollow(new.read, new.test, None, subjects)
    for lost in fewer.values():
        yield _fewer(lost)
    unread = dict.fromkeys(kept.read.file.path for kept in tests.kept if _is_unread(kept))
    why = "assertions of this language are counted, not compared"
    yield from grouped(Question.test_integrity, ((path, language_name(path), why, False) for path in unread))
    for of_file in values.values():
        yield from _other_values(of_file, subjects)


def _is_unread(kept: Kept) -> bool:
    """Return whether a test lost or changed a line that asserts, in a language whose assertions are not read."""
    lost = kept.before.telling_lines - kept.after.telling_lines
    return not is_in(kept.read.file.path, COMPARED) and any(_ASSERTS.search(line) for line in lost)


def _less(kept: Kept, found: Compared, subjects: Subjects) -> Iterator[Finding]:
    """Yield findings for tests that assert nothing any more, or something weaker."""
    state = subjects.state_of(kept.before)
    if found.num_before and not found.num_after:
        yield from _emptied(kept, found, state)
        return
    weaker = [each for each in found.differences if each.is_weaker]
    if weaker and state is not SubjectState.gone:
        yield _weaker(kept, weaker, state)


def _gone(kept: Kept, found: Compared, subjects: Subjects) -> list[Assertion]:
    """Return the assertions lost from a test that still asserts others and was not replaced."""
    if not found.num_after or _is_rewritten(kept, found) or any(each.is_weaker for each in found.differences):
        return []
    gone = [each for each in found.gone if _says_something(each)]
    return [] if subjects.state_of(kept.before) is SubjectState.gone else gone


def _says_something(assertion: Assertion) -> bool:
    """Return whether an assertion is more than a bare name, which only satisfies type checkers."""
    return assertion.strength >= Strength.type or "(" in assertion.subject


def _emptied(kept: Kept, found: Compared, state: SubjectState) -> Iterator[Finding]:
    if _is_table(kept.after) and not _is_table(kept.before):
        return
    if _calls_out(kept.after) or _says_enough_by_ending(kept):
        return
    many = "s" if found.num_before > 1 else ""
    severity = Severity.error if state is SubjectState.changed else Severity.warning
    yield _finding(kept, severity, f"asserts nothing any more (it had {found.num_before} assertion{many})")


def _weaker(kept: Kept, weaker: list[AssertionChange], state: SubjectState) -> Finding:
    worst = max(weaker, key=lambda each: (each.is_grave, each.is_certain, each.before.strength - each.after.strength))
    severity = Severity.error if state is SubjectState.changed and worst.is_grave else Severity.warning
    more = f" (and {len(weaker) - 1} more)" if len(weaker) > 1 else ""
    message = f"accepts more than it did: `{worst.before.shown}` became `{worst.after.shown}`{more}"
    return _finding(kept, severity, message, worst.after.line)


def _fewer(lost: list[tuple[Kept, list[Assertion]]]) -> Finding:
    """Return one finding for all tests of a file that assert less than before."""
    kept, gone = lost[0]
    more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
    num = len(lost) - 1
    others = f"; so {'does' if num == 1 else 'do'} {plural(num, 'more test')} of this file" if num else ""
    return _finding(kept, Severity.info, f"asserts less: it lost `{gone[0].shown}`{more}{others}")


def _finding(kept: Kept, severity: Severity, what: str, line: int | None = None) -> Finding:
    """Return the finding that a test does `what`, at one line or for the whole test."""
    test, place = kept.after, (kept.read.file.path, line or kept.after.start)
    advice = "Keep what was asserted, or say in the description why it no longer holds."
    message, context, end_line = f"`{test.name}` {what}", f"weakened {test.name}", line or test.end
    return finding("weakened", severity, place, message, advice, context, end_line=end_line)


def _other_values(changed: list[tuple[Kept, AssertionChange]], subjects: Subjects) -> Iterator[Finding]:
    """Yield one finding for expected values of a file that were edited together with the code under test."""
    edited = [
        (kept, each, path)
        for kept, each in changed
        if (path := subjects.edited_file(kept.before, kept.read.file.path)) is not None
    ]
    if not edited:
        return
    kept, first, path = edited[0]
    others = "" if len(edited) == 1 else f"; {len(edited) - 1} more in this file"
    yield finding(
        "expectation",
        Severity.info,
        (kept.read.file.path, first.after.line),
        f"`{kept.after.name}`: expected value changed {_values(first)} together with {shown(path)}{others}",
        "Say in the description why the new value is right.",
        "expectation " + " ".join(sorted({each.after.name for each, _, _ in edited})),
    )


def _values(difference: AssertionChange) -> str:
    """Return both values, shortened to the differing part."""
    before, after = (
        each.expected.removeprefix("len ").removesuffix(" in") for each in (difference.before, difference.after)
    )
    pairs = enumerate(zip(before, after, strict=False))
    same = next((at for at, (one, other) in pairs if one != other), min(len(before), len(after)))
    start = max(0, same - LEAD) if max(len(before), len(after)) > LONGEST_VALUE else 0
    shown_values = [f"{'…' if start else ''}{value[start : start + LONGEST_VALUE]}" for value in (before, after)]
    ends = ["…" if len(value) > start + LONGEST_VALUE else "" for value in (before, after)]
    return f"from `{shown_values[0]}{ends[0]}` to `{shown_values[1]}{ends[1]}`"


def _is_table(test: FoundTest) -> bool:
    return bool(_TABLE.search(test.code))


def _is_rewritten(kept: Kept, found: Compared) -> bool:
    """Return whether a lost assertion means nothing, since another one was added or the test is another one.

    An assertion weaker than all that were lost replaces none of them.
    """
    if _is_table(kept.after) and not _is_table(kept.before):
        return True
    if found.new:
        least = min((each.strength for each in found.gone), default=Strength.existence)
        return any(each.strength >= least for each in found.new)
    old, new = kept.before.telling_lines, kept.after.telling_lines
    return len(new - old) >= 2 and len(new - old) >= 0.5 * len(old - new)


def _says_enough_by_ending(kept: Kept) -> bool:
    """Return whether the test only asserts that nothing fails, or lost only expected warnings."""
    lines = kept.before.source.code_lines
    only_warnings = all(re.search(r"\bwarns\s*\(", lines[number - 1]) for number in kept.before.asserts)
    return only_warnings or bool(_PASSES_BY_NOT_FAILING.search(kept.after.name))


def _calls_out(test: FoundTest) -> bool:
    """Return whether a test helper that it calls may assert for it."""
    return any(_CHECKER.search(after_signature(line)) for line in test.code.split("\n"))


def _table_values(kept: Kept) -> Iterator[tuple[Assertion, Assertion]]:
    """Yield lines of the test that differ from the replaced ones only in the expected value."""
    for hunk in kept.read.file.hunks:
        if len(hunk.base_lines) != len(hunk.head_lines):
            continue
        for offset, (old, new) in enumerate(zip(hunk.base_lines, hunk.head_lines, strict=True)):
            number = hunk.head_start + offset
            if not kept.after.start <= number <= kept.after.end or max(len(old), len(new)) > LONGEST_LINE:
                continue
            values = _last_value(old, new, is_row=number < _first_line(kept))
            if values is not None:
                before, after = values
                yield (
                    Assertion("", Strength.exact, before, hunk.base_start + offset, old),
                    Assertion("", Strength.exact, after, number, new),
                )


def _last_value(old: str, new: str, *, is_row: bool) -> tuple[str, str] | None:
    """Return the last values of two lines that are equal up to there."""
    before, after = list(_LITERAL.finditer(old)), list(_LITERAL.finditer(new))
    if not before or not after:
        return None
    one, other = before[-1], after[-1]
    start, end = old[: one.start()], old[one.end() :]
    if one.group() == other.group() or (start, end) != (new[: other.start()], new[other.end() :]):
        return None
    # In a table row the expected value comes last, after the inputs.
    is_expected = _EXPECTED.search(start) is not None or (is_row and len(before) > 1)
    return (one.group(), other.group()) if is_expected else None


def _first_line(kept: Kept) -> int:
    """Return the line of a Python test's `def`, after its decorators; 0 in another language."""
    if not kept.read.file.path.endswith(suffixes("python")):
        return 0
    lines = kept.after.source.code_lines
    return next((n for n in range(kept.after.start, kept.after.end + 1) if _DEF.match(lines[n - 1])), 0)
