"""Assertions of JUnit, TestNG, AssertJ, Truth, Hamcrest, xUnit.net, NUnit and PHPUnit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.quality.test_integrity.test_code.assertion_readers.assertions import (
    Assertion,
    Claim,
    Strength,
    is_literal,
    number,
    squeezed,
)
from assay.validators.quality.test_integrity.test_code.assertion_readers.brackets import Call, Passage, calls
from assay.validators.quality.test_integrity.test_code.conditions import claims, equal, unequal

_CALL = re.compile(
    r"(?<![\w$])(?:Assert(?:ions|ja)?(?:\.|::)|\$this->|self::|static::)?(?P<name>(?:assert[A-Z]\w*|assert|(?<=Assert\.)[A-Z]\w+))"
    r"\s*(?:<(?P<type>[\w.<>?, ]{1,100})>)?\("
)
_LINK = re.compile(r"\s*\.\s*(\w+)\s*(?:<[\w.<>?, ]{1,100}>)?\(")
_ANNOTATED = re.compile(r"@Test\s*\(\s*expected\s*=\s*(?P<type>[\w.]+)\.class")
_CAUGHT = re.compile(r"\}\s*catch\s*\(\s*(?:final\s+)?(?P<type>[\w.| ]+?)\s+\w+\s*\)")
_FAILS = re.compile(r"(?<!\w)(?:Assert\.)?fail\s*\(")
_BROAD = frozenset("Exception Throwable RuntimeException Error".split())

_EQUAL = frozenset(
    "assertEquals assertSame assertArrayEquals assertEqual assertAreEqual assertAreSame assertIterableEquals "
    "assertStrictEqual assertEquivalent assertLinesMatch assertSequenceEqual assertXmlStringEqualsXmlString "
    "assertJsonStringEqualsJsonString assertStringEqualsFile assertContentEquals".split()
)
_UNEQUAL = frozenset("assertNotEquals assertNotSame assertNotEqual assertAreNotEqual".split())
_ONE = {
    "assertNull": (Strength.exact, "null"),
    "assertIsNull": (Strength.exact, "null"),
    "assertEmpty": (Strength.exact, "empty"),
    **dict.fromkeys("assertNotNull assertIsNotNull assertNotEmpty assertIsNotEmpty".split(), (Strength.existence, "")),
}
_STRUCTURE = re.compile(
    r"(?:Not)?(?:Contains|StartsWith|EndsWith|Matches|Count|Single|Collection|Regex|String|Has|Subset)"
)
_TYPE = re.compile(r"(?:Is)?(?:Not)?(?:InstanceOf|IsType|IsAssignableFrom|IsArray|IsString|IsInt|IsBool)")
_RANGE = re.compile(r"(?:Greater|Less|InRange|NotInRange)")
_FLUENT = Strength.by_name(
    exact="isEqualTo isSameAs isNull isEmpty hasMessage isEqualByComparingTo containsExactly hasValue is equalTo "
    "nullValue sameInstance hasMessageThat isSameInstanceAs isAbsent",
    structure="contains containsKey containsEntry containsAtLeast containsOnly hasSize hasLength startsWith endsWith "
    "matches hasMessageContaining containsString hasItem hasItems hasEntry doesNotContain containsAll hasSameSizeAs "
    "hasMessageStartingWith",
    range="isGreaterThan isLessThan isAtLeast isAtMost isBetween isIn isNotEqualTo greaterThan lessThan not anyOf "
    "isNotIn isPositive isNegative",
    type="isInstanceOf isExactlyInstanceOf instanceOf hasCauseInstanceOf",
    truth="isTrue isFalse",
    existence="isNotNull isNotEmpty isPresent notNullValue",
)


def assertions_in(passage: Passage) -> Iterator[Assertion]:
    """Yield every assertion that is understood."""
    yield from _expected(passage)
    yield from _calls(passage)


def _expected(passage: Passage) -> Iterator[Assertion]:
    """Yield `@Test(expected = X.class)`, and `try { …; fail(); } catch (X e)`."""
    found = list(_ANNOTATED.finditer(passage.code))
    if _FAILS.search(passage.code):
        found += _CAUGHT.finditer(passage.code)
    for index, match in enumerate(found):
        yield _raised(f"raises {index}", match["type"], "", passage.line_at(match.start()), match.group())


def _raised(subject: str, kind: str, message: str, line: int, text: str) -> Assertion:
    kind = squeezed(kind).removesuffix(".class")
    strength = Strength.exact if message else Strength.type
    if not kind or any(each.rpartition(".")[2] in _BROAD for each in kind.split("|")):
        strength = Strength.existence
    return Assertion(subject, strength, kind + message, line, text, subject, is_raise=True)


def _calls(passage: Passage) -> Iterator[Assertion]:
    for call in calls(passage, _CALL):
        name = call.match["name"]
        name = name if name.startswith("assert") else f"assert{name}"
        if name in ("assertThrows", "assertThrowsExactly", "assertThatThrownBy", "assertThrowsAsync"):
            yield _thrown(passage, call)
            continue
        end, found = call.end, _claimed(name, call.arguments) if call.arguments else []
        if name == "assertThat":
            end, found = _fluent(passage, call)
        yield from passage.asserted(found, call.match.start(), end)


def _thrown(passage: Passage, call: Call) -> Assertion:
    arguments = [squeezed(each.text) for each in call.arguments]
    kind, message, end = call.match["type"] or "", "", call.end
    classes = [] if kind else [each for each in arguments[:2] if each.endswith(".class")]
    if classes:
        kind = classes[0]
        arguments = arguments[arguments.index(kind) + 1 :]
    for name, given, after in _links(passage, call.end):
        end = after
        if name.endswith("nstanceOf") and given:
            kind = squeezed(given[0].text)
        elif name.startswith("hasMessage"):
            message = f" {squeezed(given[0].text)}" if given else ""
    subject = f"raises {arguments[0] if arguments else ''}"[:400]
    start = call.match.start()
    return _raised(subject, kind, message, passage.line_at(start), passage.text[start:end])


def _links(passage: Passage, at: int) -> Iterator[tuple[str, list[Passage], int]]:
    while (link := _LINK.match(passage.code, at)) is not None:
        at = passage.pairs.end_of(link.end() - 1)
        yield link[1], passage.arguments(link.end() - 1), at


def _fluent(passage: Passage, call: Call) -> tuple[int, list[Claim]]:
    """Return the claims of `assertThat(x).isEqualTo(y)`, or Hamcrest's `assertThat(x, is(y))`."""
    if not call.arguments:
        return call.end, []
    subject = call.arguments[0]
    if len(call.arguments) > 1 and (match := re.match(r"(?:\w+\.)?(\w+)\s*\(", call.arguments[-1].code)):
        matcher = call.arguments[-1]
        given = matcher.arguments(match.end() - 1)
        if given and match[1] == "is" and (inner := re.match(r"(\w+)\s*\(", given[0].code)) and inner[1] in _FLUENT:
            match, given = inner, given[0].arguments(inner.end() - 1)
        return call.end, [_of_fluent(subject, match[1], given)]
    found, end = [], call.end
    for name, given, after in _links(passage, call.end):
        end = after
        if name in _FLUENT:
            found.append(_of_fluent(subject, name, given))
        elif name not in ("as", "describedAs", "withFailMessage", "isNotSameAs"):
            subject = passage.part(call.match.start(), after)
    return end, found or [Claim(squeezed(subject.text), Strength.exact, squeezed(passage.text[call.end : end]))]


def _of_fluent(subject: Passage, name: str, given: list[Passage]) -> Claim:
    strength = _FLUENT.get(name, Strength.exact)
    if strength is Strength.exact and len(given) == 1:
        return equal(subject, given[0])
    expected = ",".join(squeezed(each.text) for each in given)
    return Claim(squeezed(subject.text), strength, f"{name}({expected})")


def _claimed(name: str, arguments: list[Passage]) -> list[Claim]:
    if name in ("assertTrue", "assert", "assertIsTrue"):
        return claims(_condition(arguments))
    if name in ("assertFalse", "assertIsFalse"):
        return claims(_condition(arguments), denied=True)
    if name in _ONE:
        strength, expected = _ONE[name]
        return [Claim(squeezed(_condition(arguments).text), strength, expected)]
    if len(arguments) < 2:
        return [Claim(squeezed(arguments[0].text), Strength.exact, name)]
    # The order is (expected, actual) everywhere here; JUnit 4 may begin with a message.
    has_delta = len(arguments) > 2 and re.match(r"[\d.]+[fFdD]?\Z", arguments[2].text) is not None
    if len(arguments) == 3 and arguments[0].text.startswith('"') and not has_delta:
        arguments = arguments[1:]
    first, second = arguments[:2]
    wrong_way = is_literal(second.text) and not is_literal(first.text)
    wanted, actual = (second, first) if wrong_way else (first, second)
    if name in _EQUAL:
        claim = equal(actual, wanted)
        return [Claim(claim.subject, claim.strength, claim.expected, _delta(arguments, wanted))]
    if name in _UNEQUAL:
        return [unequal(actual, wanted)]
    rest = name.removeprefix("assert")
    kinds = ((_TYPE, Strength.type), (_RANGE, Strength.range), (_STRUCTURE, Strength.structure))
    strength = next((strength for pattern, strength in kinds if pattern.match(rest)), Strength.exact)
    return [Claim(squeezed(actual.text), strength, f"{name}({squeezed(wanted.text)})")]


def _condition(arguments: list[Passage]) -> Passage:
    """Return the condition among a call's arguments: last in JUnit 4, first in JUnit 5."""
    return arguments[1] if len(arguments) > 1 and arguments[0].text.startswith('"') else arguments[0]


def _delta(arguments: list[Passage], expected: Passage) -> float | None:
    """Return the relative error of a tolerance in the third argument."""
    if len(arguments) < 3:
        return None
    delta, size = number(arguments[2].text.rstrip("fFdD")), number(expected.text.rstrip("fFdDlL"))
    return None if delta is None or size is None else abs(delta) / (abs(size) or 1.0)
