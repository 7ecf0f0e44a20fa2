"""Which file an import means, over whole trees written down as data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.validators.languages.register import LANGUAGES
from tests.validators.languages.trees import cases, edges_of, graph_of

CASES = [pytest.param(case, id=f"{name}: {case['name']}") for name in LANGUAGES for case in cases(name)]


@pytest.mark.parametrize("case", CASES)
def test_a_tree_has_the_edges_it_says(case: dict[str, Any], tmp_path: Path):
    graph = graph_of(case["files"], tmp_path)
    assert edges_of(graph) == {path: sorted(targets) for path, targets in case["edges"].items()}
    found = [f"{one.file}:{one.line} {one.target}" for one in graph.unresolved]
    assert found == case.get("unresolved", [])
    assert all(one.why for one in graph.unresolved)
