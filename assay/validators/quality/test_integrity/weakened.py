"""Weakened tests: each assertion of the base compared with its successor, and expected values that changed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.validators.changes.change import Hunk, shown
from assay.validators.languages.source_text import SourceText
from assay.validators.quality.test_integrity.finding import finding
from assay.validators.quality.test_integrity.hollow import hollow
from assay.validators.quality.test_integrity.test_code.assertions import (
    ASSIGNED,
    LONGEST_LINE,
    NOTHING,
    Assertion,
    Token,
    assertions_of,
    other_value,
    pairs_of,
    tokens,
)
from assay.validators.quality.test_integrity.test_code.both_sides import Kept, TestsOfChange
from assay.validators.quality.test_integrity.test_code.found_tests import FoundTest, after_signature, opener
from assay.validators.quality.test_integrity.test_code.subjects import Subjects, SubjectState
from assay.validators.report.model import Finding, Severity
from assay.validators.wording import plural

DEEPEST, LINES_ABOVE = 10, 8
"""Maximum brackets around a row of a table, and of lines of comments above a test that may name one."""
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
_TABLE = re.compile(
    r"\bparametrize\b|\.each\b|\bsubTest\b|\bt\.Run\b|\bfor\b|\bDescribeTable\b"
    r"|\b(?:InlineData|TestCase|DataRow|CsvSource)\(|#\[case"
)
_EXPECTED = re.compile(r"\b(?:want|wants|expected|expect|exp)\w*[\"']?\s*(?::=|[:=])", re.IGNORECASE)
_ROW = re.compile(r"\s*(?:[({\[]|@\w|#\[|(?:pytest\.param|[Aa]rguments(?:\.of)?)\().*[)}\]],?\s*$")
_OPENS_ROW = re.compile(
    r"\s*(?:[({\[](?:.*[)}\]],)?|(?:[\"'`][^\"'`]*[\"'`]\s*:\s*)\{(?:.*\},)?"
    r"|(?:pytest\.param|F?Entry|[Aa]rguments(?:\.of)?)\(.*|\[(?:InlineData|TestCase|DataRow)\(.*|@(?:CsvSource|ValueSource|ExampleData)\b.*)\s*$"
)
_TABLE_NAME = re.compile(r"\b(\w+)\s*(?:\([^()]{0,200}\)|[:=])")
_KEYED = re.compile(
    r"\s*+(?P<q>[\"'`])(?![\w.-]*+[\"'`])(?P<key>[^\"'`]*+)(?P=q)\s*+(?::|=>)\s*+(?P<value>[^\s,][^,]*+),?\s*+$"
)
_ATTRIBUTE = re.compile(r"\s*(?:@|\[)\w")
_PART_OF_CONSTANT = re.compile(r"[A-Z]\w*$|\.$|::$")
_CONSTANT = re.compile(r"[\"'`\d-]|(?:[Tt]rue|[Ff]alse|None|null|nil|undefined)$|[A-Z]\w*(?:\.|::)[A-Z]\w*$|[A-Z_]+$")


@dataclass(frozen=True, slots=True)
class _Value:
    """Value of a test that changed, and the head's line; not `is_expected`: it may be an input."""

    kept: Kept
    line: int
    before: str
    after: str
    is_expected: bool = True


def weakened(tests: TestsOfChange, subjects: Subjects) -> Iterator[Finding]:
    """Yield findings about tests on both sides, and about hollow asserts in any test."""
    values: dict[str, list[_Value]] = defaultdict(list)
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
    for path, value in _values_of_tables(tests):
        values[path].append(value)
    for added in tests.new:
        yield from hollow(added.read, added.test, None, subjects)
    for lost in fewer.values():
        yield _fewer(lost)
    for of_file in values.values():
        yield from _other_values(of_file, subjects)


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
        self.values = [*_values_of_rows(kept, self.after), *_values_of_keys(kept)]
        for pair in pairs:
            value = None if pair in self.weaker else other_value(pair[0].tokens, pair[1].tokens)
            if value is not None and _bare(value[0]) != _bare(value[1]):
                self.values.append(_Value(kept, pair[1].line, *value))
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


# ------------------------------------------------------------------ expected values


def _other_values(changed: list[_Value], subjects: Subjects) -> Iterator[Finding]:
    """Yield one finding for the values of a file's tests that changed, with the code under test if it did too."""
    first = next((each for each in changed if each.is_expected), next(iter(changed), None))
    if first is None:
        return
    path = subjects.edited_file(first.kept.before, first.kept.read.file.path)
    what = "expected value" if first.is_expected else "test data"
    alone = ", and only tests did" if subjects.only_tests else ""
    together = f" together with {shown(path)}" if path else alone
    others = "" if len(changed) == 1 else f"; {len(changed) - 1} more in this file"
    yield finding(
        "expectation",
        Severity.info,
        (first.kept.read.file.path, first.line),
        f"`{first.kept.after.name}`: {what} changed {_shown(first)}{together}{others}",
        "Say in the description why the new value is right.",
        "expectation " + " ".join(sorted({each.kept.after.name for each in changed})),
    )


def _shown(value: _Value) -> str:
    """Return both values, shortened to the differing part."""
    before, after = value.before, value.after
    pairs = enumerate(zip(before, after, strict=False))
    same = next((at for at, (one, other) in pairs if one != other), min(len(before), len(after)))
    start = max(0, same - LEAD) if max(len(before), len(after)) > LONGEST_VALUE else 0
    parts = [f"{'…' if start else ''}{each[start : start + LONGEST_VALUE]}" for each in (before, after)]
    ends = ["…" if len(each) > start + LONGEST_VALUE else "" for each in (before, after)]
    return f"from `{parts[0]}{ends[0]}` to `{parts[1]}{ends[1]}`"


def _bare(value: str) -> str:
    """Return a value without quotes and escapes: they are only another way to write a text."""
    return re.sub(r"[\\\"'`]", "", value)


def _values_of_rows(kept: Kept, after: list[Assertion]) -> Iterator[_Value]:
    """Yield expected values in locals and in tables of cases, where a line differs in nothing else."""
    asserted = {line for each in after for line in range(each.line, each.end_line + 1)}
    words = [token for each in after for token in each.tokens]
    compared = {word.text for word in words if word.is_outer} - {word.text for word in words if not word.is_outer}
    for hunk in kept.read.file.hunks:
        for number, old, new in _lines(hunk, kept.read.base.bare_lines, kept.read.head.bare_lines):
            if not kept.after.start <= number <= kept.after.end:
                continue
            if number in asserted or old == new:
                continue
            name = ASSIGNED.match(new)
            before, now = (tokens(line, kept.read.file.path) for line in (old, new))
            if _EXPECTED.search(new) or (name and name[1] in compared):
                value, is_expected = other_value(before, now), True
            elif _is_row(kept.after.source, number):
                value = _last_value(before, now)
                is_expected = value is not None
                constants = _PART_OF_CONSTANT if _ATTRIBUTE.match(new) else NOTHING
                value = value or other_value(before, now, constants)
            else:
                continue
            if value is not None and _bare(value[0]) != _bare(value[1]):
                yield _Value(kept, number, *value, is_expected)


def _values_of_keys(kept: Kept) -> Iterator[_Value]:
    """Yield the values of tables from inputs to what is expected of them, wherever a row stands now."""
    for hunk in kept.read.file.hunks:
        is_paired = len(hunk.base_lines) == len(hunk.head_lines)
        if is_paired or not kept.after.start <= hunk.head_start <= kept.after.end:
            continue
        before = dict(filter(None, map(_keyed, hunk.base_lines)))
        for number, line in enumerate(hunk.head_lines if before else (), hunk.head_start):
            key, value = _keyed(line) or ("", "")
            if (was := before.get(key, value)) != value and _CONSTANT.match(was):
                yield _Value(kept, number, was, value)


def _keyed(line: str) -> tuple[str, str] | None:
    """Return key and value of a row that maps a text that cannot be a name, so an input, to a value."""
    match = _KEYED.match(line[:LONGEST_LINE])
    return None if match is None else (match["key"], match["value"].strip())


def _values_of_tables(tests: TestsOfChange) -> Iterator[tuple[str, _Value]]:
    """Yield the last values in rows of tables outside of tests, if a test of the file names the table."""
    of_files: dict[str, list[Kept]] = defaultdict(list)
    for kept in tests.kept:
        of_files[kept.read.file.path].append(kept)
    for path, several in of_files.items():
        read = several[0].read
        for hunk in read.file.hunks if len(read.base_lines) and len(read.head_lines) else ():
            for number, old, new in _lines(hunk, read.base.bare_lines, read.head.bare_lines):
                if old == new or any(one.after.start <= number <= one.after.end for one in several):
                    continue
                value = (
                    _last_value(*(tokens(line, path) for line in (old, new))) if _is_row(read.head, number) else None
                )
                named = _tables_around(read.head.code_lines, number) if value is not None else frozenset()
                test = next((one for one in several if named & set(re.findall(r"\w+", _with_head(one.after)))), None)
                if value is not None and test is not None:
                    yield path, _Value(test, number, *value)


def _lines(hunk: Hunk, base: Sequence[str], head: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Yield each line that replaces another, if as many replace as are replaced."""
    if len(hunk.base_lines) == len(hunk.head_lines):
        for at in range(len(hunk.head_lines)):
            old, new = base[hunk.base_start + at - 1], head[hunk.head_start + at - 1]
            yield hunk.head_start + at, old[:LONGEST_LINE], new[:LONGEST_LINE]


def _tables_around(lines: list[str], number: int) -> frozenset[str]:
    """Return the names that the less indented lines above a row define."""
    found, depth = set[str](), 0
    while (number := opener(lines, number)) and depth < DEEPEST:
        number -= lines[number - 1].strip() == "{" and number > 1  # its head is above
        found |= {match[1] for match in _TABLE_NAME.finditer(lines[number - 1][:LONGEST_LINE])}
        depth += 1
    return frozenset(found)


def _with_head(test: FoundTest) -> str:
    """Return a test with the comment above it."""
    return "\n".join(test.source.lines[max(0, test.start - 1 - LINES_ABOVE) : test.end])


def _is_row(source: SourceText, number: int) -> bool:
    """Return whether a line is a row of a table of cases: brackets around it, or the last value before they close."""
    line = source.bare_lines[number - 1]
    following = source.lines[number].strip() if number < len(source.lines) else ""
    return bool(_ROW.match(line)) or following[:1] in (")", "]", "}")


def _last_value(before: Sequence[Token], after: Sequence[Token]) -> tuple[str, str] | None:
    """Return the last values of two rows that are equal up to there; the expected value comes after the inputs."""
    sides = [[token.text for token in side] for side in (before, after)]
    while all(sides) and sides[0][-1] == sides[1][-1] and sides[0][-1] in (",", ")", "]", "}", ";"):
        sides = [side[:-1] for side in sides]
    starts = [
        max((at + 1 for at, word in enumerate(side) if word in (",", "(", "[", "{")), default=0) for side in sides
    ]
    if starts[0] != starts[1] or sides[0][: starts[0]] != sides[1][: starts[1]]:
        return None
    one, other = ("".join(side[starts[0] :]) for side in sides)
    has_inputs = "," in sides[0] or len(sides[0]) == 1
    are_constant = _CONSTANT.match(one) and _CONSTANT.match(other)
    return (one, other) if has_inputs and are_constant and one != other else None
