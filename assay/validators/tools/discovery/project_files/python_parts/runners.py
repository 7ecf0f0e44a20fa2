"""Commands of tox, hatch, pdm, poe and Pipenv, to be run without these runners.

These runners create a separate environment for each Python. A tree already has its environment, so only their
commands are used, without what only the runner can fill in (`{posargs}`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import strings, table, toml_of
from assay.validators.report.model import ToolKind
from assay.validators.tools.commands.command_kinds import known_tool_of
from assay.validators.tools.commands.command_line import commands_of, joined
from assay.validators.tools.discovery.project_files.named_scripts import chosen_scripts
from assay.validators.tools.discovery.project_files.python_parts.tox import filled_in, is_check, tox_environments
from assay.validators.tools.runners import started
from assay.validators.tools.tool import Task

_SCRIPT_RUNNERS = frozenset("hatch pdm pipenv poe task".split())


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
    named = [script for script in scripts if script.runner != "tox"]
    chosen = {name for name, _ in chosen_scripts([script.name for script in named])}
    for script in scripts:
        if script.runner == "tox" or script.name in chosen:
            for line in script.lines:
                for words in commands_of(line):
                    known = known_tool_of(words)
                    if known and known.kind is not ToolKind.build:
                        yield Task(known.tool, known.kind, joined(words), script.found_in, script.directory)


def unfolded(tree: SourceTree, words: Sequence[str]) -> list[str] | None:
    """Return the commands behind `tox -e lint`, `hatch run test`, `poe test`; None for other words."""
    rest = started(words)
    runner, name = (rest[0], rest[-1]) if rest else ("", "")
    if runner == "tox":
        named = _after(rest, ("-e", "--env"))
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
