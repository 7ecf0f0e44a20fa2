"""The tables of cases: what each rule finds in a change, and what it leaves in peace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.validators.quality import RULES
from tests.conftest import ROOT
from tests.validators.quality.conftest import Judge, said

FOLDER = ROOT / "tests" / "cases" / "quality"


def cases() -> list[Any]:
    """Every case of every table, under the name of its rule and what it says."""
    return [
        pytest.param(table.stem, case, id=f"{table.stem}: {case['name']}")
        for table in sorted(FOLDER.glob("*.yaml"))
        for case in yaml.safe_load(table.read_text("utf-8"))
    ]


@pytest.mark.parametrize(("rule", "case"), cases())
def test_a_rule_finds_what_its_table_says_and_nothing_else(rule: str, case: dict[str, Any], judge: Judge):
    judge.only(rule)
    result = judge(case.get("base") or {"README": "x\n"}, case["head"], case.get("config"))
    assert said(result.findings) == sorted(case["finds"])
    for words in case.get("says", []):
        assert any(words in finding.message for finding in result.findings), [f.message for f in result.findings]
    unlooked = [f"{note.what}: {note.why}" for note in result.not_checked]
    wanted = case.get("not_checked", [])
    assert len(unlooked) == len(wanted), unlooked
    for note, words in zip(unlooked, wanted, strict=True):
        assert words in note


@pytest.mark.parametrize("rule", [rule.name for rule in RULES])
def test_every_rule_has_a_table_with_finds_and_passes(rule: str):
    table = yaml.safe_load(Path(FOLDER, f"{rule}.yaml").read_text("utf-8"))
    assert any(case["finds"] for case in table)
    assert any(not case["finds"] for case in table)
