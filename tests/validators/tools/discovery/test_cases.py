"""What is found in a tree, how the tree is made ready, and what is left out: one case each in cases/*.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.validators.configuration.model import ValidationConfig
from assay.validators.tools.discovery.discover import survey
from tests.tables import read_yaml
from tests.validators.tools.trees import tree_of

CASES = [
    pytest.param(case, id=f"{file.stem}: {case['name']}")
    for file in sorted(Path(__file__).parent.glob("cases/*.yaml"))
    for case in read_yaml(file)
]


@pytest.mark.parametrize("case", CASES)
def test_a_tree_is_read_as_its_case_says(case: dict[str, Any]):
    found = survey(tree_of(case["files"]), ValidationConfig(), case.get("touched", ()))
    tasks = [_task(task.kind, task.line, task.found_in, task.directory) for task in found.tasks]
    assert tasks == [row.replace('"', "") for row in case["tasks"]]
    left_out = [f"{one.line} | {one.why}" for one in found.left_out]
    for row in case.get("left_out", ()):
        assert row in left_out
    if "unchecked" in case:
        assert [one.line for one in found.left_out if one.is_unchecked] == case["unchecked"]
    if "setup" in case:
        setups = [setup for _, setup in found.setups]
        steps = [step for setup in setups for step in setup.steps]
        given = [f" < {' '.join(step.stdin.split())}" if step.stdin else "" for step in steps]
        assert [step.line + more for step, more in zip(steps, given, strict=True)] == case["setup"]
        assert any(setup.fetch and (setup.keeps or setup.freeze) for setup in setups) == case["keeps"]


def _task(*parts: str) -> str:
    return " | ".join(parts[:-1] if parts[-1] == "." else parts)
