"""Commands that `assay init` writes down, since discovery does not read their runners."""

from __future__ import annotations

import pytest

from assay.validators.configuration.model import ValidationConfig
from assay.validators.tools.discovery.discover import explain
from tests.validators.tools.trees import tree_of

JUST = """\
set shell := ["bash", "-c"]
name := "x"
default: test
test *args: build
    cargo nextest run {{args}}
build:
    cargo build
lint target:
    ./lint {{target}}
"""
TASKS = """\
version: "3"
tasks:
  test:
    deps: [build]
  build: go build ./...
  lint:
    cmds:
      - task: vet
"""
NOX = """\
@nox.session
def tests(session):
    session.run("pytest")
@nox.session
def docs(session):
    session.run("mypy", "docs")
"""


@pytest.mark.parametrize(
    ("files", "lines"),
    [
        ({"justfile": JUST}, ["just build", "just lint", "just test"]),
        ({"Taskfile.yml": TASKS}, ["task lint", "task test"]),
        ({"noxfile.py": NOX}, ["nox -s tests"]),
        ({"noxfile.py": NOX, "pytest.ini": ""}, []),
        ({"justfile": JUST, "go.mod": "module m\n"}, []),
        ({"justfile": "a" * 100_000 + "\n" + "test " * 100_000}, []),
    ],
)
def test_usual_names_are_proposed_for_kinds_that_have_no_command(files: dict[str, str], lines: list[str]):
    explained = explain(tree_of(files), ValidationConfig(), None)
    assert [task.line for task in explained.proposed] == lines


def test_a_configuration_that_names_commands_gets_none():
    config = ValidationConfig.model_validate({"tier1": {"commands": ["make x"]}})
    assert explain(tree_of({"justfile": JUST}), config, None).proposed == ()
