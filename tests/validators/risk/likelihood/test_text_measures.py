"""Measures of a patch's text, and their words."""

from __future__ import annotations

import pytest

from assay.validators.changes.landed import FilePatch, PatchHunk
from assay.validators.risk.likelihood.kept_past import by_convention
from assay.validators.risk.likelihood.model import factor_of
from assay.validators.risk.likelihood.text_measures import TextMeasures, is_import, measure_text

PYTHON = b"""\
# A comment
def f(a):
    if a and call(a):
        b = other(a) == 1

    return b
"""
GO = b"""\
// A comment
func f(a int) {
\tfor a != 0 || g() {
\t\tb := h(a)
\t}
}
"""


def _patch(path: str, added: bytes = b"", removed: bytes = b"") -> FilePatch:
    return FilePatch(path, path, (PatchHunk(1, tuple(removed.splitlines()), 1, tuple(added.splitlines())),))


@pytest.mark.parametrize(
    ("patch", "measures"),
    [
        (_patch("a.py", PYTHON), TextMeasures(4, 0, 2, 3, 1, 8, 6)),
        (_patch("a.go", GO), TextMeasures(5, 0, 2, 3, 1, 8, 6)),
        (_patch("a.py", removed=PYTHON), TextMeasures(removed=4, churn=6)),
        (_patch("tests/test_a.py", PYTHON), TextMeasures(churn=6)),
        (_patch("vendor/a.go", GO), TextMeasures(churn=6)),
        (_patch("a.c", b"#include <b.h>\n/* c */\n"), TextMeasures(added=1, churn=2)),
        (_patch("a.sql", b"-- c\nselect f(a) from b where c = 1 and d\n"), TextMeasures(1, 0, 2, 1, 1, 0, 2)),
    ],
)
def test_a_patch_is_measured(patch: FilePatch, measures: TextMeasures) -> None:
    assert measure_text([patch], by_convention) == measures


def test_patches_add_up_and_the_deepest_line_counts() -> None:
    both = measure_text([_patch("a.py", PYTHON), _patch("b.py", b"            x = 1\n")], by_convention)
    assert (both.added, both.assignments, both.indent) == (5, 2, 12)


def test_a_long_line_costs_no_more_than_its_beginning() -> None:
    assert measure_text([_patch("a.js", b"f(" * 100_000)], by_convention).calls == 1000


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("import a", True),
        ("  from a import b", True),
        ('#include "a.h"', True),
        ("use a::b;", True),
        ("imported = 1", False),
    ],
)
def test_imports_are_known_by_their_first_word(line: str, expected: bool) -> None:
    assert is_import(line.encode()) is expected


def test_a_factor_gives_its_percentile_and_a_yes_or_no_none() -> None:
    compared = "the last 500 changes"
    factors = (factor_of("calls", 7.0, 93.4, 0.5, compared), factor_of("is_fix", 1.0, 100.0, 0.2, compared))
    assert [one.text for one in factors] == [
        "has 7 parentheses after names in added lines (percentile 93 of the last 500 changes)",
        "is called a fix by its messages",
    ]
