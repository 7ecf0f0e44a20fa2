"""Each way in which a package changes, in each kind of manifest: rows of tests/cases/dependencies/moves.yaml."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.tables import read_yaml
from tests.validators.risk.changes import Changes, assess, said_of

ROWS = read_yaml(ROOT / "tests" / "cases" / "dependencies" / "moves.yaml")
WAYS = {
    ("", "one"): "new_dependency",
    ("one", "two"): "dependency_moved",
    ("two", "one"): "dependency_back",
    ("one", "far"): "code_fetched",
    ("far", "one"): "",
    ("one", ""): "",
}
"""From and to: what is stated, by its kind."""
ALL = [(row, way) for row in ROWS for way in WAYS if "far" not in way or row["far"]]


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Changes]:
    with Changes(tmp_path_factory.mktemp("moves") / "r", [_sides(*one) for one in ALL]) as made:
        yield made


def _sides(row: dict[str, Any], way: tuple[str, str]) -> tuple[dict[str, str], dict[str, str | None]]:
    before, after = (row["text"].replace("~", row[name] if name else "", 1) for name in way)
    return {row["file"]: before}, {row["file"]: after}


def test_there_are_enough_ways():
    assert len(ALL) >= 80


@pytest.mark.parametrize("file", [row["file"] for row in ROWS])
def test_a_package_that_changes_is_stated(changes: Changes, file: str):
    for index, (row, way) in enumerate(ALL):
        if row["file"] != file:
            continue
        assessment = assess(changes.at(index), only="new_dependencies")
        kinds = {one.kind for one in said_of(assessment, "new_dependencies")}
        assert kinds == ({WAYS[way]} if WAYS[way] else set()), way
        named = [(one.name, one.before is None) for one in assessment.new_dependencies]
        assert named == ([(row["name"], not way[0])] if way[1] else []), way
