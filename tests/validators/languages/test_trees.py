"""Which file an import means, over whole trees written down as data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.validators.graph.import_graph import build_graph
from assay.validators.graph.unchanged import same_edges
from assay.validators.languages.register import LANGUAGES
from tests.validators.languages.trees import cases, edges_of, graph_of, tree_of

CASES = [pytest.param(case, id=f"{name}: {case['name']}") for name in LANGUAGES for case in cases(name)]


@pytest.mark.parametrize("case", CASES)
def test_a_tree_has_the_edges_it_says(case: dict[str, Any], tmp_path: Path):
    graph = graph_of(case["files"], tmp_path)
    assert edges_of(graph) == {path: sorted(targets) for path, targets in case["edges"].items()}
    found = [f"{one.file}:{one.line} {one.target}" for one in graph.unresolved]
    assert found == case.get("unresolved", [])
    assert all(one.why for one in graph.unresolved)


@pytest.mark.parametrize("language", LANGUAGES)
def test_edges_taken_over_from_another_tree_are_those_of_a_full_reading(language: str, tmp_path: Path):
    """In turn each file of each tree is another one's content, half of one, or empty, as changes of all kinds are."""
    num_taken = 0
    for number, case in enumerate(cases(language)):
        files = dict(sorted(case["files"].items()))
        for turn, path in enumerate(files):
            alike = [one for one in files if one != path and one.rpartition(".")[2] == path.rpartition(".")[2]]
            other = ["", files[path][: len(files[path]) // 2], files[alike[0]] if alike else "x"][turn % 3]
            folder = tmp_path / f"{number}-{turn}"
            head = graph_of({**files, path: other}, folder / "head")
            base = tree_of(files, folder / "base")
            taken, whole = build_graph(base, known=head), build_graph(base)
            assert set(taken.graph.edges(data="is_weak")) == set(whole.graph.edges(data="is_weak")), (
                case["name"],
                path,
            )
            assert taken.unresolved == whole.unresolved
            num_taken += len(same_edges(taken.sources, head.sources))
    assert num_taken
