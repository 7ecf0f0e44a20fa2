"""Weakened tests: each assertion of the base compared with its successor, and expected values that changed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from assay.validators.quality.test_integrity.changed_values import (
    Value,
    bare,
    other_values,
    values_of_keys,
    values_of_rows,
    values_of_tables,
)
from assay.validators.quality.test_integrity.finding import finding
from assay.validators.quality.test_integrity.hollow import hollow
from assay.validators.quality.test_integrity.test_code.assertions import (
    Assertion,
    assertions_of,
    other_value,
    pairs_of,
)
from assay.validators.quality.test_integrity.test_code.both_sides import Kept, TestsOfChange
from assay.validators.quality.test_integrity.test_code.found_tests import FoundTest, after_signature
from assay.validators.quality.test_integrity.test_code.subjects import Subjects, SubjectState
from assay.validators.report.model import Finding, Severity
from assay.validators.wording import plural

# Such a test passes by running to its end.
_PASSES_BY_NOT_FAILING = re.compile(
    r"(?:not|no|never|without|n't)[ _-](?:\w+[ _-]){0,2}?(?:throw|rais|fail|crash|error|warn|exception|leak|hang)",
    re.IGNORECASE,
)
_CHECKER = re.compile(
    r"(?<![\w.@])(?:self\.|this\.)?_*(?:(?:run|check|verify|validate)(?:_\w+|[A-Z]\w*)?|(?:test|do)(?:_\w+|[A-Z]\w*))\s*\("
)
_TABLE = re.compile(
    r"\bparametrize\b|\.each\b|\bsubTest\b|\bt\.Run\b|\bfor\b|\bDescribeTable\b"
    r"|\b(?:InlineData|TestCase|DataRow|CsvSource)\(|#\[case"
)
_OPENS_ROW = re.compile(
    r"\s*(?:[({\[](?:.*[)}\]],)?|(?:[\"'`][^\"'`]*[\"'`]\s*:\s*)\{(?:.*\},)?"
    r"|(?:pytest\.param|F?Entry|[Aa]rguments(?:\.of)?)\(.*|\[(?:InlineData|TestCase|DataRow)\(.*|@(?:CsvSource|ValueSource|ExampleData)\b.*)\s*$"
)


def weakened(tests: TestsOfChange, subjects: Subjects) -> Iterator[Finding]:
    """Yield findings about tests on both sides, and about hollow asserts in any test."""
    values: dict[str, list[Value]] = defaultdict(list)
    fewer: dict[str, list[tuple[Kept, list[Assertion]]]] = defaultdict(list)
    for kept in tests.kept:
        hollows = list(hollow(kept.read, kept.after, kept.before, subjects))
        yield from hollows
        if not hollows and kept.before.text != kept.after.text:
            found, state = _Compared(kept), subjects.state_of(kept.before)
            definition = subjects.state_of(kept.before, is_kept=True)
            values[kept.read.file.path] += found.values
            yield from _less(found, state, definition)
            yield from _fewer_cases(kept, state)
            if found.gone and definition is not SubjectState.gone:
                fewer[kept.read.file.path].append((kept, found.gone))
    for path, value in values_of_tables(tests):
        values[path].append(value)
    for added in tests.new:
        yield from hollow(added.read, added.test, None, subjects)
    for lost in fewer.values():
        yield _fewer(lost)
    for of_file in values.values():
        yield from other_values(of_file, subjects)


class _Compared:
    """Assertions of a test on both sides.

    `weaker` are pairs whose successor accepts more, `gone` those lost from a test that still asserts others and was
    not rewritten.
    """

    def __init__(self, kept: Kept) -> None:
        self.kept = kept
        self.before = assertions_of(kept.before, kept.read.file.base_path or kept.read.file.path)
        self.after = assertions_of(kept.after, kept.read.file.path)
        left, new = _without_common(self.before, self.after)
        fresh = list(new)
        pairs = list(pairs_of(left, new)) if self.after else []
        self.weaker = [pair for pair in pairs if pair[1].is_weaker_than(pair[0]) and not _is_covered(pair, fresh)]
        self.values = [*values_of_rows(kept, self.after), *values_of_keys(kept)]
        for pair in pairs:
            value = None if pair in self.weaker else other_value(pair[0].tokens, pair[1].tokens)
            if value is not None and bare(value[0]) != bare(value[1]):
                self.values.append(Value(kept, pair[1].line, *value))
        self.gone = [] if self.weaker or not self.after else _gone(kept, left, new, fresh)


def _less(found: _Compared, state: SubjectState, definition: SubjectState) -> Iterator[Finding]:
    """Yield a finding for a test that asserts nothing any more, or something weaker."""
    if found.before and not found.after:
        yield from _emptied(found.kept, found.before, state)
    elif found.weaker and definition is not SubjectState.gone:
        yield _weaker(found.kept, found.weaker, definition)


def _without_common(before: list[Assertion], after: list[Assertion]) -> tuple[list[Assertion], list[Assertion]]:
    """Return the assertions of each side that the other lacks."""
    same = Counter(each.key for each in before) & Counter(each.key for each in after)

    def rest(side: list[Assertion]) -> list[Assertion]:
        waiting = same.copy()
        waiting.subtract(each.key for each in side)
        left = []
        for each in reversed(side):
            if waiting[each.key] < 0:
                waiting[each.key] += 1
                left.append(each)
        return left[::-1]

    return rest(before), rest(after)


def _is_covered(pair: tuple[Assertion, Assertion], fresh: Sequence[Assertion]) -> bool:
    """Return whether another new assertion says as much of the same subject."""
    before, after = pair
    return any(each is not after and not each.is_weaker_than(before) and each.speaks_of(before) for each in fresh)


def _gone(kept: Kept, left: list[Assertion], new: list[Assertion], fresh: list[Assertion]) -> list[Assertion]:
    """Return the assertions lost from a test that still asserts others and was not rewritten."""
    gone = [
        each
        for each in left
        if len(each.tokens) > 2 and not any(one.speaks_of(each) and one.is_loose <= each.is_loose for one in fresh)
    ]
    gone = _without_renamed(gone, fresh)
    # An assertion that accepts more than all that were lost replaces none of them.
    if any(not each.is_loose for each in new) or (new and all(each.is_loose for each in gone)):
        return []
    old, now = kept.before.telling_lines, kept.after.telling_lines
    is_rewritten = not new and len(now - old) >= 2 and len(now - old) >= 0.5 * len(old - now)
    return [] if is_rewritten else gone


def _without_renamed(gone: list[Assertion], fresh: list[Assertion]) -> list[Assertion]:
    """Return the lost assertions without those that come back with one name in the place of another."""
    old, new = ({name for one in side for name in one.names} for side in (gone, fresh))
    if len(lost := old - new) != 1 or len(come := new - old) != 1:
        return gone
    (before,), (after,) = lost, come
    there = Counter(one.key for one in fresh)
    there.subtract(tuple(after if word == before else word for word in one.key) for one in gone)
    return [] if min(there.values(), default=0) >= 0 else gone


def _emptied(kept: Kept, before: list[Assertion], state: SubjectState) -> Iterator[Finding]:
    if _calls_out(kept.after) or _says_enough_by_ending(kept):
        return
    severity = Severity.error if state is SubjectState.changed else Severity.warning
    yield _finding(kept, severity, f"asserts nothing any more (it had {plural(len(before), 'assertion')})")


def _weaker(kept: Kept, weaker: list[tuple[Assertion, Assertion]], state: SubjectState) -> Finding:
    def is_grave(pair: tuple[Assertion, Assertion]) -> bool:
        """Return whether nothing that was expected still is."""
        if pair[0].raised and pair[1].raised:
            return not (pair[0].raised[0] & pair[1].raised[0])
        expected = {token.text for token in pair[0].tokens if token.is_literal and token.is_outer}
        now = {token.text for token in pair[1].tokens if token.is_outer}
        return not expected & now and not _tells_a_part(*pair)

    worst = max(weaker, key=is_grave)
    severity = Severity.error if state is SubjectState.changed and is_grave(worst) else Severity.warning
    more = f" (and {len(weaker) - 1} more)" if len(weaker) > 1 else ""
    message = f"accepts more than it did: `{worst[0].shown}` became `{worst[1].shown}`{more}"
    return _finding(kept, severity, message, worst[1].line)


def _tells_a_part(before: Assertion, after: Assertion) -> bool:
    """Return whether a text that is now expected is a part of the one before."""
    texts = [token.text[1:-1] for token in after.tokens if token.text[0] in "\"'`"]
    return any(text and text in before.text for text in texts)


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


def _says_enough_by_ending(kept: Kept) -> bool:
    """Return whether the test only asserts that nothing fails, or lost only expected warnings."""
    lines = kept.before.source.code_lines
    only_warnings = all(re.search(r"\bwarns\s*\(", lines[number - 1]) for number in kept.before.asserts)
    return only_warnings or bool(_PASSES_BY_NOT_FAILING.search(kept.after.name))


def _calls_out(test: FoundTest) -> bool:
    """Return whether a test helper that it calls may assert for it."""
    return any(_CHECKER.search(after_signature(line)) for line in test.code.split("\n"))


def _fewer_cases(kept: Kept, state: SubjectState) -> Iterator[Finding]:
    """Yield a finding for a test whose table lost more rows than it got."""
    lost = come = 0
    for hunk in kept.read.file.hunks:
        if kept.before.start <= hunk.base_start <= kept.before.end:
            lost += _rows(hunk.base_lines)
            come += _rows(hunk.head_lines)
    if lost > come and _TABLE.search(kept.before.code) and state is not SubjectState.gone:
        number = "A row of test data was" if lost - come == 1 else f"{lost - come} rows of test data were"
        yield finding(
            "deleted",
            Severity.warning,
            (kept.read.file.path, kept.after.start),
            f"{number} deleted from `{kept.after.name}`",
            "Bring it back and make it pass, or say in the description what covers this now.",
            f"cases {kept.after.name}",
            end_line=kept.after.end,
        )


def _rows(lines: Sequence[str]) -> int:
    """Return the number of rows of a table among lines: openings at the least indent."""
    widths = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    least = min(widths, default=0)
    return sum(bool(_OPENS_ROW.match(line)) and len(line) - len(line.lstrip()) == least for line in lines)
