"""Assertions of a Go test: `if got != want { t.Fatal(…) }`, and testify's `require` and `assert`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from assay.validators.quality.test_integrity.test_code.assertion_readers.assertions import (
    Assertion,
    Claim,
    Strength,
    number,
    opaque,
    squeezed,
)
from assay.validators.quality.test_integrity.test_code.assertion_readers.brackets import Call, Passage, calls
from assay.validators.quality.test_integrity.test_code.conditions import claims, equal, unequal

_TESTIFY = re.compile(r"\b(?P<owner>require|assert|is|s|suite|r|a|req)\.(?P<name>[A-Z]\w+)\s*\(")
_IF = re.compile(r"(?<![\w.])if\s+(?P<head>[^\n{]{1,400}(?:\{[^{}\n]{0,100}\}[^\n{]{0,200})?)\{")
_FAILS = re.compile(r"\b(?:t|b|tb|f|s\.T\(\))\.(?:Fatal|Error|Fail)\w*\(|\bpanic\(|\b(?:assert|require)\.Fail\w*\(")
_HELPER = re.compile(r"(?<![\w.])(?!require\b|assert\b|func\b|append\b)[A-Za-z]\w*\(")
_TWO = Strength.by_name(
    exact="Equal EqualValues Exactly Same JSONEq YAMLEq EqualError",
    structure="Contains NotContains ElementsMatch Subset Regexp NotRegexp Len ErrorContains",
    range="Greater GreaterOrEqual Less LessOrEqual NotEqual NotSame",
    type="IsType Implements ErrorIs ErrorAs",
)
_ONE = {
    "Nil": (Strength.exact, "nil"),
    "NoError": (Strength.exact, "nil"),
    "Empty": (Strength.exact, "empty"),
    "Zero": (Strength.exact, "zero"),
    "NotPanics": (Strength.exact, "no panic"),
    **dict.fromkeys("NotNil Error NotEmpty NotZero Panics".split(), (Strength.existence, "")),
}


def assertions_in(passage: Passage) -> Iterator[Assertion]:
    """Yield every assertion that is understood."""
    yield from _failures(passage)
    yield from _testify(passage)
    yield from _handed_on(passage)


def _handed_on(passage: Passage) -> Iterator[Assertion]:
    """Yield calls of helpers that get `t`, and so may fail the test."""
    for call in calls(passage, _HELPER):
        if any(each.text in ("t", "tb", "b") for each in call.arguments):
            text = passage.text[call.match.start() : call.end]
            yield opaque(text, passage.line_at(call.match.start()))


def _failures(passage: Passage) -> Iterator[Assertion]:
    """Yield conditions under which the test fails; it asserts their negation."""
    for match in _IF.finditer(passage.code):
        opening = match.end() - 1
        body = passage.code[opening : passage.pairs.end_of(opening)]
        if not _FAILS.search(body) or _IF.search(body[1:]):
            continue
        parts = passage.stripped(match.start("head"), match.end("head")).split(";")
        assigned = dict(_assigned(parts[0])) if len(parts) > 1 else {}
        found = [_resolved(claim, assigned) for claim in claims(parts[-1], denied=True)]
        end = match.start() + len(passage.text[match.start() : opening].rstrip())
        for assertion in passage.asserted(found, match.start(), end):
            yield replace(assertion, end_line=assertion.line + body.count("\n"))


def _assigned(statement: Passage) -> Iterator[tuple[str, str]]:
    names, _, value = statement.text.partition(":=")
    for name in names.split(","):
        yield name.strip(), squeezed(value) + (f"#{name.strip()}" if "," in names else "")


def _resolved(claim: Claim, assigned: dict[str, str]) -> Claim:
    value = assigned.get(claim.subject)
    return claim if value is None else replace(claim, subject=_compared(value) or value)


def _compared(value: str) -> str | None:
    """Return the compared value of `cmp.Diff(want, got)`: the one not named `want`."""
    match = re.match(r"cmp\.Diff\((\w+),(\w+)\b", value)
    if match is None:
        return None
    return match[2] if re.match(r"want|expect|exp", match[1]) else match[1]


def _testify(passage: Passage) -> Iterator[Assertion]:
    for call in calls(passage, _TESTIFY):
        arguments = call.arguments
        takes_t = call.match["owner"] in ("require", "assert")
        if takes_t and arguments and re.fullmatch(r"\w+(?:\.T\(\))?", arguments[0].text):
            arguments = arguments[1:]
        if arguments:
            yield from passage.asserted(_claimed(call, arguments), call.match.start(), call.end)


def _claimed(call: Call, arguments: list[Passage]) -> list[Claim]:
    name = call.match["name"]
    name = name.removesuffix("f") if name.removesuffix("f") in {*_TWO, *_ONE, "True", "False", "InDelta"} else name
    first = arguments[0]
    if name in ("True", "False"):
        return claims(first, denied=name == "False")
    if name in _ONE:
        strength, expected = _ONE[name]
        return [Claim(squeezed(first.text), strength, expected)]
    if len(arguments) < 2:
        return [Claim(squeezed(first.text), Strength.exact, name)]
    second = arguments[1]
    if name in ("InDelta", "InEpsilon"):
        delta = re.sub(r"[^\d.eE-]", "", arguments[2].text) if len(arguments) > 2 else ""
        size = abs(number(first.text) or 1.0) or 1.0
        error = number(delta)
        tolerance = None if error is None else error / (size if name == "InDelta" else 1.0)
        return [Claim(squeezed(second.text), Strength.exact, squeezed(first.text), tolerance)]
    if name not in _TWO:
        return [Claim(squeezed(second.text), Strength.exact, f"{name}({squeezed(first.text)})")]
    strength = _TWO[name]
    if name in ("Len", "Contains", "NotContains", "ErrorIs", "ErrorAs", "ErrorContains", "EqualError"):
        return [Claim(squeezed(first.text), strength, f"{name}({squeezed(second.text)})")]
    if name == "NotEqual":
        return [unequal(second, first)]
    if strength is Strength.exact:
        return [equal(second, first)]  # testify's order is (expected, actual)
    return [Claim(squeezed(second.text), strength, f"{name}({squeezed(first.text)})")]
