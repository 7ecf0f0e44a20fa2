"""Contexts of coverage.py: which test files ran which lines."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from coverage import CoverageData

from assay.validators.errors import UnreadableCoverage
from assay.validators.tools.coverage.contexts import find_contexts, read_contexts

TREE = ("src/app/run.py", "tests/test_run.py", "tests/unit/test_more.py")
EXPECTED = {"src/app/run.py": {1: {""}, 2: {"tests/test_run.py", "tests/unit/test_more.py"}, 9: {"tests/test_run.py"}}}


def data_file(path: Path, *, has_arcs: bool = False, contexts: bool = True) -> Path:
    """A data file as a run under `--cov-context=test` leaves it."""
    data = CoverageData(basename=str(path))
    ran = {"": [1], "tests/test_run.py::test_it|run": [2, 9], "tests.unit.test_more.TestX.test_y": [2]}
    for context, lines in ran.items() if contexts else [("", [1, 2])]:
        data.set_context(context)
        if has_arcs:
            data.add_arcs({"/ci/work/src/app/run.py": [(-1, line) for line in lines] + [(lines[-1], -1)]})
        else:
            data.add_lines({"/ci/work/src/app/run.py": lines})
    data.write()
    return path


@pytest.mark.parametrize("has_arcs", [False, True])
def test_a_data_file_says_which_tests_ran_a_line(tmp_path: Path, has_arcs: bool):
    assert read_contexts(data_file(tmp_path / "data", has_arcs=has_arcs), TREE) == EXPECTED


def test_a_report_says_the_same(tmp_path: Path):
    contexts = {"1": [""], "2": ["tests/test_run.py::test_it|run", "tests.unit.test_more.TestX.test_y"], "x": ["y"]}
    contexts["9"] = ["tests/test_run.py::test_it|setup"]
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"files": {"src/app/run.py": {"contexts": contexts}, "gone.py": {"contexts": []}}}))
    assert read_contexts(report, TREE) == EXPECTED


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[1]", b"SQLite format 3\x00" + b"x" * 200, b'{"files": {"src/app/run.py": {}}}', b"{" * 9999],
)
def test_what_has_no_contexts_is_refused(tmp_path: Path, content: bytes):
    (tmp_path / "data").write_bytes(content)
    with pytest.raises(UnreadableCoverage):
        read_contexts(tmp_path / "data", TREE)


def test_a_run_without_contexts_is_refused_and_an_old_file_is_not_read(tmp_path: Path):
    with pytest.raises(UnreadableCoverage):
        read_contexts(data_file(tmp_path / "plain", contexts=False), TREE)
    assert find_contexts(tmp_path, TREE, 0) is None
    written = os.stat(data_file(tmp_path / ".coverage")).st_mtime
    assert find_contexts(tmp_path, TREE, written) == EXPECTED
    assert find_contexts(tmp_path, TREE, written + 1) is None
