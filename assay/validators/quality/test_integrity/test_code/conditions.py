"""Claims of C-style conditions: comparisons, `&&` and `||`, `!`, and calls with a boolean result."""

from __future__ import annotations

import re

from assay.validators.quality.test_integrity.test_code.assertion_readers.assertions import (
    Claim,
    Strength,
    either,
    is_literal,
    squeezed,
)
from assay.validators.quality.test_integrity.test_code.assertion_readers.brackets import Passage

_BOOLEAN = re.compile(r"(?:true|false|True|False|Boolean\.(?:TRUE|FALSE))\Z")
_NOTHING = re.compile(r"(?:null|nil|undefined|None|NULL|nullptr|\"\"|\[\]|\{\})\Z")


def equal(subject: Passage, expected: Passage) -> Claim:
    """Return the claim that two expressions are equal; a literal one is the expected value."""
    if is_literal(subject.text) and not is_literal(expected.text):
        subject, expected = expected, subject
    value = squeezed(expected.text)
    if _BOOLEAN.match(value):
        return Claim(squeezed(subject.text), Strength.truth, value.rpartition(".")[2].lower())
    name = squeezed(subject.text)
    if measured := _measured(name):
        return Claim(measured, Strength.structure, f"len {value}")
    of_type = _TYPE_OF.match(name)
    return Claim(of_type[1], Strength.type, value) if of_type else Claim(name, Strength.exact, value)


def unequal(subject: Passage, expected: Passage) -> Claim:
    """Return the claim that two expressions differ; difference from a null value is existence."""
    if is_literal(subject.text) and not is_literal(expected.text):
        subject, expected = expected, subject
    value, name = squeezed(expected.text), squeezed(subject.text)
    if value == "0" and (measured := _measured(name)):
        return Claim(measured, Strength.existence)
    strength = Strength.existence if _NOTHING.match(value) else Strength.range
    return Claim(name, strength, f"!={value}" if strength is Strength.range else "")


def _measured(text: str) -> str | None:
    """Return `x` if the expression is the length of `x`."""
    match = _MEASURED.match(text)
    return (match[1] or match[2]) if match else None


_MEASURED = re.compile(r"len\((.+)\)\Z|(.+)\.(?:length|len\(\)|size\(\)|size|length\(\)|count\(\))\Z", re.DOTALL)
_TYPE_OF = re.compile(r"(?:typeof|type)\(?(.+?)\)?\Z", re.DOTALL)
_COMPARED = re.compile(r"[()\[\]{}]|(?<![<>=!+\-*/&|^:])(?:===|!==|==|!=|<=|>=|<|>)(?![<>=])")
_CONTAINS = re.compile(
    r"(?:(?:strings|bytes|slices)\.(?:Contains|HasPrefix|HasSuffix)\((.+?),.*|(.+?)\.(?:contains\w*|startsWith|endsWith"
    r"|starts_with|ends_with|includes|matches|contains_key|has|test)\(.*)\Z",
    re.DOTALL,
)
_DEEP = re.compile(
    r"(?:reflect\.DeepEqual|bytes\.Equal|cmp\.Equal|slices\.Equal|Objects\.equals|Arrays\.equals|maps\.Equal)\("
)
_EQUALS = re.compile(r"\.equals\(")
_INSTANCE = re.compile(r"\sinstanceof\s|\sis\s")
_MATCHES = re.compile(r"matches!\(")
_THERE = re.compile(r"(.+)\.(?:is_some|is_ok|is_err|isPresent|is_present)\(\)\Z", re.DOTALL)
_NOT_THERE = re.compile(r"(.+)\.(?:is_none|isEmpty|is_empty)\(\)\Z", re.DOTALL)


def claims(condition: Passage, *, denied: bool = False) -> list[Claim]:
    """Return the claim of a C-style condition, negated if `denied`."""
    condition = _bare(condition)
    together, one_of = ("||", "&&") if denied else ("&&", "||")
    parts = condition.split(together)
    if len(parts) > 1:
        return [claim for part in parts for claim in claims(part, denied=denied)]
    parts = condition.split(one_of)
    if len(parts) > 1:
        inner = [claim for part in parts for claim in claims(part, denied=denied)]
        return [either(inner, squeezed(condition.text))]
    if condition.code.startswith("!") and _comparison(condition) is None:
        return claims(condition.part(1, len(condition.code)), denied=not denied)
    return [_claim(condition, denied=denied)]


def _bare(condition: Passage) -> Passage:
    """Return the condition without surrounding brackets."""
    condition = condition.stripped(0, len(condition.code))
    while condition.code.startswith("(") and condition.pairs.end_of(0) == len(condition.code):
        condition = condition.stripped(1, len(condition.code) - 1)
    return condition


def _claim(condition: Passage, *, denied: bool) -> Claim:
    text = squeezed(condition.text)
    if text in ("true", "True") and not denied:
        return Claim(text, Strength.none)
    compared = _comparison(condition)
    if compared is not None:
        return _compared(*compared, denied=denied)
    for read in (_equality_call, _kind, _presence):
        found = read(condition, text, denied)
        if found is not None:
            return found
    return Claim(text, Strength.truth, "falsy" if denied else "truthy")


def _compared(left: Passage, operator: str, right: Passage, *, denied: bool) -> Claim:
    if operator[0] in "=!":
        return equal(left, right) if operator.startswith("=") is not denied else unequal(left, right)
    if is_literal(left.text) and not is_literal(right.text):
        left, right, operator = right, left, operator.translate(str.maketrans("<>", "><"))
    measured = _measured(squeezed(left.text))
    subject = measured or squeezed(left.text)
    if measured and not denied and (operator, squeezed(right.text)) in ((">", "0"), (">=", "1")):
        return Claim(subject, Strength.existence)
    return Claim(subject, Strength.range, f"{'not ' if denied else ''}{operator}{squeezed(right.text)}")


def _equality_call(condition: Passage, _text: str, denied: bool) -> Claim | None:
    """Return the claim of `reflect.DeepEqual(a, b)` and `a.equals(b)`."""
    said = unequal if denied else equal
    if (match := _DEEP.match(condition.code)) is not None:
        arguments = condition.arguments(match.end() - 1)
        return said(arguments[0], arguments[1]) if len(arguments) == 2 else None
    if (match := _EQUALS.search(condition.code)) is None:
        return None
    inner = condition.arguments(match.end() - 1)
    is_all = condition.pairs.end_of(match.end() - 1) == len(condition.code.rstrip())
    return said(condition.part(0, match.start()), inner[0]) if is_all and len(inner) == 1 else None


def _kind(condition: Passage, text: str, denied: bool) -> Claim | None:
    """Return the claim of `x instanceof Y` and `matches!(x, Y)`."""
    if denied:
        return None
    if (match := _INSTANCE.search(condition.code)) is not None:
        kind = squeezed(condition.text[match.end() :])
        return Claim(squeezed(condition.text[: match.start()]), Strength.type, kind)
    if (match := _MATCHES.match(condition.code)) is None:
        return None
    arguments = condition.arguments(match.end() - 1)
    return Claim(squeezed(arguments[0].text), Strength.structure, text) if arguments else None


def _presence(_condition: Passage, text: str, denied: bool) -> Claim | None:
    """Return the claim of `x.is_some()`, `!x.isEmpty()`, and of containment."""
    if (there := (_NOT_THERE if denied else _THERE).match(text)) is not None:
        return Claim(there[1], Strength.existence, text)
    if (part := _CONTAINS.match(text)) is not None:
        return Claim(part[1] or part[2], Strength.structure, f"{'not ' if denied else ''}{text}")
    return None


def _comparison(condition: Passage) -> tuple[Passage, str, Passage] | None:
    """Return both sides of the only comparison outside brackets, if there is one."""
    depth = 0
    for match in _COMPARED.finditer(condition.code):
        mark = match.group()
        if mark in "()[]{}":
            depth += 1 if mark in "([{" else -1
        elif depth == 0 and (mark not in "<>" or condition.code[match.end() : match.end() + 1] == " "):
            return condition.stripped(0, match.start()), mark, condition.stripped(match.end(), len(condition.code))
    return None
