"""Words that only start another command: `uv run`, `npx`, `bundle exec`, `coverage run -m`, an environment's folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

MOST_RUNNERS = 5
"""Maximum nested runners: `uv run coverage run -m pytest` has two."""


@dataclass(frozen=True, slots=True)
class _Runner:
    """The words that start a runner, its options that take a value, and what else precedes the command.

    `own` are its subcommands, which start no other command.
    """

    words: str
    valued: str = ""
    needs_module: bool = False
    takes_assignments: bool = False
    takes_one_word: bool = False
    own: str = ""


_UV = "--with --with-editable --with-requirements --extra --group --only-group --no-group --env-file --python -p"
_UV += " --package --directory --project --from --index --index-url --constraint -c"
_COVERAGE = "--source --omit --include --rcfile --data-file --context --concurrency --debug --save-signal"
_ISTANBUL = "-r --reporter -n --include -x --exclude -e --extension -o --reports-dir --report-dir -t --temp-dir"
_ISTANBUL += " --temp-directory --src --cwd -i --require --branches --functions --lines --statements"
_OF_ISTANBUL = "report check-coverage merge instrument"
_WITHOUT_OPTIONS = (
    *("pipenv run", "rye run", "hatch run", "pnpx", "bunx", "bun x", "pnpm exec", "pnpm dlx", "yarn exec", "yarn dlx"),
    *("bundle exec", "composer exec", "time", "exec", "command"),
)
_RUNNERS = (
    _Runner("uv run", _UV),
    _Runner("uv tool run", _UV),
    _Runner("uvx", _UV),
    _Runner("pipx run", "--spec --python"),
    _Runner("poetry run", "-C --directory -P --project"),
    _Runner("pdm run", "-p --project"),
    _Runner("npx", "-p --package -w --workspace"),
    _Runner("npm exec", "-p --package -w --workspace"),
    _Runner("npm x", "-p --package -w --workspace"),
    _Runner("coverage run", _COVERAGE, needs_module=True),
    _Runner("c8", _ISTANBUL, own=_OF_ISTANBUL),
    _Runner("nyc", _ISTANBUL, own=_OF_ISTANBUL),
    _Runner("stdbuf", "-i -o -e"),
    _Runner("env", "-u -C", takes_assignments=True),
    _Runner("cross-env", takes_assignments=True),
    _Runner("cross-env-shell", takes_assignments=True),
    _Runner("dotenv", "-e -c", takes_assignments=True),
    _Runner("nice", "-n"),
    _Runner("xvfb-run", "-n -s -e"),
    _Runner("timeout", "-k -s", takes_one_word=True),
    *map(_Runner, _WITHOUT_OPTIONS),
    *(_Runner(python, "-W -X", needs_module=True) for python in ("python", "python3", "py")),
)
_ENVIRONMENT_FOLDER = re.compile(
    r"(?:\$\{?PREFIX\}?|(?:\.\./){0,9}node_modules/\.bin/|vendor/bin/|(?:\.?venv|env|virtualenv|\.tox/[^/]{1,99})/bin/"
    r"|bin/(?=(?:rails|rspec|rubocop|rake|phpunit)$))"
)
_PROGRAM_OF_NODE = re.compile(
    r"(?:\.\./){0,9}(?:node_modules/(?:\.bin/|[^/]+/bin/)|bin/)(_?mocha|jest|eslint|prettier|tsc)(?:\.[cm]?js)?"
)
"""File of a tool that `node` is given, such as `node_modules/jest/bin/jest.js`."""
_OF_FILES = {"php": _Runner("php", "-d -c"), "node": _Runner("node", "-r --require --import --loader -C --conditions")}
"""Interpreters that are given the file of a tool."""
_PYTHON = re.compile(r"python3?\.\d+")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


def num_runner_words(words: Sequence[str]) -> int:
    """Return how many leading words only start the command that follows; 0 where they are the command itself."""
    num = 0
    for _ in range(MOST_RUNNERS):
        length = _length_of_runner(words[num:])
        if not length or num + length >= len(words):
            break
        num += length
    return num


def started(words: Sequence[str]) -> list[str]:
    """Return the command without runners and without the environment folder its program is in."""
    rest = list(words[num_runner_words(words) :])
    if rest:
        rest[0] = program(rest[0])
    return rest


def program(word: str) -> str:
    """Remove the environment folder in front of a program's name: `.venv/bin/pytest` -> `pytest`."""
    of_node = _PROGRAM_OF_NODE.fullmatch(word.removeprefix("./"))
    if of_node:
        return of_node[1]
    return _ENVIRONMENT_FOLDER.sub("", word.removeprefix("./"), count=1) if "/" in word or "$" in word else word


def _length_of_runner(words: Sequence[str]) -> int:
    """Return how many words the leading runner takes, including its options; 0 where there is none."""
    if not words:
        return 0
    first = program(words[0])
    if first in _OF_FILES:  # of `php artisan test` the file is the tool
        length = _length_with_options(_OF_FILES[first], words, 1)
        return length if words[length:] and program(words[length]) != words[length] else 0
    called = ["python" if _PYTHON.fullmatch(first) else first, *words[1:3]]
    for runner in _RUNNERS:
        name = runner.words.split()
        if called[: len(name)] == name:
            return _length_with_options(runner, words, len(name))
    return 0


def _length_with_options(runner: _Runner, words: Sequence[str], index: int) -> int:
    valued = runner.valued.split()
    while index < len(words):
        word = words[index]
        if word == "-m" or (word == "--" and not runner.needs_module):
            return index + 1
        if word in valued:
            index += 2
        elif (word.startswith("-") and word != "-c") or (runner.takes_assignments and _ASSIGNMENT.match(word)):
            index += 1
        else:
            break
    is_own = words[index : index + 1] and words[index] in runner.own.split()
    return 0 if runner.needs_module or is_own else index + runner.takes_one_word
