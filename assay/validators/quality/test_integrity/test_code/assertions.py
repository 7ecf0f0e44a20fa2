"""Assertions of a test in any language: one statement each, read as tokens.

No grammar: two statements are compared by their tokens, which tell another expected value from another subject. What
an assertion accepts has two classes, one value and more than one; a raised exception is of the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.validators.changes.language_table import suffixes
from assay.validators.languages.source_text import SourceText
from assay.validators.quality.test_integrity.test_code.found_tests import FoundTest, opener

MOST_LINES, LONGEST_LINE, LONGEST_SHOWN = 60, 2000, 100
MOST_PAIRED = 500
"""Maximum assertions of a test, on each side, that are compared with each other."""
_TOKEN = re.compile(
    r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`[^`]*`|\d[\w.]*|[A-Za-z_$][\w$]*!?'
    r"|===?|!==?|<=|>=|=>|->|::|:=|\S"
)
_LITERAL = re.compile(r"[\"'`\d]|(?:[Tt]rue|[Ff]alse|None|null|nil|undefined|NaN)\Z")
_NAME = re.compile(r"[A-Za-z_$][\w$]*!?\Z")
_KEYWORDS = frozenset("if with assert and or not in is return await async new elif".split())
_TRANSPARENT = frozenset(
    "is equalTo EqualTo raise_error eq eql equal approx Some Ok Err Decimal Fraction date datetime Date".split()
)
"""Calls whose arguments are the value itself."""
_CAPITAL_FUNCTIONS = suffixes("go", "csharp")
"""Languages in which a capital letter makes no type."""
ASSIGNED = re.compile(r"\s*(?:(?:const|let|var|val|final|auto)\s+)?\$?(\w+)\s*(?::[^=]{1,60})?:?=(?!=)(.*)")
_TOLERANCES = frozenset("rel abs atol rtol delta places decimal rel_tol abs_tol".split())
_NUM_VALUES = dict.fromkeys("To ToNot NotTo Should ShouldNot toBeCloseTo".split(), 1)
_NUM_VALUES |= dict.fromkeys(("simplefilter", "filterwarnings"), 0)
_TWO_VALUES = re.compile(r"(?:assert\w*|\w*[eE]quals?|\w*[sS]ame|Contains|InDelta)(?<!With)(?<!Exactly)\Z")
"""Calls with two values to compare, and how many values others have; in Go the test comes before them."""
_FAILS = re.compile(r"\b[tb]\.(?:Error|Fatal|Fail)\w*\s*\(|(?<![\w.])fail\s*\(|\bpanic!")
_IF = re.compile(r"\s*(?:\}\s*else\s+)?if\b")
# Words about the assertion, not about its subject.
_VOCABULARY = re.compile(
    r"(?i:\w*(?:assert|expect|equal|raises|throw)\w*)!?|to[A-Z]\w*|is[A-Z]\w*|(?:has|have)[A-Z]\w*"
    r"|t|self|this|require|not|ok|to|be|eq|eql|deep|reflect|pytest|len|if|is|in|and|or|with|None|nil|null|async|await|match"
    r"|To|ToNot|NotTo|Should\w*|Be[A-Z]\w*|Have[A-Z]\w*|isinstance|approx|any|rel|abs|int|str|float|bool|list|dict|Number|String|Array|Object"
)
_RAISES = re.compile(
    r"(?i:raise|throw|panic)|assertFails|@ ?Test ?\(expected|\b(?:assert|require)\.Error\("
    r"|ErrorIs|ErrorAs|ErrorContains|\bcatch\b|expectException"
)
_NEVER_RAISES = re.compile(r"(?i:not?\.?(?:to)?_?(?:raise|throw|panic)|doesNotThrow|notThrow|nothing)")
_ANY_EXCEPTION = frozenset("Exception BaseException Throwable Error RuntimeException StandardError".split())
_CLASS = re.compile(r"[A-Z]\w*\Z")
_EQUALITY = re.compile(r"(?<![<>!=])===?(?!=)|\b(?:\w*[Ee]quals?|eql?)\w*!?\s*\(|\bis (?!not\b)")
_UNEQUAL = re.compile(r"!==?|! [\w.]*[Ee]quals?\w*\(")
_OF_A_CONDITION = re.compile(
    r"\bassert!?\s*(?!\.|\w|!|_)|\bassert\s+|\b(?:\w*\.)?(?:assert(?:True|False|_true|IsTrue)?|ok|isTrue|isOk|IsTrue|True|truthy|CHECK|REQUIRE)!?\("
)
_LOOSE = re.compile(
    r"[tT]ruthy|[fF]alsy|Defined|[nN]ot_?N(?:il|ull|one)|[nN]ot_?Empty|not\.toBe(?:Null|Undefined)"
    r"|(?:not_to|to_not) be_"
    r"|BeNil|BeTrue|BeFalse|HaveLen|BeNumerically|Greater|Less(?:Than)?|AtLeast|AtMost|InstanceOf|isinstance|IsType"
    r"|Contain|StartsWith|EndsWith|MatchObject|anything\(|\bany\(|[lL]ength\b|hasSize|\.Len\(|be_present|is_(?:some|none|ok|err)\("
    r"|NotBe(?:Null|Empty|Nil)|_(?:GT|LT|GE|LE|NE|NEAR|TRUE|FALSE)\(|assertIs[A-Z][a-z]+\(|assertCount\(|isPresent|notNullValue|assertIn\b|assertRegex"
    r"|Almost|\bapprox\([^)]*\b(?:rel|abs)\b|\bor\b|\|\|"
)
_EXACT = re.compile(r"Exactly|isEqualTo|isSameAs|hasMessage\(|hasValue\(|hasCause\(")
_DENIES = re.compile(
    r"(?<!\.)\bnot\b(?!\s+(?:None|in\b))|assertFalse|toBeFalsy|IsNone|assertNull|isNull\b|\bNil\(|\.False\("
    r"|(?<!not\.)toBeNull\("
)


@dataclass(frozen=True, slots=True)
class Token:
    """Token; `is_outer`: no call of the code under test is around it."""

    text: str
    is_outer: bool

    @property
    def is_literal(self) -> bool:
        return _LITERAL.match(self.text) is not None


@dataclass(frozen=True)
class Assertion:
    """Statement that asserts something.

    `given` are the names that the test's locals are made of. `is_denied`: it fails if its condition holds, as
    `if x != 1 { t.Fatal() }`.
    """

    line: int
    end_line: int
    text: str
    tokens: tuple[Token, ...]
    given: Mapping[str, frozenset[str]]
    is_denied: bool = False

    @cached_property
    def key(self) -> tuple[str, ...]:
        """Key that is equal for two assertions of the same words, whatever their layout and quotes."""
        words = [token.text for token in self.tokens]
        quoted = [f'"{word[1:-1]}"' if word[0] in "'`" else word for word in words]
        return tuple(word for at, word in enumerate(quoted) if word != ";" and words[at : at + 2] != [",", ")"])

    @cached_property
    def skeleton(self) -> tuple[str, ...]:
        """Its words, but for literals."""
        return tuple("0" if token.is_literal else token.text for token in self.tokens)

    @property
    def shown(self) -> str:
        """Its text on one line, short enough for a message."""
        line = " ".join(self.text.split()).rstrip("{; ")
        return line if len(line) <= LONGEST_SHOWN else line[: LONGEST_SHOWN - 1] + "…"

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of what it is about, and of what its locals are made of."""
        own = _names(self.tokens)
        return own.union(*(self.given.get(name, ()) for name in own))

    @cached_property
    def code(self) -> str:
        """Its tokens without the texts of strings."""
        words = ('""' if token.text[0] in "\"'`" else token.text for token in self.tokens)
        return re.sub(r" ?([().]) ?", r"\1", " ".join(words))

    @cached_property
    def raised(self) -> tuple[frozenset[str], frozenset[str]] | None:
        """Classes and messages of the exception that it expects; None if it expects none."""
        if not _RAISES.search(self.code) or _NEVER_RAISES.search(self.code):
            return None
        texts = [each.text for each in self.tokens]
        outer = [at for at, each in enumerate(self.tokens) if each.is_outer]
        # `Price.price(0)` is what is called; `Late.class` is the exception.
        owners = {
            at
            for at in outer
            if texts[at + 1 : at + 2] in (["."], ["::"]) and texts[at + 2 : at + 3] not in ([], ["class"], ["java"])
        }
        classes = frozenset(
            texts[at]
            for at in outer
            if at not in owners
            and not (texts[at].isupper() and "_" in texts[at])
            and (_CLASS.match(texts[at]) or (texts[at - 1 : at] == ["::"] and texts[at] not in ("class", "new")))
        )
        return classes, frozenset(texts[at] for at in outer if texts[at][0] in "\"'`/")

    @cached_property
    def is_loose(self) -> bool:
        """Whether it accepts more than one value."""
        if self.raised is not None:
            return False
        if self.is_denied:
            return not _UNEQUAL.search(self.code)
        values = [token.text.lower() for token in self.tokens if token.is_literal and token.is_outer]
        is_truth = bool(values) and all(value in ("true", "false") for value in values)
        if _EXACT.search(self.code):
            return False
        is_condition = bool(_OF_A_CONDITION.search(self.code)) and not _EQUALITY.search(self.code)
        return is_truth or is_condition or bool(_LOOSE.search(self.code))

    @property
    def denies(self) -> bool:
        """Whether it asserts that something is not so."""
        return bool(_DENIES.search(self.code))

    def is_weaker_than(self, before: Assertion) -> bool:
        """Whether it accepts more than the assertion it replaces."""
        if before.raised is None or self.raised is None:
            return not before.is_loose and before.raised is None and self.is_loose and not self.denies
        classes, messages = before.raised
        now, said = self.raised
        is_broad = bool(now & _ANY_EXCEPTION) and not classes & _ANY_EXCEPTION
        is_wider = bool(classes) and (classes < now or not now)
        return is_broad or is_wider or (bool(messages) and not said and now <= classes)

    def speaks_of(self, other: Assertion) -> float:
        """Return the share of names that two assertions have in common, 0 to 1."""
        return len(self.names & other.names) / max(1, len(self.names), len(other.names))


def _names(side: Iterable[Token]) -> frozenset[str]:
    words = (token.text for token in side if _NAME.match(token.text) and not token.is_literal)
    return frozenset(word for word in words if not _VOCABULARY.fullmatch(word))


def assertions_of(test: FoundTest, path: str) -> list[Assertion]:
    """Return every assertion of a test, in line order."""
    found: list[Assertion] = []
    given = {
        match[1]: _names(tokens(match[2][:LONGEST_LINE], path))
        for match in map(ASSIGNED.match, test.code.split("\n"))
        if match
    }
    for line in test.asserts:
        if not found or line > found[-1].end_line:
            found.append(_assertion(test, line, given, path))
    return found


def _assertion(test: FoundTest, line: int, given: Mapping[str, frozenset[str]], path: str) -> Assertion:
    """Return the assertion that begins at a line; of code that makes a test fail, its condition."""
    source = test.source
    end = _end_of(source, line, test.end)
    condition = _condition_of(source, line, test.start) if _FAILS.search(source.code_lines[line - 1]) else None
    if condition is None:
        text = _text_of(source, line, end)
        return Assertion(line, end, text, tokens(text, path), given)
    text = _text_of(source, condition, condition)
    text = text[: text.rfind("{")] if "{" in text else text
    return Assertion(condition, end, text, tokens(text, path), given, is_denied=True)


def _text_of(source: SourceText, start: int, end: int) -> str:
    """Return these lines without comments."""
    return "\n".join(line[:LONGEST_LINE] for line in source.bare_lines[start - 1 : end]).strip()


def _condition_of(source: SourceText, line: int, first: int) -> int | None:
    """Return the line of the `if` that leads to a line."""
    lines = source.code_lines
    if _IF.match(lines[line - 1]):
        return line
    number = opener(lines, line, max(first, line - MOST_LINES))
    return number if number and _IF.match(lines[number - 1]) else None


def _end_of(source: SourceText, line: int, last: int) -> int:
    """Return the last line of the statement at a line: its brackets are closed, and no call is chained to it."""
    lines, depth = source.code_lines, 0
    for number in range(line, min(last, line + MOST_LINES) + 1):
        depth += sum(1 if mark in "([" else -1 for mark in re.findall(r"[()\[\]]", lines[number - 1]))
        following = lines[number].lstrip() if number < len(lines) else ""
        if depth <= 0 and not following.startswith((".", "->")):
            return number
    return line


def tokens(text: str, path: str) -> tuple[Token, ...]:
    """Return the tokens of a statement."""
    words: list[str] = _TOKEN.findall(text)
    is_assert = words[:1] == ["assert"] and (path.endswith(suffixes("python")) or words[1:2] not in (["("], ["."]))
    allowed = 0 if is_assert else _num_asserting(words)
    more = 1 if path.endswith(suffixes("go")) else 0
    has_types = not path.endswith(_CAPITAL_FUNCTIONS)
    around = [_Bracket("", num_calls=0)]
    found, is_message = [], False
    for at, word in enumerate(words):
        if word in ")]}" and len(around) > 1:
            around.pop()
        inner = around[-1]
        is_past_values = inner.is_aside or inner.is_full(more)
        is_aside = is_message or is_past_values or (at > 1 and words[at - 2] in _TOLERANCES)
        found.append(Token(word, inner.num_calls <= allowed and not is_aside))
        if word in "([{":
            callee = words[at - 1] if word == "(" and at else ""
            num_calls = inner.num_calls + _is_call(callee, has_types=has_types)
            around.append(_Bracket(callee, num_calls, is_aside=is_past_values))
        elif word == ",":
            inner.commas += 1
            is_message = is_message or (is_assert and len(around) == 1)
    return tuple(found)


def _num_asserting(words: Sequence[str]) -> int:
    """Return how many calls of a statement only assert: that which it begins with, but not in an `if`."""
    first = next((at for at, word in enumerate(words) if word == "("), len(words))
    is_call = words[:1] != ["if"] and all(
        _NAME.match(word) or word in (".", ":", "::", "$", "->", "#", "[", "@") for word in words[:first]
    )
    return 1 if is_call else 0


def _is_call(callee: str, *, has_types: bool) -> bool:
    """Return whether a bracket after this word calls something that may be under test: not a type, not a keyword."""
    is_type = has_types and _CLASS.match(callee) is not None and not callee.isupper()  # but `EXPECT_EQ(`
    is_value = callee in _TRANSPARENT or is_type
    return _NAME.match(callee) is not None and callee not in _KEYWORDS and not is_value


@dataclass(slots=True)
class _Bracket:
    """Open bracket, the commas after it, and the calls that are open with it.

    `is_aside`: it is in what follows the values of a call around it.
    """

    callee: str
    num_calls: int
    commas: int = 0
    is_aside: bool = False

    def is_full(self, more: int) -> bool:
        """Return whether what follows is a message or how exact a value must be."""
        if self.callee in _NUM_VALUES:
            return self.commas >= _NUM_VALUES[self.callee]
        return self.commas >= 2 + more and _TWO_VALUES.match(self.callee) is not None


NOTHING = re.compile(r"(?!)")
_PUNCTUATION = frozenset(", [ ] { } : ( ) -".split())


def other_value(
    before: Sequence[Token], after: Sequence[Token], also: re.Pattern[str] = NOTHING
) -> tuple[str, str] | None:
    """Return both values if two statements differ only in literals, or in `also`, that no call takes as input."""
    if len(before) == len(after):
        differing = [pair for pair in zip(before, after, strict=True) if pair[0].text != pair[1].text]
        if differing and all(each.is_literal and each.is_outer for pair in differing for each in pair):
            return differing[0][0].text, differing[0][1].text
        if all(each.is_literal for pair in differing for each in pair):
            return None
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    middles = [side[start : len(side) - end] for side in (before, after)]
    changed = [token for middle in middles for token in middle]

    def is_value(token: Token) -> bool:
        return token.is_literal or also.match(token.text) is not None

    if not all(token.is_outer and (is_value(token) or token.text in _PUNCTUATION) for token in changed):
        return None
    if not any(map(is_value, changed)):
        return None
    while not all(any(map(is_value, side[start : len(side) - end])) for side in (before, after)):
        start -= 1
        if start < 0 or not (is_value(before[start]) or before[start].text in _PUNCTUATION):
            return None
    one, other = (_joined(side[start : len(side) - end]) for side in (before, after))
    return one, other


def _common(one: Sequence[Token], other: Sequence[Token]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a.text != b.text), min(len(one), len(other)))


def _joined(side: Sequence[Token]) -> str:
    return re.sub(r" ([,:\])}])|([\[({-]) ", r"\1\2", " ".join(token.text for token in side))


def pairs_of(left: list[Assertion], new: list[Assertion]) -> Iterator[tuple[Assertion, Assertion]]:
    """Yield each assertion of the base with its successor, and take both from the lists.

    They have the same words but for literals, or share names, or are the only ones on both sides.
    """

    def has_same_words(one: Assertion, other: Assertion) -> bool:
        return one.skeleton == other.skeleton

    def is_about_the_same(one: Assertion, other: Assertion) -> bool:
        return one.speaks_of(other) >= 0.5

    for are_alike in (has_same_words, is_about_the_same):
        for old in left[:MOST_PAIRED]:
            if alike := [each for each in new[:MOST_PAIRED] if are_alike(each, old)]:
                best = max(alike, key=lambda each: (each.is_loose == old.is_loose, each.speaks_of(old)))
                left.remove(old)
                new.remove(best)
                yield old, best
    if len(left) == len(new) == 1 and (left[0].raised is None) is (new[0].raised is None):
        one, other = left[0], new[0]
        if one.raised is not None or not (one.names and other.names):
            left.clear()
            new.clear()
            yield one, other
