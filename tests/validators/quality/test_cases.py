"""The tables of cases: what each rule finds in a change, and what it leaves in peace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.validators.quality.complexity.complexity import _Excess
from assay.validators.quality.naming import naming
from assay.validators.quality.register import RULES
from tests.conftest import ROOT
from tests.examples import one_of_each
from tests.tables import read_yaml
from tests.validators.quality.conftest import Judge, Prepared, said

FOLDER = ROOT / "tests" / "cases" / "quality"


def cases() -> list[tuple[str, dict[str, Any]]]:
    """Every case of every table: the name of its rule, which begins the table's name, and what it says."""
    return [
        (table.name.partition(".")[0], case) for table in sorted(FOLDER.glob("*.yaml")) for case in read_yaml(table)
    ]


ALL = cases()


def _kind(number: int) -> tuple[str, bool, str]:
    """Return the rule of a case and whether it finds something, of a quick one its name too."""
    rule, case = ALL[number]
    return rule, bool(case["finds"]), case["name"] if case.get("quick") else ""


FIRST_OF_EACH = one_of_each(range(len(ALL)), _kind)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prepared]:
    """The changes of all cases."""
    wanted = [(case.get("base") or {"README": "x\n"}, case["head"]) for _, case in ALL]
    made = Prepared(tmp_path_factory.mktemp("quality") / "repository", wanted)
    yield made
    made.close()


@pytest.mark.parametrize("number", FIRST_OF_EACH, ids=[f"{rule}: {case['name']}" for rule, case in ALL])
def test_a_rule_finds_what_its_table_says_and_nothing_else(
    number: int, judge: Judge, prepared: Prepared, monkeypatch: pytest.MonkeyPatch
):
    rule, case = ALL[number]
    # A table would not be read with twenty names in each row.
    monkeypatch.setattr(naming, "MIN_SAMPLES", case.get("samples", naming.MIN_SAMPLES))
    judge.only(rule)
    result = judge.of(prepared.at(number), case.get("config"))
    assert said(result.findings) == sorted(case["finds"])
    for words in case.get("says", []):
        assert any(words in finding.message for finding in result.findings), [f.message for f in result.findings]
    for words in case.get("suggests", []):
        assert any(words in (finding.suggestion or "") for finding in result.findings), result.findings
    if "unknown" in case:
        own = [one for one in result.not_checked if one.question == rule]
        assert [" ".join((one.what, *one.files)) for one in own] == case["unknown"]
    unlooked = [f"{note.what}: {note.why}" for note in result.not_checked if note.question is None]
    wanted = case.get("not_checked", [])
    assert len(unlooked) == len(wanted), unlooked
    for note, words in zip(unlooked, wanted, strict=True):
        assert words in note


@pytest.mark.parametrize("rule", [rule.name for rule in RULES])
def test_every_rule_has_a_table_with_finds_and_passes(rule: str):
    table = read_yaml(Path(FOLDER, f"{rule}.yaml"))
    assert any(case["finds"] for case in table)
    assert any(not case["finds"] for case in table)


@pytest.mark.parametrize(
    ("before", "value", "is_remark"),
    [
        (50, 52, True),
        (50, 74, True),
        (50, 75, False),
        (10, 12, True),
        (8, 11, True),
        (8, 12, False),
        (7, 11, True),
        (23, 31, True),
        (2, 12, False),
        (None, 11, True),
        (None, 12, False),
    ],
)
def test_a_function_that_was_there_must_grow_by_half(before: int | None, value: int, is_remark: bool):
    assert _Excess("cyclomatic", value, before, limit=10).is_remark is is_remark
