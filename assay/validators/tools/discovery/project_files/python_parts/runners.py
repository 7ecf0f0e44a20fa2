"""Commands of tox, nox, hatch, pdm, poe and Pipenv, to be run without these runners.

These runners create a separate environment for each Python. A tree already has its environment, so only their
commands are used, without what only the runner can fill in (`{posargs}`).
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import strings, table, text_of, toml_of
from assay.validators.report.model import ToolKind
from assay.validators.tools.commands.command_kinds import known_tool_of
from assay.validators.tools.commands.command_line import commands_of, joined
from assay.validators.tools.discovery.project_files.named_scripts import chosen_scripts
from assay.validators.tools.discovery.project_files.python_parts.tox import filled_in, is_check, tox_environments
from assay.validators.tools.runners import started
from assay.validators.tools.tool import Task

_SCRIPT_RUNNERS = frozenset("hatch pdm pipenv poe task".split())


MOST_WORDS = 100
"""Maximum words of a command in a noxfile; lists repeat in each."""
MOST_RUNS = 50
"""Maximum commands of a nox session."""


@dataclass(frozen=True, slots=True)
class Script:
    """A named set of a runner's command lines: `found_in` for display, `directory` relative to the project."""

    runner: str
    name: str
    lines: tuple[str, ...]
    found_in: str
    directory: str = "."


def runner_tasks(tree: SourceTree) -> Iterator[Task]:
    """Return a task for each command line whose tool is known."""
    scripts = all_scripts(tree)
    named = [script for script in scripts if script.runner not in ("tox", "nox")]
    chosen = {name for name, _ in chosen_scripts([script.name for script in named])}
    for script in scripts:
        if script.runner in ("tox", "nox") or script.name in chosen:
            for line in script.lines:
                for words in commands_of(line):
                    known = known_tool_of(words)
                    if known and known.kind is not ToolKind.build:
                        yield Task(known.tool, known.kind, joined(words), script.found_in, script.directory)


def unfolded(tree: SourceTree, words: Sequence[str]) -> list[str] | None:
    """Return the commands behind `tox -e lint`, `nox -s tests`, `hatch run test`, `poe test`; None for other words."""
    rest = started(words)
    runner, name = (rest[0], rest[-1]) if rest else ("", "")
    if runner in ("tox", "nox"):
        named = _after(rest, ("-e", "-s", "--session", "--env"))
        scripts = [script for script in all_scripts(tree) if script.runner == runner]
        wanted = [script for script in scripts if not named or script.name in named.split(",")] or scripts
        return [line for script in wanted for line in script.lines] or None
    if words[:2] in (["hatch", "run"], ["pdm", "run"], ["pipenv", "run"]):
        runner, name = words[0], runner.rpartition(":")[2]
    for script in all_scripts(tree) if runner in _SCRIPT_RUNNERS else []:
        if script.runner == runner and script.name == name:
            return list(script.lines)
    return None


def all_scripts(tree: SourceTree) -> list[Script]:
    """Return every script of every runner, in the order of their files."""
    pyproject = toml_of(tree, "pyproject.toml")
    tool = table(pyproject, "tool")
    return [
        *_tox(tree),
        *_nox(text_of(tree, "noxfile.py")),
        *_hatch(pyproject),
        *_plain_scripts("pdm", table(tool, "pdm", "scripts"), "pyproject.toml [tool.pdm.scripts]"),
        *_plain_scripts("poe", table(tool, "poe", "tasks"), "pyproject.toml [tool.poe.tasks]"),
        *_plain_scripts("task", table(tool, "taskipy", "tasks"), "pyproject.toml [tool.taskipy]"),
        *_plain_scripts("pipenv", table(toml_of(tree, "Pipfile"), "scripts"), "Pipfile [scripts]"),
    ]


def _tox(tree: SourceTree) -> Iterator[Script]:
    for environment in tox_environments(tree):
        if environment.commands:
            yield Script("tox", environment.name, environment.commands, environment.found_in, environment.directory)


def _nox(source: str) -> Iterator[Script]:
    """Return the sessions of a noxfile, read without running it: `session.run` calls with constant strings."""
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lists: dict[str, list[ast.expr]] = {}
    for function in tree.body:
        lists |= _bound_lists(function)
        if isinstance(function, ast.FunctionDef) and is_check(function.name):
            lines = _cleaned(islice(_runs(function.body, dict(lists)), MOST_RUNS))
            if lines:
                yield Script("nox", function.name, lines, f"noxfile.py:{function.lineno} {function.name}")


def _runs(statements: Iterable[ast.stmt], lists: dict[str, list[ast.expr]]) -> Iterator[str]:
    """Yield the command lines of `session.run` calls in order; of an `if`, those of one branch.

    `lists` are the lists that were bound to a name so far.
    """
    for node in statements:
        if isinstance(node, ast.If):
            yield from next((lines for branch in _branches(node) if (lines := list(_runs(branch, lists)))), ())
        elif isinstance(node, (ast.With, ast.For, ast.While, ast.Try)):
            yield from _runs((*node.body, *getattr(node, "orelse", ()), *getattr(node, "finalbody", ())), lists)
        elif bound := _bound_lists(node):
            lists |= bound
        else:
            yield from (line for call in ast.walk(node) if (line := _session_run(call, lists)))


def _bound_lists(node: ast.stmt) -> dict[str, list[ast.expr]]:
    if not isinstance(node, ast.Assign) or not isinstance(node.value, (ast.List, ast.Tuple)):
        return {}
    return {target.id: node.value.elts[:MOST_WORDS] for target in node.targets if isinstance(target, ast.Name)}


def _branches(node: ast.If) -> Iterator[list[ast.stmt]]:
    """Yield the branches of an `if`, that for a run without arguments first.

    It is a loop, since a chain of `elif` can be as long as the parser allows.
    """
    branches = [node.body]
    has_arguments = not isinstance(node.test, ast.UnaryOp) and any(
        isinstance(inner, ast.Attribute) and inner.attr == "posargs" for inner in ast.walk(node.test)
    )
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
        branches.append(node.body)
    branches.append(node.orelse)
    yield from (*branches[1:], branches[0]) if has_arguments else branches


def _session_run(node: ast.AST, lists: Mapping[str, Sequence[ast.expr]]) -> str:
    """Return the constant words of a `session.run`; "" if its program is not among them."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return ""
    target = node.func.value
    if node.func.attr != "run" or not isinstance(target, ast.Name) or target.id not in ("session", "s"):
        return ""
    given: list[ast.expr] = []
    for word in node.args[:MOST_WORDS]:
        starred = word.value if isinstance(word, ast.Starred) else None
        if isinstance(starred, ast.BoolOp) and isinstance(starred.values[-1], (ast.List, ast.Tuple)):
            given += starred.values[-1].elts[:MOST_WORDS]  # `session.posargs or ["tests"]`
            continue
        given += lists.get(starred.id, [word]) if isinstance(starred, ast.Name) else [word]
    if not given or not isinstance(given[0], ast.Constant):
        return ""
    words = [word.value for word in given if isinstance(word, ast.Constant) and isinstance(word.value, str)]
    return joined(words[:MOST_WORDS])


def _hatch(pyproject: Mapping[str, Any]) -> Iterator[Script]:
    for environment, values in table(pyproject, "tool", "hatch", "envs").items():
        if isinstance(values, Mapping) and is_check(environment):
            where = f"pyproject.toml [tool.hatch.envs.{environment}.scripts]"
            yield from _plain_scripts("hatch", table(values, "scripts"), where)


def _plain_scripts(runner: str, scripts: Mapping[str, Any], where: str) -> Iterator[Script]:
    for name, value in scripts.items():
        body = value
        if isinstance(value, Mapping):
            body = value.get("cmd", value.get("shell", value.get("composite", value.get("sequence"))))
        lines = _cleaned(strings(body))
        if lines:
            yield Script(runner, name, lines, where)


def _cleaned(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(line for raw in lines if (line := filled_in(raw.strip().lstrip("-"))) and not line.startswith("#"))


def _after(words: Sequence[str], options: Sequence[str]) -> str:
    return next((words[index + 1] for index, word in enumerate(words[:-1]) if word in options), "")
