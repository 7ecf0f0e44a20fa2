from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.validators.tools.runners import num_runner_words, program, started


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("pytest -x", "pytest -x"),
        ("uv run pytest -x", "pytest -x"),
        ("uv run --locked --group dev --with x tox run", "tox run"),
        ("uv run -m pytest", "pytest"),
        ("uv run -- pytest", "pytest"),
        ("poetry run python -m mypy src", "mypy src"),
        ("python -W error -m pytest", "pytest"),
        ("python3.12 -m pytest tests", "pytest tests"),
        ("python -m coverage run -p -m pytest -q", "pytest -q"),
        ("coverage run --source src -m unittest", "unittest"),
        ("uv run coverage run --debug config -m pytest", "pytest"),
        ("c8 -r text mocha --recursive", "mocha --recursive"),
        ("nyc --reporter=lcov --lines 90 mocha", "mocha"),
        ("nyc report --reporter=lcov", "nyc report --reporter=lcov"),
        ("npx --no-install eslint .", "eslint ."),
        ("npx -p typescript tsc --noEmit", "tsc --noEmit"),
        ("pnpm exec vitest run", "vitest run"),
        ("cross-env CI=1 NODE_ENV=test jest", "jest"),
        ("env -u X A=b make test", "make test"),
        ("timeout 30 npm test", "npm test"),
        ("bundle exec rspec", "rspec"),
        ("./node_modules/.bin/tsc --noEmit", "tsc --noEmit"),
        (".venv/bin/pytest -q", "pytest -q"),
        ("${PREFIX}ruff check", "ruff check"),
        ("python script.py", "python script.py"),
        ("python -c pass", "python -c pass"),
        ("coverage report", "coverage report"),
        ("uv run", "uv run"),
    ],
)
def test_runners_are_taken_off(line: str, command: str):
    words = line.split()
    assert started(words) == command.split()
    assert num_runner_words(words) + len(command.split()) == len(words)


def test_a_script_of_the_repository_keeps_its_folder():
    assert program("scripts/pytest") == "scripts/pytest"


@given(
    st.lists(
        st.sampled_from("uv run -m -- --with x python env A=b timeout 3 npx -p $ / .venv/bin/ ".split(" ")), max_size=60
    )
)
def test_no_words_make_it_trip_or_slow(words: list[str]):
    began = time.process_time()
    assert 0 <= num_runner_words(words) <= len(words)
    started(words)
    assert time.process_time() - began < 1
