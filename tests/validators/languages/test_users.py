"""Who really uses what changed, over whole trees written down as data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.validators.graph.blast_radius import blast_radius
from tests.validators.languages.trees import cases, graph_of


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in cases("users")])
def test_a_change_is_used_by_those_it_says(case: dict[str, Any], tmp_path: Path):
    graph = graph_of(case["files"], tmp_path)
    affected = blast_radius(graph, case["changed"], list(case["changed"])).affected
    found = {one.path: sorted((*one.uses, *(f"{name}?" for name in one.may_use))) for one in affected}
    assert {path: names for path, names in found.items() if names} == case["users"]
