"""Assertions of a JavaScript or TypeScript test: `expect` of Jest, Vitest and Chai, and Node's `assert`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from assay.validators.quality.test_integrity.test_code.assertion_readers.assertions import (
    Assertion,
    Claim,
    Strength,
    squeezed,
)
from assay.validators.quality.test_integrity.test_code.assertion_readers.brackets import Call, Passage, calls
from assay.validators.quality.test_integrity.test_code.conditions import claims, equal, unequal

_EXPECT = re.compile(r"(?<![\w.$])(?:expect(?:\.soft|TypeOf)?|assertType)\s*(?:<[^<>()\n]{0,100}>)?\(")
_LINK = re.compile(r"\s*\??\.\s*([\w$]+)\s*(?:<[^<>()\n]{0,100}>)?")
_ASSERT = re.compile(
    r"(?<![\w.$])(?:(?!console\b)(?:\w+\.)?assert(?:\.strict)?(?:\.(?P<name>\w+))?|t\.(?P<ava>\w+))\s*\("
)
_WORDS = frozenset(
    "to be been is that which and has have with at of same but does still deep own resolves rejects eventually".split()
)

_THROWS = frozenset("toThrow toThrowError throw throws Throw rejectedWith".split())
_CLASSES = Strength.by_name(
    exact="toBe toEqual toStrictEqual toBeNull toBeUndefined toBeNaN toMatchSnapshot toMatchInlineSnapshot "
    "toHaveBeenCalledWith toHaveBeenLastCalledWith toHaveBeenNthCalledWith toHaveBeenCalledExactlyOnceWith "
    "toHaveReturnedWith toHaveResolvedWith toThrowErrorMatchingSnapshot toThrowErrorMatchingInlineSnapshot "
    "toBeCalledWith lastCalledWith nthCalledWith toMatchFileSnapshot toHaveBeenWarned equal eql equals eq "
    "calledWith calledOnceWith null undefined empty members toEqualTypeOf toHaveText toHaveValue",
    structure="toMatchObject toContain toContainEqual toMatch toHaveLength toHaveProperty toHaveBeenCalledTimes "
    "toHaveBeenCalledOnce include includes contain contains match property lengthOf length keys key string "
    "toBeCalledTimes toHaveTextContent toHaveBeenWarnedTimes toHaveReturnedTimes toMatchTypeOf toSatisfy "
    "toExtend callCount",
    range="toBeGreaterThan toBeGreaterThanOrEqual toBeLessThan toBeLessThanOrEqual toBeOneOf above below least most "
    "within gt gte lt lte oneOf",
    type="toBeInstanceOf toBeTypeOf a an instanceof instanceOf",
    truth="toBeTruthy toBeFalsy ok true false",
    existence="toBeDefined exist toHaveBeenCalled toBeCalled toBeInTheDocument called toHaveReturned toBeVisible",
)
_IN_PLACE = {"null": "null", "toBeNull": "null", "undefined": "undefined", "toBeUndefined": "undefined"}
_EQUAL = frozenset("equal strictEqual deepEqual deepStrictEqual is same equals isEqual partialDeepStrictEqual".split())
_UNEQUAL = frozenset("notEqual notStrictEqual notDeepEqual notDeepStrictEqual not notSame".split())
_OTHERS = Strength.by_name(
    structure="match regex notRegex include like lengthOf", range="isAbove", type="instanceOf", existence="exists"
)
_COMPARISONS = {
    "toBeGreaterThan": ">",
    "toBeGreaterThanOrEqual": ">=",
    "toBeLessThan": "<",
    "toBeLessThanOrEqual": "<=",
}
_EXPLICIT = {"truthy": "true", "falsy": "false"}
_THROWN = frozenset("throws rejects throwsAsync doesNotThrow doesNotReject".split())
_ANY_CALL = re.compile(r"\bexpect\.\w+\(")
_ANYTHING = re.compile(r"expect\.anything\(\)\Z")
_ANY = re.compile(r"expect\.any\(.*\)\Z", re.DOTALL)


def assertions_in(passage: Passage) -> Iterator[Assertion]:
    """Yield every assertion that is understood."""
    for call in calls(passage, _EXPECT):
        if call.arguments:
            yield from _chain(passage, call, call.arguments[0])
    yield from _plain(passage)


def _chain(passage: Passage, call: Call, subject: Passage) -> Iterator[Assertion]:
    """Yield the matcher at the end of `expect(subject).not.resolves.…`."""
    at, is_not, arguments, name = call.end, False, [], ""
    while (link := _LINK.match(passage.code, at)) is not None:
        at = link.end()
        is_call = passage.code[at : at + 1] == "("
        if link[1] == "not" and not is_call:
            is_not = not is_not
        elif link[1] not in _WORDS or (is_call and link[1] not in ("be", "have")):
            name = link[1]
            if is_call:
                arguments, at = passage.arguments(at), passage.pairs.end_of(at)
            if name in _CLASSES or name in _THROWS:
                break
        elif is_call:
            at = passage.pairs.end_of(at)
    start = call.match.start()
    if name in _THROWS:
        yield _thrown(subject, arguments, is_not, passage.line_at(start), passage.text[start:at])
    else:
        yield from passage.asserted(_claimed(subject, name, arguments, is_not), start, at)


def _thrown(subject: Passage, arguments: list[Passage], is_not: bool, line: int, text: str) -> Assertion:
    what = f"raises {squeezed(subject.text)}"[:400]
    if is_not:
        return Assertion(what, Strength.exact, "nothing", line, text, what, is_raise=True)
    expected = squeezed(arguments[0].text) if arguments else ""
    if expected in ("", "Error"):
        strength = Strength.existence
    else:
        names_a_class = re.match(r"[A-Z][\w.$]*\Z", expected) is not None
        strength = Strength.type if names_a_class else Strength.exact
    return Assertion(what, strength, expected, line, text, what, is_raise=True)


def _claimed(subject: Passage, name: str, arguments: list[Passage], is_not: bool) -> list[Claim]:
    text = squeezed(subject.text)
    first = arguments[0] if arguments else None
    given = ",".join(squeezed(each.text) for each in arguments)
    if name == "toBeCloseTo":
        digits = arguments[1].text.strip() if len(arguments) > 1 else "2"
        tolerance = 0.5 * 10 ** -float(digits) if re.fullmatch(r"-?\d{1,2}", digits) else None
        return [Claim(text, Strength.exact, squeezed(first.text) if first else "", tolerance)]
    if name in _COMPARISONS and first is not None:
        sign = f" {_COMPARISONS[name]} "
        whole = Passage(subject.code + sign + first.code, subject.text + sign + first.text, subject.first_line)
        return claims(whole, denied=is_not)
    strength = _CLASSES.get(name)
    if strength is None:
        return [Claim(text, Strength.exact, f"{'not ' if is_not else ''}{name}({given})")]
    if strength is Strength.truth or (first is not None and strength is Strength.exact and given in ("true", "false")):
        is_true = (name in ("toBeTruthy", "ok", "true") or given == "true") is not is_not
        found = claims(subject, denied=not is_true)
        explicit = _EXPLICIT if first else {}
        return [replace(each, expected=explicit.get(each.expected, each.expected)) for each in found]
    if strength is Strength.exact and (first is not None or name in _IN_PLACE):
        return [_exact(subject, name, first, given, is_not)]
    if is_not:
        never_called = name in ("toHaveBeenCalled", "toBeCalled", "called")
        strength = Strength.exact if never_called else min(strength, Strength.structure)
    return [Claim(text, strength, f"{'not ' if is_not else ''}{name}({given})")]


def _exact(subject: Passage, name: str, first: Passage | None, given: str, is_not: bool) -> Claim:
    text = squeezed(subject.text)
    value = _IN_PLACE.get(name, given)
    if is_not:
        is_nothing = value in ("null", "undefined")
        return Claim(text, Strength.existence if is_nothing else Strength.range, "" if is_nothing else f"not {value}")
    if first is not None and _ANYTHING.match(value):
        return Claim(text, Strength.existence, value)
    if first is not None and _ANY.match(value):
        return Claim(text, Strength.type, value)
    if first is not None and _ANY_CALL.search(first.code):
        return Claim(text, Strength.structure, value)
    is_equality = name in ("toBe", "toEqual", "toStrictEqual", "equal", "eql", "eq", "equals")
    if first is None or "," in given or not is_equality:
        return Claim(text, Strength.exact, value)
    return equal(subject, first)


def _plain(passage: Passage) -> Iterator[Assertion]:
    """Yield `assert(x)`, `assert.equal(a, b)`, `assert.throws(f, X)`, and AVA's `t.is(a, b)`."""
    for call in calls(passage, _ASSERT):
        name, start = call.match["name"] or call.match["ava"] or "ok", call.match.start()
        if not call.arguments:
            continue
        first, others = call.arguments[0], call.arguments[1:]
        if name in _THROWN:
            text = passage.text[start : call.end]
            yield _thrown(first, others, name.startswith("doesNot"), passage.line_at(start), text)
        else:
            yield from passage.asserted(_plainly(name, first, others), start, call.end)


def _plainly(name: str, first: Passage, others: list[Passage]) -> list[Claim]:
    if name in _EQUAL and others:
        value = squeezed(others[0].text)
        return claims(first, denied=value == "false") if value in _EXPLICIT.values() else [equal(first, others[0])]
    if name in _UNEQUAL and others:
        return [unequal(first, others[0])]
    if name in ("ok", "true", "truthy", "isTrue", "isOk"):
        return claims(first)
    if name in ("notOk", "false", "falsy", "isFalse", "isNotOk"):
        return claims(first, denied=True)
    if name not in _OTHERS:
        return []
    given = ",".join(squeezed(each.text) for each in others)
    return [Claim(squeezed(first.text), _OTHERS[name], f"{name}({given})")]
