"""Dangerous constructs by language; the cases are data, in tests/cases/dangers.yaml."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import yaml

from assay.validators.changes.language_table import is_in, languages
from assay.validators.dangers.dangerous_code import COVERED, dangers

CASES = yaml.safe_load(Path("tests/cases/dangers.yaml").read_text("utf-8"))


def _found(case: dict, code: str) -> list[str]:
    source = case.get("before", "") + code
    lines = dict(enumerate(source.split("\n"), 1))
    return [one.what for one in dangers(f"a.{case['suffix']}", lines, "", source)]


@pytest.mark.parametrize("name", CASES)
def test_constructs_are_found_and_their_like_are_not(name: str):
    case = CASES[name]
    missed = [(what, code, found) for what, code in case["finds"] if what not in (found := _found(case, code))]
    wrong = [(code, found) for code in case["silent"] if (found := _found(case, code))]
    assert (missed, wrong) == ([], [])


_QUERY = '    cursor.execute(f"select a from b where c = {x0}")\n'
WITHOUT_END = {
    "each of a thousand values is set to the next": (
        "def f():\n"
        + "".join(f"    x{number} = x{number + 1}\n" for number in range(1000))
        + "".join(_QUERY.replace("x0", f"x{number}") for number in range(1000))
    ),
    "each value is made of the next three times": (
        "def f():\n"
        + "".join(f"    x{number} = x{number + 1} + x{number + 1} + x{number + 1}\n" for number in range(200))
        + f"    eval(x0)\n{_QUERY}"
    ),
    "each of a thousand functions has a number": "".join(
        f"def f{number}(x0: int):\n    g{number}: str\n{_QUERY}" for number in range(1000)
    ),
}


@pytest.mark.parametrize("name", WITHOUT_END)
def test_values_without_end_are_followed_once(name: str):
    began = time.process_time()
    _found({"suffix": "py"}, WITHOUT_END[name])
    assert time.process_time() - began < 20, "each takes a tenth of a second; without memory, minutes"


def test_each_covered_language_has_cases():
    covered = {key for key in COVERED for case in CASES.values() if is_in(f"a.{case['suffix']}", (key,))}
    alike = languages(*"notebook javascript jsx tsx svelte astro html c-header".split())
    assert COVERED - covered - alike == set()
