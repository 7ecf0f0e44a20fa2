"""What is left out where a repository has more commands than are run."""

from __future__ import annotations

import json

import pytest

from assay.validators.configuration.model import ValidationConfig
from assay.validators.report.model import ToolKind
from assay.validators.tools.discovery.discover import MOST_TASKS, survey
from assay.validators.tools.discovery.found_commands.dedupe import distinct
from assay.validators.tools.tool import Task
from tests.validators.tools.trees import tree_of


def test_tests_are_the_last_that_the_limit_leaves_out():
    steps = "\n".join(f"      - run: ruff check part{number}" for number in range(MOST_TASKS + 6))
    workflow = f"on: pull_request\njobs:\n  ci:\n    steps:\n{steps}\n      - run: pytest\n"
    found = survey(tree_of({".github/workflows/ci.yml": workflow, "pyproject.toml": "[project]\n"}), ValidationConfig())
    assert [task.line for task in found.tasks][-2:] == [f"ruff check part{MOST_TASKS - 2}", "pytest"]
    over = [one.line for one in found.left_out if one.why == f"over the limit of {MOST_TASKS} commands"]
    assert over == [f"ruff check part{number}" for number in range(MOST_TASKS - 1, MOST_TASKS + 6)]


@pytest.mark.cpu(20)
@pytest.mark.parametrize(
    "files",
    [
        {"Makefile": "test: " + " ".join(f"a{number}" for number in range(30_000)) + "\n\tpytest\n"},
        {"Makefile": "test:\n" + "\tmake x\n" * 19_000 + "%: a-%\n\tpytest\n"},
        {"Makefile": "include " + " " * 500_000 + "!\n"},
        {"package.json": json.dumps({"scripts": {"test": "(" * 2000 + "(cd a)" * 500}})},
        {"package.json": json.dumps({"scripts": {"test": "(a" * 5000}})},
        {"package.json": '{"scripts": {"test": "sh run.sh"}}', "run.sh": "\n" * 40_000},
    ],
    ids=["needs", "calls", "include", "brackets", "depth", "lines"],
)
def test_large_and_odd_files_are_read_in_time(files: dict[str, str]):
    assert len(survey(tree_of(files), ValidationConfig()).tasks) <= 2


@pytest.mark.cpu(10)
def test_long_lines_of_compilers_are_compared_in_time():
    lines = ("tsc -p a", *["tsc " * 4900 + "x"] * 8)
    kept, _ = distinct([Task("tsc", ToolKind.types, line, f"{number}.yml:1 run") for number, line in enumerate(lines)])
    assert [task.line for task in kept] == ["tsc -p a"]


def test_a_folder_can_be_called_anything():
    files = {"package.json": json.dumps({"scripts": {"test": "bash 'a\\1/run.sh'"}}), "a\\1/run.sh": "pytest\n"}
    assert [task.line for task in survey(tree_of(files), ValidationConfig()).tasks] == ["npm test"]
