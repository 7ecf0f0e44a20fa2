"""Fixes that are certain: the text a line should be, to the letter."""

from __future__ import annotations

import pytest

from tests.validators.quality.conftest import Judge


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("  it.only('adds', () => {", "  it('adds', () => {"),
        ("\tdescribe.only(`x`, () => {", "\tdescribe(`x`, () => {"),
        ("test.concurrent.only('it.only(', f)", "test.concurrent('it.only(', f)"),
        ("fit('adds', () => {", "it('adds', () => {"),
        ("fdescribe ('adds', () => {", "describe ('adds', () => {"),
        ("it.only('a', f); it.only('b', g)", None),
    ],
)
def test_a_test_that_runs_alone_is_given_back_its_plain_name(line: str, meant: str | None, judge: Judge):
    judge.only("test_integrity")
    rest = "  expect(f()).toBe(1);\n});\n\nit('b', () => {\n  expect(f()).toBe(2);\n});\n"
    result = judge({"a.spec.ts": f"it('a', () => {{\n{rest}"}, {"a.spec.ts": f"{line}\n{rest}"})
    (found,) = [finding for finding in result.findings if finding.rule == "test_integrity.focused"]
    assert found.replacement == meant
    assert (found.line, found.end_line) == (1, 1)
