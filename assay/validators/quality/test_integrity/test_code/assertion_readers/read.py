"""Assertions of a test in any language: parsed in supported languages, else one per line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from assay.validators.changes.language_table import language_of, languages
from assay.validators.quality.test_integrity.test_code.assertion_readers import go, python, rust, script, unit
from assay.validators.quality.test_integrity.test_code.assertion_readers.assertions import Assertion, Strength, opaque
from assay.validators.quality.test_integrity.test_code.assertion_readers.brackets import Passage
from assay.validators.quality.test_integrity.test_code.found_tests import FoundTest

_READERS: dict[str, Callable[[Passage], Iterator[Assertion]]] = {
    **dict.fromkeys(languages("javascript", "jsx", "typescript", "tsx"), script.assertions_in),
    "go": go.assertions_in,
    "rust": rust.assertions_in,
    **dict.fromkeys(languages("java", "kotlin", "groovy", "scala", "csharp", "php"), unit.assertions_in),
}
COMPARED = frozenset(("python", *_READERS))
"""Languages whose assertions are read, not only counted."""
_FAIL = re.compile(r"(?<!\w)fail\s*\(")


def assertions_of(test: FoundTest, path: str) -> list[Assertion]:
    """Return every assertion of a test that can fail, in line order; one that is not understood has no subject."""
    language = language_of(path)
    key = language.key if language is not None else ""
    if key == "python":
        found = python.assertions_of(test)
        if found is not None:
            return [each for each in found if each.strength is not Strength.none]
    reader = _READERS.get(key)
    found = list(reader(Passage(test.code, test.text, test.start))) if reader is not None else []
    covered = {line for each in found for line in each.lines}
    lines = test.source.lines
    others = [
        opaque(lines[line - 1].strip(), line)
        for line in test.asserts
        # The block that a `fail()` guards is read with it, as an expected exception.
        if line not in covered and not (reader is unit.assertions_in and _FAIL.search(lines[line - 1]))
    ]
    return sorted(
        [*(each for each in found if each.strength is not Strength.none), *others], key=lambda each: each.line
    )
