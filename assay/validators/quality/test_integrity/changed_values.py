"""Values of tests that changed: expected ones, and those of tables of cases."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.validators.changes.change import Hunk, shown
from assay.validators.languages.source_text import SourceText
from assay.validators.quality.test_integrity.finding import finding
from assay.validators.quality.test_integrity.test_code.assertions import (
    ASSIGNED,
    LONGEST_LINE,
    NOTHING,
    Assertion,
    Token,
    other_value,
    tokens,
)
from assay.validators.quality.test_integrity.test_code.both_sides import Kept, TestsOfChange
from assay.validators.quality.test_integrity.test_code.found_tests import FoundTest, opener
from assay.validators.quality.test_integrity.test_code.subjects import Subjects
from assay.validators.report.model import Finding, Severity

DEEPEST, LINES_ABOVE = 10, 8
"""Maximum brackets around a row of a table, and of lines of comments above a test that may name one."""
LONGEST_VALUE, LEAD = 60, 15
"""Maximum characters of an expected value in a message, and of its common beginning."""
_EXPECTED = re.compile(r"\b(?:want|wants|expected|expect|exp)\w*[\"']?\s*(?::=|[:=])", re.IGNORECASE)
_ROW = re.compile(r"\s*(?:[({\[]|@\w|#\[|(?:pytest\.param|[Aa]rguments(?:\.of)?)\().*[)}\]],?\s*$")
_TABLE_NAME = re.compile(r"\b(\w+)\s*(?:\([^()]{0,200}\)|[:=])")
_KEYED = re.compile(
    r"\s*+(?P<q>[\"'`])(?![\w.-]*+[\"'`])(?P<key>[^\"'`]*+)(?P=q)\s*+(?::|=>)\s*+(?P<value>[^\s,][^,]*+),?\s*+$"
)
_ATTRIBUTE = re.compile(r"\s*(?:@|\[)\w")
_PART_OF_CONSTANT = re.compile(r"[A-Z]\w*$|\.$|::$")
_CONSTANT = re.compile(r"[\"'`\d-]|(?:[Tt]rue|[Ff]alse|None|null|nil|undefined)$|[A-Z]\w*(?:\.|::)[A-Z]\w*$|[A-Z_]+$")


@dataclass(frozen=True, slots=True)
class Value:
    """Value of a test that changed, and the head's line; not `is_expected`: it may be an input."""

    kept: Kept
    line: int
    before: str
    after: str
    is_expected: bool = True


def other_values(changed: list[Value], subjects: Subjects) -> Iterator[Finding]:
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


def _shown(value: Value) -> str:
    """Return both values, shortened to the differing part."""
    before, after = value.before, value.after
    pairs = enumerate(zip(before, after, strict=False))
    same = next((at for at, (one, other) in pairs if one != other), min(len(before), len(after)))
    start = max(0, same - LEAD) if max(len(before), len(after)) > LONGEST_VALUE else 0
    parts = [f"{'…' if start else ''}{each[start : start + LONGEST_VALUE]}" for each in (before, after)]
    ends = ["…" if len(each) > start + LONGEST_VALUE else "" for each in (before, after)]
    return f"from `{parts[0]}{ends[0]}` to `{parts[1]}{ends[1]}`"


def bare(value: str) -> str:
    """Return a value without quotes and escapes: they are only another way to write a text."""
    return re.sub(r"[\\\"'`]", "", value)


def values_of_rows(kept: Kept, after: list[Assertion]) -> Iterator[Value]:
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
            if value is not None and bare(value[0]) != bare(value[1]):
                yield Value(kept, number, *value, is_expected)


def values_of_keys(kept: Kept) -> Iterator[Value]:
    """Yield the values of tables from inputs to what is expected of them, wherever a row stands now."""
    for hunk in kept.read.file.hunks:
        is_paired = len(hunk.base_lines) == len(hunk.head_lines)
        if is_paired or not kept.after.start <= hunk.head_start <= kept.after.end:
            continue
        before = dict(filter(None, map(_keyed, hunk.base_lines)))
        for number, line in enumerate(hunk.head_lines if before else (), hunk.head_start):
            key, value = _keyed(line) or ("", "")
            if (was := before.get(key, value)) != value and _CONSTANT.match(was):
                yield Value(kept, number, was, value)


def _keyed(line: str) -> tuple[str, str] | None:
    """Return key and value of a row that maps a text that cannot be a name, so an input, to a value."""
    match = _KEYED.match(line[:LONGEST_LINE])
    return None if match is None else (match["key"], match["value"].strip())


def values_of_tables(tests: TestsOfChange) -> Iterator[tuple[str, Value]]:
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
                    yield path, Value(test, number, *value)


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
