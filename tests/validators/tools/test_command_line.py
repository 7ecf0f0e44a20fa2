from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.validators.tools.commands.command_line import argv_of, commands_of, joined, needs_shell, words_of


@pytest.mark.parametrize(
    "line",
    [
        "npm test",
        "pytest -k 'a or (b)'",
        'pytest -k "not slow and (a or b)"',
        r"echo a\ b",
        "python -m pytest tests/unit",
        "jest --testPathPattern 'src/.*'",
    ],
)
def test_a_plain_line_is_split_as_a_shell_would(line: str):
    assert not needs_shell(line)
    done = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True)
    assert argv_of(line) == done.stdout.decode().split("\0")[:-1]


@pytest.mark.parametrize(
    "line",
    [
        "npm test && npm run lint",
        "pytest | tee log",
        "FOO=1 pytest",
        "pytest tests/*.py",
        'echo "$HOME"',
        "echo `date`",
        "echo $HOME",
        "cd web; npm test",
        "(cd web && npm test)",
        "pytest > log",
        "ls ~/x",
        "echo {a,b}",
        "! grep x y",
        "pytest \\\n -x",
        "echo 'unbalanced",
    ],
)
def test_a_line_only_a_shell_understands_goes_through_bash_with_pipefail(line: str):
    assert needs_shell(line)
    assert argv_of(line) == ["bash", "-o", "pipefail", "-c", line]


@pytest.mark.parametrize(
    ("script", "commands"),
    [
        ("npm test", [["npm", "test"]]),
        ("a && b || c; d | e & f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("FOO=1 BAR='x y' pytest -q", [["pytest", "-q"]]),
        ("x > /dev/null 2>&1 && y &> log", [["x"], ["y"]]),
        ("(cd web && npm test)", [["cd", "web"], ["npm", "test"]]),
        ("pytest # the tests\nruff check", [["pytest"], ["ruff", "check"]]),
        ("pytest \\\n  -x", [["pytest", "-x"]]),
        ("if [ -z $X ]; then\n  make test\nfi", [["[", "-z", "$X", "]"], ["make", "test"]]),
        ("VERSION=$(git describe | head -1)\npytest", [["pytest"]]),
        ("echo \"a; b\" 'c && d'", [["echo", "a; b", "c && d"]]),
        ("for f in a b; do echo $f; done", [["f", "in", "a", "b"], ["echo", "$f"]]),
        ("! grep x y", [["grep", "x", "y"]]),
        ("pytest --cov=src#x", [["pytest", "--cov=src#x"]]),
        ("echo 'unbalanced", []),
        ("", []),
    ],
)
def test_the_plain_commands_of_a_script_are_found(script: str, commands: list[list[str]]):
    assert commands_of(script) == commands


def test_words_are_only_given_for_one_plain_command():
    assert words_of("CI=1 pytest -q") == ["pytest", "-q"]
    assert words_of("a && b") == []


def test_nothing_is_recognised_in_an_endless_line():
    assert commands_of("pytest " + "x" * 30_000) == []


@given(st.text(max_size=200))
def test_no_text_makes_reading_trip(text: str):
    needs_shell(text)
    for words in commands_of(text):
        assert words


@given(st.lists(st.text(min_size=1, max_size=20).filter(lambda word: "\0" not in word), min_size=1, max_size=6))
def test_joined_words_split_into_themselves(words: list[str]):
    assert shlex.split(joined(words)) == words
