"""A change of the configuration is told key by key, and whether it loosens a gate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.validators.configuration.model import ValidationConfig
from assay.validators.configuration.weakened import LOOSENS, difference, leaves
from tests.tables import read_yaml

CASES: list[dict[str, Any]] = read_yaml(Path(__file__).with_name("differences.yaml"))


def config(data: dict[str, Any]) -> ValidationConfig:
    return ValidationConfig.model_validate_json(json.dumps(data), strict=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_each_difference_is_told_and_judged(case: dict[str, Any]):
    found = difference(config(case["base"]), config(case["head"]))
    assert {one.key: one.loosens for one in found} == case["differs"]


def test_values_are_told_as_they_are_written():
    before = {"mode": "enforce", "tier1": {"commands": ["pytest", {"run": "make", "timeoutSeconds": 5}]}}
    found = difference(config(before), ValidationConfig())
    assert [(one.key, one.before, one.after) for one in found] == [
        ("tier1.commands", ["pytest", {"run": "make", "timeoutSeconds": 5}], None),
        ("mode", "enforce", "advisory"),
    ]
    assert json.loads(json.dumps([one.before for one in found])) == [one.before for one in found]


def test_every_key_there_is_has_a_judgement():
    assert sorted(LOOSENS) == sorted(key for key, _ in leaves(ValidationConfig()))
