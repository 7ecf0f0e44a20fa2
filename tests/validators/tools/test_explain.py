from __future__ import annotations

import json

from assay.validators.configuration.model import ValidationConfig
from assay.validators.report.model import Gate
from assay.validators.tools.discovery.discover import explain, survey
from tests.validators.tools.trees import tree_of

TREE = tree_of(
    {
        "package.json": """{"scripts": {"test": "vitest run", "lint": "./hack/lint"},
                            "devDependencies": {"vitest": "3"}}""",
        "package-lock.json": "{}",
        ".github/workflows/ci.yml": "on: push\njobs: {a: {steps: [{run: npm test}]}}\n",
    }
)


def test_an_explanation_has_commands_readers_gates_setup_and_what_was_left_out():
    told = explain(TREE, ValidationConfig())
    assert [(row.task.line, row.tool, row.gate) for row in told.tasks] == [
        ("npm run lint", "command", Gate.regression_only),
        ("npm test", "vitest", Gate.regression_only),
    ]
    assert [(step.line.split()[:2], step.found_in) for step in told.setup] == [(["npm", "ci"], "package-lock.json")]
    assert [(one.line, one.why) for one in told.left_out] == [
        ("npm test", "the same is done by `npm test` (package.json scripts.test)")
    ]


def test_a_linter_does_not_read_the_tests_that_another_tool_of_the_command_runs():
    scripts = '{"scripts": {"test": "eslint && ./run-all && deno-like"}}'
    (row,) = explain(tree_of({"package.json": scripts}), ValidationConfig()).tasks
    assert (row.task.line, row.tool) == ("npm test", "command")


def test_commands_of_the_configuration_come_first_and_alone():
    config = ValidationConfig.model_validate(
        {
            "tier1": {
                "commands": ["pytest -q", {"run": "make all", "gate": "strict", "kind": "build"}],
                "setup": ["./up"],
            }
        }
    )
    told = explain(TREE, config)
    assert [(row.task.line, row.task.found_in, row.tool, row.gate) for row in told.tasks] == [
        ("pytest -q", "tier1.commands[0]", "pytest", Gate.regression_only),
        ("make all", "tier1.commands[1]", "command", Gate.strict),
    ]
    assert [(step.line, step.found_in) for step in told.setup] == [("./up", "tier1.setup[0]")]
    assert survey(TREE, config).tasks == tuple(row.task for row in told.tasks)


def test_no_commands_in_the_configuration_mean_none():
    assert survey(TREE, ValidationConfig.model_validate({"tier1": {"commands": []}})).tasks == ()


def test_setup_none_makes_nothing_ready():
    assert explain(TREE, ValidationConfig.model_validate({"tier1": {"setup": "none"}})).setup == ()


def test_hostile_settings_files_explain_to_nothing():
    deep = "[" * 100_000
    tree = tree_of(
        {
            "package.json": deep,
            "pyproject.toml": "a." * 100_000 + "b = 1",
            "setup.cfg": "value without a section",
            "tox.ini": "[testenv\ncommands",
            "noxfile.py": "def (",
            "Taskfile.yml": "&a [*a, *a]",
            ".github/workflows/x.yml": "on: push\njobs: [" + "{" * 5000,
            ".pre-commit-config.yaml": "repos: {a: [}",
            "Makefile": "test:\n\t$(test) $(X)\nX = $(X)$(X)$(X)$(X)\n",
            "composer.json": '{"scripts": {"test": {"a": [1]}}}',
            "Cargo.toml": b"\xff\xfe",
            "justfile": "test" * 20_000,
        }
    )
    told = explain(tree, ValidationConfig())
    assert all(row.task.found_in for row in told.tasks)


def test_services_beside_a_test_step_are_kept_with_it():
    job = {"services": {"db": {"image": "postgres"}, "a b": {}}, "steps": [{"run": "pytest"}, {"run": "ruff check ."}]}
    tree = tree_of({".github/workflows/ci.yml": json.dumps({"on": "push", "jobs": {"a": job}})})
    told = {task.line: task.services for task in survey(tree, ValidationConfig()).tasks}
    assert told == {"pytest": ("db",), "ruff check .": ()}
