"""Tests of a file, found in its code (comments and strings blanked): their extent and assertions.

No grammar: indentation for Python and Ruby, brackets for the others. A test without a known end ends where the next
begins.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice

from assay.validators.changes.language_table import language_of, languages
from assay.validators.languages.source_text import SourceText

BRACKETS = re.compile(r"[()\[\]{}]")
_ASSERTS = re.compile(
    r"\bassert\b|\b(?:assert|refute)_\w+|(?<![A-Za-z0-9])_*(?:assert|expect|verify|[Rr]aises|warns)\w*!?\s*[(.\[{<]"
    r"|(?<![A-Za-z0-9])_*(?:check|ensure|should|must|fail|require(?=[A-Z_])|Assert(?!ion))\w*!?\s*\("
    r"|\b\w+_(?:assert|should|must)\w*\s*\(|[\w)\]] should[A-Z]\w*\b"
    r"|\.(?:assert|should|Should|expect|must)\w*\b|\b[tb]\.(?:Error|Fatal|Fail|is|not|deepEqual|true|false|throws|like)\w*\b"
    r"|\brequire\.\w+\s*\(|\bpanic!|\bshould_panic\b|@Test\s*\(\s*expected\b|Assert\.|\bExpect\("
    r"|\b(?:is_expected|EXPECT_\w+|ASSERT_\w+|(?:BOOST_)?(?:REQUIRE|CHECK)(?:_\w+)?|BOOST_TEST|simplefilter|filterwarnings)\b"
)
_DEF = re.compile(r"(?P<indent>[ \t]*)(?:async[ \t]+)?def[ \t]+(?P<name>test\w*)[ \t]*\(")
_CLASS = re.compile(r"(?P<indent>[ \t]*)class[ \t]+(?P<name>\w+)")
_TEST_WORDS = r"it|test|specify|xit|xtest|fit|xspecify|Deno\.test"
_RUNNER = rf"(?:{_TEST_WORDS})(?:\s*\.\s*\w+)*"
_ALIAS = re.compile(
    rf"\b(?:const|let|var)\s+(?P<name>\w+)\s*=[^;\n]{{0,200}}(?<![\w.$]){_RUNNER}\s*(?:[;\n]|\Z)", re.ASCII
)
_CHOICE = rf"\([^()?]{{1,200}}(?:\([^()]{{0,100}}\)[^()?]{{0,100}})?\?\s*{_RUNNER}\s*:\s*{_RUNNER}\s*\)"
_NAMED = {
    "go": re.compile(r"^func[ \t]+(?P<name>(?:Test|Fuzz|Example)\w*)[ \t]*\(", re.MULTILINE),
    "rust": re.compile(
        r"#\[(?:(?:\w+::)*(?:test|rstest)\b|cfg_attr\([^\]]{1,200},\s*test\b)[^\]]{0,200}\]"
        r"(?:\s*#\[[^\]]{0,300}\])*\s*(?:pub\s+)?(?:async\s+)?fn\s+(?P<name>\w+)"
    ),
    "php": re.compile(r"\bfunction[ \t]+(?P<name>\w+)[ \t]*\("),
    "cpp": re.compile(
        r"^[ \t]*(?:TYPED_)?TEST(?:_F|_P)?[ \t]*\((?P<name>\s*\w+\s*,\s*\w+\s*)\)"
        r"|^[ \t]*BOOST_(?:AUTO|FIXTURE)_TEST_CASE[ \t]*\((?P<plain>\s*\w+)",
        re.MULTILINE,
    ),
}
_METHOD = re.compile(
    r"(?<!\w)(?!(?:catch|for|if|lock|switch|using|when|while)\b)(?P<name>\w+|`[^`\n]{1,200}`)[ \t]*\([^(){};]{0,200}\)"
    r"\s*(?:throws\s[\w.,\s]{1,150}|:\s*[\w<>?.]{1,80}\s*)?(?=[{=])"
)
_MARKED = {
    **dict.fromkeys(
        ("java", "kotlin", "groovy", "scala"), re.compile(r"@(?:Test|ParameterizedTest|RepeatedTest|Property)\b")
    ),
    "csharp": re.compile(r"\[(?:\w*Fact|\w*Theory|Test|TestCase|TestMethod|DataTestMethod)\b"),
}
"""Attributes that make a method a test."""
_OF_PHPUNIT = re.compile(r"(?:#\[[\w\\]*\bTest\b|@test\b)[^{};]{1,500}?\bfunction[ \t]+(\w+)")
_KOTEST = re.compile(r"^[ \t]*(?P<name>\"[^\"\n]{1,300}\")(?:\.config\([^()\n]{0,200}\))?[ \t]*(?=\{)", re.MULTILINE)
_RUBY = re.compile(
    r"^(?P<indent>[ \t]*)(?:def[ \t]+(?P<name>test_\w+)|(?:it|test|specify|scenario)\b(?=[^\n]*\bdo\b)[ (]*)",
    re.MULTILINE,
)
_BLOCK = re.compile(r"(?:\.config\([^()\n]{0,200}\))?[ \t]*\{")
"""Body of a test after the brackets of its name, in Kotlin and C++."""
MOST_TESTS = 5000
_PLAIN = ("it", "test", "specify", "only", "skip", "concurrent", "sequential")


@dataclass(frozen=True)
class FoundTest:
    """Test: its name (`Class.test_x`, or its description) and its lines (1-based, inclusive, decorators included)."""

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
        """Its lines as written."""
        return "\n".join(self.source.lines[self.start - 1 : self.end])

    @cached_property
    def asserts(self) -> list[int]:
        """The lines that assert something."""
        lines = self.source.code_lines[self.start - 1 : self.end]
        return [self.start + i for i, line in enumerate(lines) if _ASSERTS.search(after_signature(line))]

    @cached_property
    def telling_lines(self) -> frozenset[str]:
        """The distinct lines of its body, for comparison."""
        return frozenset(stripped for line in self.text.split("\n")[1:] if len(stripped := line.strip()) > 3)


def tests_in(source: SourceText, path: str) -> list[FoundTest]:
    """Return every test of a file, in order; empty for an unknown language."""
    language = language_of(path)
    finder = _FINDERS.get(language.key) if language is not None else None
    return list(islice(finder(source), MOST_TESTS)) if finder is not None else []


def after_signature(line: str) -> str:
    """Return the line without the name it defines: `def test_must_fail(` asserts nothing."""
    return re.sub(r"^\s*(?:async\s+)?(?:def|func|fn|function|class)\s+\w+", "", line)


# ------------------------------------------------------------------ Python


@dataclass(frozen=True, slots=True)
class _Statement:
    """Logical line from `start` to `end`, with its indent."""

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
    """Yield logical lines: lines joined by brackets or a backslash are one."""
    depth, start, text = 0, 0, ""
    for number, line in enumerate(lines, 1):
        if depth == 0 and not text:
            if not line.strip():
                continue
            start, text = number, line
        for bracket in BRACKETS.findall(line):
            depth += 1 if bracket in "([{" else -1
        # An extra closing bracket (broken source) must not join the rest.
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


class Pairs:
    """Closing position of each opening bracket of a text, found in one pass."""

    def __init__(self, code: str) -> None:
        self._closing: dict[int, int] = {}
        self._length = len(code)
        open_at: list[int] = []
        for match in BRACKETS.finditer(code):
            if match.group() in "([{":
                open_at.append(match.start())
            elif open_at:
                self._closing[open_at.pop()] = match.end()
        self._opens = sorted(self._closing)

    def end_of(self, opening: int) -> int:
        """Return the offset after the matching bracket of `opening`; without one, the next opening or the end."""
        if opening in self._closing:
            return self._closing[opening]
        after = bisect_left(self._opens, opening + 1)
        return self._opens[after] if after < len(self._opens) else self._length


def _calls(source: SourceText, words: str = _TEST_WORDS) -> Iterator[FoundTest]:
    """Yield tests that are calls: `it('adds', …)`, `test.only(…)`, `it.each(table)(…)`, `(ci ? it : it.skip)(…)`."""
    pairs = Pairs(source.code)
    aliases = "".join(f"|{re.escape(match['name'])}" for match in _ALIAS.finditer(source.code))
    called = re.compile(
        rf"(?<![\w.$])(?:(?:{words}{aliases})(?:\s*\.\s*\w+)*|{_CHOICE})\s*(?:<[^<>()]{{0,200}}>)?[\s`]*\(",
        re.ASCII,
    )
    for match in called.finditer(source.code):
        opening = match.end() - 1
        end = pairs.end_of(opening)
        name = _first_string(source.text[opening + 1 : min(end, opening + 400)])
        again = re.compile(r"\s*\(").match(source.code, end)
        if again is not None and (name is None or not match.group().rstrip("( \t\n").endswith(_PLAIN)):
            opening, end = again.end() - 1, pairs.end_of(again.end() - 1)
            name = _first_string(source.text[opening + 1 : min(end, opening + 400)])
        block = _BLOCK.match(source.code, end)
        end = end if block is None else pairs.end_of(block.end() - 1)
        if name is not None:
            yield FoundTest(name, source.line_at(match.start()), source.line_at(max(opening, end - 1)), source)


def _ruby(source: SourceText) -> Iterator[FoundTest]:
    """Yield tests that end with an `end`: `def test_x` and `it 'adds' do`."""
    for match in _RUBY.finditer(source.code):
        name = match["name"] or _first_string(source.text[match.end() : match.end() + 400])
        start = source.line_at(match.end("indent"))
        below = enumerate(source.code_lines[start:], start + 1)
        end = next((number for number, line in below if re.match(rf"{match['indent']}end\b", line)), start)
        if name is not None:
            yield FoundTest(name, start, end, source)


def _first_string(arguments: str) -> str | None:
    match = re.match(r"""\s*(["'`])((?:\\.|(?!\1).){1,300})""", arguments, re.DOTALL)
    return " ".join(match[2].split()) if match else None


def opener(lines: list[str], line: int, first: int = 1) -> int:
    """Return the nearest earlier line, from `first` on, that is less indented; or 0."""
    indent = len(lines[line - 1]) - len(lines[line - 1].lstrip())
    for number in range(line - 1, first - 1, -1):
        code = lines[number - 1]
        if code.strip() and len(code) - len(code.lstrip()) < indent:
            return number
    return 0


def _named(source: SourceText, pattern: re.Pattern[str], mark: re.Pattern[str] | None = None) -> Iterator[FoundTest]:
    """Yield tests that are functions with a body in braces; with a mark, only those with one before them."""
    pairs = Pairs(source.code)
    above = _attributes(source, mark)
    for match in pattern.finditer(source.code):
        line = source.line_at(match.start())
        first, is_marked = above[line - 1]
        if mark is not None and not is_marked:
            continue
        brace = source.code.find("{", match.end())
        end = pairs.end_of(brace) if brace >= 0 else match.end()
        name = re.sub(r"\s*,\s*", ".", (match["name"] or match["plain"]).strip("` \t"))
        yield FoundTest(name, first, source.line_at(max(match.start(), end - 1)), source)


def _attributes(source: SourceText, mark: re.Pattern[str] | None) -> list[tuple[int, bool]]:
    """Return for each line the first line of the attributes above it, and whether one of them has the mark."""
    found: list[tuple[int, bool]] = []
    first, is_marked, depth = 0, False, 0
    for number, line in enumerate(source.code_lines, 1):
        code = line.strip()
        has_mark = mark is not None and mark.search(line) is not None
        found.append((first or number, has_mark or (bool(first) and is_marked)))
        is_inside = depth > 0
        if is_inside or code.startswith(("#[", "@", "[")):
            depth = max(0, depth + sum(1 if one in "([" else -1 for one in re.findall(r"[()\[\]]", code)))
        if not (is_inside or depth) and (code.endswith(("{", "}", ";")) or not source.lines[number - 1].strip()):
            first, is_marked = 0, False
            continue
        first = first or (number if code.startswith(("#[", "@", "[")) else 0)
        is_marked = bool(first) and (is_marked or has_mark)
    return found


def _go(source: SourceText) -> Iterator[FoundTest]:
    """Yield test functions, and the specifications of Ginkgo."""
    yield from _named(source, _NAMED["go"])
    yield from _calls(source, r"F?(?:It|Specify|Entry)")


def _kotlin(source: SourceText) -> Iterator[FoundTest]:
    """Yield marked functions, and the specifications of Kotest: `"adds" {` and `test("adds") {`."""
    yield from _named(source, _METHOD, _MARKED["kotlin"])
    yield from _calls(source, r"x?(?:test|it|should|expect|scenario|then|Then)")
    pairs = Pairs(source.code)
    for match in _KOTEST.finditer(source.text):
        if source.code[match.end()] == "{":
            first, last = source.line_at(match.start("name")), source.line_at(pairs.end_of(match.end()) - 1)
            yield FoundTest(match["name"].strip('"'), first, max(first, last), source)


def _php(source: SourceText) -> Iterator[FoundTest]:
    """Yield test methods, by their name or attribute, and the calls of Pest."""
    marked = set(_OF_PHPUNIT.findall(source.text))
    yield from (test for test in _named(source, _NAMED["php"]) if test.name[:4] == "test" or test.name in marked)
    yield from _calls(source, r"it|test")


def _cpp(source: SourceText) -> Iterator[FoundTest]:
    """Yield the macros of GoogleTest and Boost, and those of Catch2 and doctest."""
    yield from _named(source, _NAMED["cpp"])
    yield from _calls(source, r"TEST_CASE|SCENARIO|TEST_CASE_METHOD")


_FINDERS: dict[str, Callable[[SourceText], Iterator[FoundTest]]] = {
    "python": _python,
    "ruby": _ruby,
    **dict.fromkeys(("javascript", "jsx", "typescript", "tsx"), _calls),
    **{key: partial(_named, pattern=_METHOD, mark=mark) for key, mark in _MARKED.items()},
    "rust": partial(_named, pattern=_NAMED["rust"]),
    "go": _go,
    "kotlin": _kotlin,
    "php": _php,
    "cpp": _cpp,
}
COVERED = languages(*_FINDERS)
