"""Assertions of a Rust test: `assert_eq!`, `assert_ne!`, `assert!`, and `#[should_panic]`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.quality.test_integrity.test_code.assertion_readers.assertions import (
    Assertion,
    Claim,
    Strength,
    squeezed,
)
from assay.validators.quality.test_integrity.test_code.assertion_readers.brackets import Passage, calls
from assay.validators.quality.test_integrity.test_code.conditions import claims, equal, unequal

_MACRO = re.compile(
    r"(?<![\w:])(?:debug_)?(?P<name>assert_eq|assert_ne|assert|assert_matches|prop_assert_eq|prop_assert)!\s*[(\[{]"
)
_PANIC = re.compile(r"#\[\s*should_panic\b(?P<rest>[^\]]{0,300})\]")


def assertions_in(passage: Passage) -> Iterator[Assertion]:
    """Yield every assertion that is understood."""
    yield from _panics(passage)
    yield from _macros(passage)


def _panics(passage: Passage) -> Iterator[Assertion]:
    for match in _PANIC.finditer(passage.code):
        expected = squeezed(passage.text[match.start("rest") : match.end("rest")])
        strength = Strength.exact if "expected" in expected else Strength.existence
        text = passage.text[match.start() : match.end()]
        yield Assertion("panics", strength, expected, passage.line_at(match.start()), text, "panics", is_raise=True)


def _macros(passage: Passage) -> Iterator[Assertion]:
    for call in calls(passage, _MACRO):
        name = call.match["name"].removeprefix("prop_")
        if not call.arguments or (len(call.arguments) < 2 and name != "assert"):
            continue
        first = call.arguments[0]
        if name == "assert_eq":
            found = [equal(first, call.arguments[1])]
        elif name == "assert_ne":
            found = [unequal(first, call.arguments[1])]
        elif name == "assert_matches":
            found = [Claim(squeezed(first.text), Strength.structure, squeezed(call.arguments[1].text))]
        else:
            found = claims(first)
        yield from passage.asserted(found, call.match.start(), call.end)
