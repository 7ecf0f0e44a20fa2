from __future__ import annotations

import pytest

from assay.validators.tools.commands.safe_commands import checking, damage, installs, is_trivial, only_talks

HARM = """
publishes          | npm publish
publishes          | ./gradlew publish
publishes          | uv publish
releases           | npx semantic-release
deploys            | docker push me/app
deploys            | terraform apply
writes to git      | git push --tags
changes the machine| sudo apt-get install x
removes files      | rm -rf /
removes files      | rimraf ../dist
waits for changes  | jest --watch
waits for changes  | tsc -w
waits for changes  | nodemon server.js
serves             | vite
serves             | next dev
serves             | python manage.py runserver
rewrites snapshots | jest -u
rewrites snapshots | vitest run --update
talks to a service | curl https://example.org
"""


@pytest.mark.parametrize("row", HARM.strip().splitlines())
def test_what_does_damage_is_told_by_what_it_does(row: str):
    what, line = (part.strip() for part in row.split("|"))
    assert damage(line.split()) == what


@pytest.mark.parametrize(
    "line",
    [
        "jest -w 4",
        "vite build",
        "rm -rf dist",
        "git diff --exit-code",
        "npm test",
        "yarn test",
        "subtest",
        "next build",
        "black .",
    ],
)
def test_what_only_checks_does_no_damage(line: str):
    assert damage(line.split()) is None


@pytest.mark.parametrize(
    "line",
    [
        "pip install -e .",
        "python -m pip install x",
        "npm ci",
        "yarn",
        "uv sync --frozen",
        "poetry install",
        "python -m venv .venv",
        "bundle install",
        "go mod download",
        "playwright install",
        "husky",
    ],
)
def test_setting_something_up_is_known(line: str):
    assert installs(line.split())


@pytest.mark.parametrize(
    "line", ["npm test", "yarn test", "venv/bin/python -m build", "pytest", "cargo test", "uv run pytest"]
)
def test_checking_sets_nothing_up(line: str):
    assert not installs(line.split())


@pytest.mark.parametrize(
    ("line", "checks"),
    [
        ("npx prettier --write .", "npx prettier --check ."),
        ("prettier -w src", "prettier --check src"),
        ("prettier --check .", "prettier --check ."),
        ("prettier -l .", "prettier -l ."),
        ("black src", "black --check src"),
        ("black --diff src", "black --diff src"),
        ("uv run ruff format", "uv run ruff format --check"),
        ("ruff check --fix .", "ruff check ."),
        ("eslint . --fix", "eslint ."),
        ("isort .", "isort --check-only ."),
        ("cargo fmt --all", "cargo fmt --check --all"),
        ("rubocop -a", "rubocop"),
        ("biome check --write .", "biome check ."),
        ("dprint fmt", "dprint check"),
        ("pytest -q", "pytest -q"),
    ],
)
def test_a_formatter_that_writes_becomes_one_that_checks(line: str, checks: str):
    assert checking(line.split()) == checks.split()


def test_talk_and_small_help_are_told_from_work():
    assert only_talks(["echo", "hi"])
    assert not only_talks(["grep", "x"])
    assert is_trivial(["mkdir", "-p", "x"])
    assert is_trivial(["coverage", "report"])
    assert not is_trivial(["coverage", "run", "x.py"])
    assert not is_trivial(["pytest"])
