"""Who really uses what changed, over whole trees written down as data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.validators.languages.trees import cases, graph_of


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in cases("users")])
def test_a_change_is_used_by_those_it_says(case: dict[str, Any], tmp_path: Path):
    graph = graph_of(case["files"], tmp_path)
    found = graph.users(case["changed"])
    assert found == {path: tuple(sorted(names)) for path, names in case["users"].items()}
