"""Which command is which tool's, and what is added to it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from assay.validators.tools.readers.register import MEMBERS
from tests.validators.tools.projects import tool

LINES = {
    "pytest": """
        pytest
        pytest -x tests/unit
        py.test
        python -m pytest -q
        python3.12 -W error -m pytest
        .venv/bin/pytest
        /usr/local/bin/python3 -m pytest
        uv run pytest
        uv run --extra dev python -m pytest
        poetry run pytest
        hatch run pytest
        coverage run -m pytest
        env CI=1 pytest
        timeout 60 pytest
    """,
    "unittest": """
        python -m unittest
        python -m unittest discover -s tests
        coverage run -m unittest
    """,
    "jest": """
        jest
        npx jest --ci
        yarn jest
        pnpm exec jest
        pnpm jest
        npm exec jest
        node --experimental-vm-modules node_modules/.bin/jest
        node node_modules/jest/bin/jest.js --runInBand
        cross-env NODE_ENV=test jest
        ./node_modules/.bin/jest
    """,
    "vitest": """
        vitest run
        npx vitest
        bunx vitest run
        node node_modules/vitest/vitest.mjs run
    """,
    "mocha": """
        mocha
        npx mocha --recursive
    """,
    "node:test": """
        node --test
        node --test test/
        node --import tsx --test test/a.test.ts
        c8 node --test
        c8 --reporter html borp
    """,
    "bun": """
        bun test
        bun test --coverage ./packages
        bun --silent test
    """,
    "ruff": """
        ruff check .
        ruff format --check src
        uvx ruff check
        python -m ruff check
    """,
    "black": """
        black --check .
        python -m black --check --diff src
    """,
    "eslint": """
        eslint .
        npx eslint src --max-warnings 0
        node node_modules/eslint/bin/eslint.js src
    """,
    "prettier": """
        prettier --check .
        npx prettier -l src
    """,
    "mypy": """
        mypy
        mypy --strict src
        uv run mypy src
        python -m mypy -p shop
    """,
    "pyright": """
        pyright
        npx pyright src
        basedpyright
    """,
    "tsc": """
        tsc --noEmit
        npx tsc -p .
        yarn tsc
        vue-tsc --noEmit
    """,
    "cargo": """
        cargo test
        cargo +nightly fmt --check
        cargo --locked build --release
        cargo clippy --all-targets -- -D warnings
        cargo nextest run
    """,
    "go": """
        go test ./...
        go vet ./...
        go build ./...
        gotestsum -- ./...
    """,
    "command": """
        make check
        npm test
        tox
        ruff server
        cargo run
        node server.js
        go run .
        ./scripts/test.sh
        python manage.py test
    """,
}


@pytest.mark.parametrize(
    ("name", "line"), [(name, line.strip()) for name, lines in LINES.items() for line in lines.strip().splitlines()]
)
def test_a_command_line_belongs_to_its_tool(name: str, line: str):
    assert next(member.name for member in MEMBERS if member.recognises(shlex.split(line))) == name


def test_every_tool_has_a_line_here():
    assert {member.name for member in MEMBERS} == set(LINES)


def test_pytest_is_asked_by_a_variable_so_that_it_is_heard_from_inside_another_runner(tmp_path: Path):
    scratch = tmp_path / "it's a folder"
    scratch.mkdir()
    for member in (tool("pytest"), MEMBERS[-1]):
        asked = member.environment(scratch)["PYTEST_ADDOPTS"]
        assert shlex.split(asked) == [f"--junitxml={scratch}/pytest.xml", "-o", "junit_family=xunit1"]
    assert list(tool("pytest").arguments(["pytest", "-x"], scratch))[2:] == shlex.split(asked)


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("go test ./...", "go test -json ./..."),
        ("nice go test -run X", "nice go test -json -run X"),
        ("go test -json ./...", "go test -json ./..."),
        ("go vet ./...", "go vet ./..."),
        ("gotestsum ./...", "gotestsum ./..."),
    ],
)
def test_go_is_asked_to_name_every_test(line: str, asked: str, tmp_path: Path):
    assert shlex.join(tool("go").arguments(shlex.split(line), tmp_path)) == asked


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("bun test -t x", "bun test --reporter=junit --reporter-outfile={}/bun.xml -t x"),
        ("bun --cwd test test", "bun --cwd test test --reporter=junit --reporter-outfile={}/bun.xml"),
        ("bun test --reporter=dots", "bun test --reporter=dots"),
    ],
)
def test_bun_is_asked_for_a_report_unless_the_project_chose_one(line: str, asked: str, tmp_path: Path):
    assert shlex.join(tool("bun").arguments(shlex.split(line), tmp_path)) == asked.format(tmp_path)


def test_only_test_runners_are_asked_for_anything(tmp_path: Path):
    """All others speak clearly as they are: an option their version does not know would break the run."""
    asked = {
        member.name
        for member in MEMBERS[:-1]
        if member.environment(tmp_path)
        or list(member.arguments([member.name, "test"], tmp_path)) != [member.name, "test"]
    }
    assert asked == {"pytest", "unittest", "jest", "vitest", "mocha", "bun", "cargo", "go"}
