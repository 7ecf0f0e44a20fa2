"""Which tests run by `tier1.tests`, on the head and on the base, and what the report names as left out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from assay.validators.report.model import Outcome, ToolKind
from assay.validators.tools.commands.test_files import test_files as files_of
from assay.validators.tools.commands.test_files import with_files
from assay.validators.tools.tool import Task
from tests.repositories import RealRepository
from tests.tables import read_yaml
from tests.validators.tools.changes import only, run_on, settings

CASES: list[dict[str, Any]] = read_yaml(Path(__file__).parents[2] / "cases" / "flaky" / "affected.yaml")
SAMPLE = ("an affected one fails, and on the base it passes", "a file outside of the graph changes too")
SHOP = "def total(prices):\n    return sum(prices)\n"
FILES = {
    "shop.py": SHOP,
    "cart.py": "def size():\n    return 1\n",
    "alone.py": "x = 2\n",
    "tests/conftest.py": "",
    "tests/test_shop.py": "from shop import total\ndef test_total():\n    assert total([1, 2]) == 3\n",
    "tests/test_cart.py": "from cart import size\ndef test_size():\n    assert size() == 1\n",
    "tests/test_more.py": "def test_more():\n    assert True\n",
}
RECORD = """\
import os, pathlib
import pytest
@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session):
    names = sorted({item.nodeid.partition("::")[0] for item in session.items})
    with open("{log}", "a") as log:
        print(pathlib.Path.cwd().parent.name, *names, file=log)
"""


def _marked(case: dict[str, Any]) -> Any:
    return pytest.param(case, id=case["name"], marks=() if case["name"] in SAMPLE else (pytest.mark.soak,))


@pytest.mark.system
@pytest.mark.parametrize("case", [*map(_marked, CASES)])
def test_the_tests_that_run_are_those_asked_for(case: dict[str, Any], repository: RealRepository, tmp_path: Path):
    log = tmp_path / "log"
    files = {**FILES, "record.py": RECORD.replace("{log}", str(log)), **case.get("base_files", {})}
    if case.get("broken"):
        files["shop.py"] = "def total(prices):\n    return 7\n"
    repository.commit(files=files)
    repository.commit(files=case["head"])
    command = {"run": f"{sys.executable} -m pytest -p no:cacheprovider -p record tests", "kind": "test"}
    limits = {"timeoutSeconds": case["seconds"]} if "seconds" in case else {}
    result = run_on(repository, settings(command, tests=case["tests"], **limits))
    run = only(result)
    ran = [line.split() for line in log.read_text().splitlines()]
    head, base = ([names for side, *names in ran if side == one] for one in ("head", "base"))
    assert run.gating is case.get("gating", False), run.reason
    assert run.outcome is (Outcome.failed if run.gating or case.get("broken") else Outcome.passed)
    assert max(head, key=len) == case["ran"]
    assert max(base, key=len, default=[]) == case.get("base", []), run.reason
    left = [note.what for note in result.not_checked if note.why.startswith("tier1.tests")]
    assert [int(what.split()[0]) for what in left] == ([case["left"]] if "left" in case else [])
    assert case.get("why", "") in str(run.reason)


@pytest.mark.parametrize(
    ("line", "paths", "narrowed"),
    [
        ("pytest -q -n auto -m 'not slow' tests", ["tests/test_a.py", "other/test_b.py"],
         "pytest -p no:cacheprovider -q -n auto -m 'not slow' tests/test_a.py"),
        ("python -m pytest -x --cov-fail-under 90", ["tests/test_a.py"],
         "python -m pytest -p no:cacheprovider -x --cov-fail-under 90 tests/test_a.py"),
        ("pytest tests/test_a.py::test_x", ["tests/test_a.py"], None),
        ("pytest unit", ["tests/test_a.py"], None),
        ("go test -race -timeout 30s ./...", ["a/b_test.go", "c_test.go", "cart"],
         "go test -count=1 -race -timeout 30s ./a ./ ./cart"),
        ("go test ./tsdb/", ["a/b_test.go", "tsdb/x_test.go"], "go test -count=1 ./tsdb"),
        ("vitest run --coverage", ["src/a.test.ts"], "vitest run --coverage src/a.test.ts"),
        ("jest --ci src", ["src/a.test.ts", "lib/b.test.ts"], "jest --runTestsByPath --ci src/a.test.ts"),
        ("pytest $WHERE", ["tests/test_a.py"], None),
        ("cargo test", ["tests/a.rs"], None),
    ],
)  # fmt: skip
def test_a_command_is_narrowed_to_the_files_it_runs(line: str, paths: list[str], narrowed: str | None):
    task = Task("tests", ToolKind.test, line, "here")
    found = with_files(task, paths)
    assert (found.line if found is not None else None) == narrowed
    assert bool(files_of(task, [path for path in paths if "." in path])) is (narrowed is not None)
