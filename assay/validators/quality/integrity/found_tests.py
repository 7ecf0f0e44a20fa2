"""The tests a file holds, found in its code (comments and strings blanked): where each begins and ends, and what it
asserts.

No grammar: indentation for Python, brackets for the rest. A test whose end cannot be found ends where the next begins.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from assay.validators.quality.source_text import SourceText

_ASSERTS = re.compile(
    r"\bassert\b|(?<![A-Za-z0-9])_*(?:assert|expect|verify|check|ensure|should|must|raises|warns|fail)\w*!?\s*[(.\[]"
    r"|\.(?:assert|should|expect|must)\w*\b|\b\w+_(?:assert|should|must)\w*\s*\("
    r"|\b[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow|is|not|deepEqual|true|false|throws|like)\b"
    r"|\brequire\.\w+\s*\(|\bpanic!|\b(?:is_expected|EXPECT_\w+|ASSERT_\w+|REQUIRE|CHECK|simplefilter|filterwarnings)\b"
)
_DEF = re.compile(r"(?P<indent>[ \t]*)(?:async[ \t]+)?def[ \t]+(?P<name>test\w*)[ \t]*\(")
_CLASS = re.compile(r"(?P<indent>[ \t]*)class[ \t]+(?P<name>\w+)")
_CALLS = re.compile(
    r"(?<![\w.$])(?P<word>it|test|specify|xit|xtest|fit|xspecify|Deno\.test)(?P<mods>(?:\.\w+)*)[ \t]*(?P<table>\()?",
    re.ASCII,
)
_NAMED = {
    ".go": re.compile(r"^func[ \t]+(?P<name>(?:Test|Fuzz|Example)\w*)[ \t]*\(", re.MULTILINE),
    ".rs": re.compile(
        r"#\[(?:\w+::)*(?:test|rstest)\b[^\]\n]{0,200}\](?:\s*#\[[^\]\n]{0,200}\])*\s*(?:pub\s+)?(?"
        r":async\s+)?fn\s+(?P<name>\w+)"
    ),
    ".php": re.compile(r"function[ \t]+(?P<name>test\w*)[ \t]*\("),
}
_JVM = re.compile(
    r"@(?:Test|ParameterizedTest|RepeatedTest|Property)\b[^{};]{0,400}?(?P<name>\w+)[ \t]*\([^(){};]{0,200}\)"
    r"\s*(?:throws\s[\w.,\s]{1,150}|:\s*[\w<>?.]{1,80}\s*)?(?=[{=])"
)
_CSHARP = re.compile(
    r"\[(?:Fact|Theory|Test|TestCase|TestMethod"
    r"|DataTestMethod)\b[^{};]{0,400}?(?P<name>\w+)[ \t]*\([^(){};]{0,200}\)\s*(?=[{=])"
)
_SCRIPTS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_BY_SUFFIX = {**_NAMED, ".java": _JVM, ".kt": _JVM, ".groovy": _JVM, ".scala": _JVM, ".cs": _CSHARP}
SUFFIXES = (".py", *_SCRIPTS, *_BY_SUFFIX)
_BRACKETS = re.compile(r"[()\[\]{}]")
MOST_TESTS = 5000


@dataclass(frozen=True)
class FoundTest:
    """A test: its name (`Class.test_x`, or the words it is described with), its lines (1-based, inclusive, decorators
    too).
    """

    name: str
    start: int
    end: int
    source: SourceText

    @cached_property
    def code(self) -> str:
        """Its lines without comments and strings."""
        return "\n".join(self.source.code_lines[self.start - 1 : self.end])

    @cached_property
    def text(self) -> str:
        """Its lines as they are written."""
        return "\n".join(self.source.lines[self.start - 1 : self.end])

    @cached_property
    def asserts(self) -> list[int]:
        """The lines that assert something."""
        lines = self.source.code_lines[self.start - 1 : self.end]
        return [self.start + i for i, line in enumerate(lines) if _ASSERTS.search(after_signature(line))]

    @cached_property
    def telling_lines(self) -> frozenset[str]:
        """The distinct lines of its body, to compare it with another."""
        return frozenset(stripped for line in self.text.split("\n")[1:] if len(stripped := line.strip()) > 3)


def tests_in(source: SourceText, path: str) -> list[FoundTest]:
    """Every test of a file, in order; none where the language is not known."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix == ".py":
        found = _python(source)
    elif suffix in _SCRIPTS:
        found = _calls(source)
    elif suffix in _BY_SUFFIX:
        found = _named(source, _BY_SUFFIX[suffix])
    else:
        return []
    return [test for _, test in zip(range(MOST_TESTS), found, strict=False)]


def after_signature(line: str) -> str:
    """The line without the name it defines: `def test_must_fail(` asserts nothing."""
    return re.sub(r"^\s*(?:async\s+)?(?:def|func|fn|function|class)\s+\w+", "", line)


# ------------------------------------------------------------------ Python


@dataclass(frozen=True, slots=True)
class _Statement:
    """A logical line: from `start` to `end`, at an indent."""

    start: int
    end: int
    indent: int
    text: str


def _python(source: SourceText) -> Iterator[FoundTest]:
    statements = list(_statements(source.code_lines))
    classes: list[tuple[int, str]] = []
    for index, statement in enumerate(statements):
        while classes and classes[-1][0] >= statement.indent:
            classes.pop()
        if match := _CLASS.match(statement.text):
            classes.append((statement.indent, match["name"]))
        elif match := _DEF.match(statement.text):
            last = _last_of_block(statements, index)
            first = index
            while first and statements[first - 1].text.lstrip().startswith("@"):
                first -= 1
            name = ".".join([*(each for _, each in classes), match["name"]])
            yield FoundTest(name, statements[first].start, statements[last].end, source)


def _statements(lines: list[str]) -> Iterator[_Statement]:
    """Logical lines: what brackets or a backslash hold together is one."""
    depth, start, text = 0, 0, ""
    for number, line in enumerate(lines, 1):
        if depth == 0 and not text:
            if not line.strip():
                continue
            start, text = number, line
        for bracket in _BRACKETS.findall(line):
            depth += 1 if bracket in "([{" else -1
        # A closing bracket too many (broken source) must not swallow the rest.
        depth = max(0, depth)
        if depth == 0 and not line.rstrip().endswith("\\"):
            yield _Statement(start, number, len(text) - len(text.lstrip()), text)
            text = ""
    if text:
        yield _Statement(start, len(lines), len(text) - len(text.lstrip()), text)


def _last_of_block(statements: list[_Statement], index: int) -> int:
    last = index
    while last + 1 < len(statements) and statements[last + 1].indent > statements[index].indent:
        last += 1
    return last


# ------------------------------------------------------------------ brackets


def _calls(source: SourceText) -> Iterator[FoundTest]:
    """Tests that are calls: `it('adds', …)`, `test.only(…)`, `it.each(table)('adds', …)`."""
    pairs = _Pairs(source.code)
    for match in _CALLS.finditer(source.code):
        opening = match.start("table")
        if opening < 0:
            continue
        end = pairs.end_of(opening)
        if match["mods"].endswith((".each", ".for")) and source.code[end : end + 1] == "(":
            opening, end = end, pairs.end_of(end)
        name = _first_string(source.text[opening + 1 : min(end, opening + 400)])
        if name is not None:
            yield FoundTest(name, source.line_at(match.start()), source.line_at(max(opening, end - 1)), source)


def _first_string(arguments: str) -> str | None:
    match = re.match(r"""\s*(["'`])((?:\\.|(?!\1).){1,300})""", arguments, re.DOTALL)
    return " ".join(match[2].split()) if match else None


def _named(source: SourceText, pattern: re.Pattern[str]) -> Iterator[FoundTest]:
    """Tests that are functions with a body in braces."""
    pairs = _Pairs(source.code)
    for match in pattern.finditer(source.code):
        brace = source.code.find("{", match.end())
        end = pairs.end_of(brace) if brace >= 0 else match.end()
        yield FoundTest(
            match["name"], source.line_at(match.start()), source.line_at(max(match.start(), end - 1)), source
        )


class _Pairs:
    """Where each opening bracket of a text closes, in one pass."""

    def __init__(self, code: str) -> None:
        self._closing: dict[int, int] = {}
        self._length = len(code)
        open_at: list[int] = []
        for match in _BRACKETS.finditer(code):
            if match.group() in "([{":
                open_at.append(match.start())
            elif open_at:
                self._closing[open_at.pop()] = match.end()
        self._opens = sorted(self._closing)

    def end_of(self, opening: int) -> int:
        """The offset after the bracket that closes the one at `opening`; without one, the next opening or the end."""
        if opening in self._closing:
            return self._closing[opening]
        after = bisect_left(self._opens, opening + 1)
        return self._opens[after] if after < len(self._opens) else self._length
