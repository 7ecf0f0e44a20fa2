"""The readers against tools that run here and now, in a project of the test's own."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

from assay.validators.io import process
from assay.validators.report.model import ToolKind
from assay.validators.tools.tool import Ran, Reading, Task
from tests.examples import sampled
from tests.validators.tools.projects import counted, listed, tool

BIN = Path(sys.executable).parent


def run(
    member: str, line: str, root: Path, *, asked: bool = True, directory: str = "."
) -> tuple[Reading, process.Completed]:
    """Run a command line as Tier 1 would, and read it."""
    reader = tool(member)
    scratch = root.parent / f"scratch-{member.replace(':', '-')}"
    scratch.mkdir(exist_ok=True)
    words = [*(reader.arguments(shlex.split(line), scratch) if asked else shlex.split(line))]
    path = os.pathsep.join([str(BIN), os.environ["PATH"]])
    variables = {**process.clean_environment({"PATH": path}), **(reader.environment(scratch) if asked else {})}
    done = process.run(words, cwd=root / directory, env=variables, timeout_s=120)
    task = Task(member, ToolKind.test, line, "a test", directory=directory)
    return reader.read(Ran(task, words, done, root, scratch)), done


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    files = {
        "shop.py": "import os\n\n\ndef total(prices: list[int]) -> int:\n    return str(sum(prices))\n",
        "tests/test_shop.py": """\
import pytest
from shop import total


@pytest.mark.parametrize("prices", [[], [1, 2]])
def test_total(prices):
    assert total(prices) == sum(prices)


def test_fine():
    pass


@pytest.mark.skip
def test_later():
    pass
""",
        "conftest.py": "",
        "unit_shop.py": """\
import unittest
import shop


class Shop(unittest.TestCase):
    def test_total(self):
        self.assertEqual(shop.total([]), 0)
""",
        "a.test.mjs": """\
import test from "node:test";
import assert from "node:assert";
test("adds", () => { assert.equal(1 + 1, 3); });
test("fine", () => {});
""",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    "line", sampled(["python -m pytest -p no:cacheprovider", "python -m pytest -qq --tb=no", "pytest -n 1 -rN"], 1)
)
def test_pytest_is_read_whatever_it_was_told_to_print(line: str, root: Path):
    reading, done = run("pytest", line, root)
    assert done.returncode == 1
    assert (reading.counts.passed, reading.counts.failed) == (1, 2)
    assert reading.looked
    where = ("tests/test_shop.py", 5 if "--tb=no" in line else 7, "test_failed")
    assert [(found.file, found.line, found.rule) for found in reading.findings] == [where, where]
    assert "assert '0' == 0" in reading.findings[0].message


@pytest.mark.soak
def test_asking_pytest_changes_neither_its_end_nor_what_it_says(root: Path):
    command = "python -m pytest -p no:cacheprovider --durations=0 --durations-min=0"
    _, asked = run("pytest", command, root)
    _, left_alone = run("pytest", command, root, asked=False)
    assert asked.returncode == left_alone.returncode == 1
    said = [line for line in asked.stdout.decode().splitlines() if "generated xml file" not in line]
    assert len(said) == len(left_alone.stdout.decode().splitlines())


@pytest.mark.soak
def test_pytest_is_heard_from_inside_another_runner(root: Path):
    (root / "Makefile").write_text("test:\n\t@python -m pytest -qq --tb=no -rN\n")
    reading, _ = run("command", "make test", root)
    # -rN leaves nothing to read in the output; the report was written all the same.
    assert (reading.counts.passed, reading.counts.failed) == (1, 2)
    assert {found.file for found in reading.findings} == {"tests/test_shop.py"}


@pytest.mark.soak
def test_pytest_in_a_folder_of_a_monorepo(root: Path):
    package = root / "packages" / "shop"
    package.mkdir(parents=True)
    for name in ("shop.py", "tests", "conftest.py"):
        (root / name).rename(package / name)
    reading, _ = run("pytest", "python -m pytest", root, directory="packages/shop")
    assert {found.file for found in reading.findings} == {"packages/shop/tests/test_shop.py"}


def test_unittest(root: Path):
    reading, _ = run("unittest", "python -m unittest unit_shop", root)
    assert counted(reading.counts) == "0 passed, 1 failed, 0 skipped, 0 errors"
    assert listed(reading) == ["unit_shop.py:7 error test_failed test_total: AssertionError: '0' != 0"]


def test_node_test(root: Path):
    reading, _ = run("node:test", "node --test", root)
    assert (reading.counts.passed, reading.counts.failed) == (1, 1)
    assert [(found.file, found.line) for found in reading.findings] == [("a.test.mjs", 3)]


def test_ruff(root: Path):
    reading, _ = run("ruff", "ruff check --isolated --no-cache --select F401 .", root)
    assert listed(reading) == ["shop.py:1 error F401 `os` imported but unused"]
    assert reading.findings[0].suggestion == "Remove unused import: `os`"
    reading, _ = run("ruff", "ruff format --check --isolated --no-cache .", root)
    assert reading.looked
    (root / "shop.py").write_text("x  = 1\n")
    reading, _ = run("ruff", "ruff format --check --isolated --no-cache .", root)
    assert [(found.file, found.rule) for found in reading.findings] == [("shop.py", "format")]


@pytest.mark.soak
def test_mypy_and_black(root: Path):
    reading, _ = run("mypy", "mypy --no-incremental shop.py", root)
    assert [(found.file, found.line, found.rule) for found in reading.findings] == [("shop.py", 5, "return-value")]
    (root / "shop.py").write_text("x  = 1\n")
    reading, _ = run("black", "black --check shop.py", root)
    assert [(found.file, found.rule) for found in reading.findings] == [("shop.py", "format")]
