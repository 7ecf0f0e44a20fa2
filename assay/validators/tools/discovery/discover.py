"""Selection of Tier 1's commands: those in the configuration, else those the project checks itself with.

Reads files and runs nothing. `explain` is the output of `assay validate --explain-tools`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from assay.validators.changes.change import ChangeSet, SourceTree
from assay.validators.configuration.model import Command, ValidationConfig
from assay.validators.report.model import Gate, ToolKind
from assay.validators.tools.commands.choose_tool import tool_of
from assay.validators.tools.commands.command_kinds import known_tool_of
from assay.validators.tools.commands.command_line import commands_of, words_of
from assay.validators.tools.commands.safe_commands import is_trivial
from assay.validators.tools.discovery.found_commands.dedupe import distinct
from assay.validators.tools.discovery.found_commands.resolve_scripts import LeftOut, expanded
from assay.validators.tools.discovery.found_commands.split_commands import parts_of
from assay.validators.tools.discovery.project_files.named_scripts import kind_named
from assay.validators.tools.discovery.project_files.subtree import below, under
from assay.validators.tools.discovery.proposed import proposed
from assay.validators.tools.discovery.register import ECOSYSTEMS
from assay.validators.tools.runners import started
from assay.validators.tools.tool import Setup, SetupStep, Task

MOST_NESTED_PROJECTS = 5
"""Maximum nested projects; a change that touches more is checked by the commands at the top."""

MOST_TASKS = 24
CONFIGURED = "tier1.commands"
ENVIRONMENT = '"$VIRTUAL_ENV"'
_MANIFESTS = re.compile(
    r"(package\.json|pyproject\.toml|setup\.py|go\.mod|Cargo\.toml|pom\.xml|build\.gradle(\.kts)?|composer\.json|Gemfile"
    r"|[^/]+\.csproj)"
)
_ORDER = (ToolKind.build, ToolKind.lint, ToolKind.formatting, ToolKind.types, ToolKind.sast, ToolKind.test)


@dataclass(frozen=True, slots=True)
class Discovery:
    """The commands to run, those left out, and the setups of their projects."""

    tasks: tuple[Task, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    setups: tuple[tuple[str, Setup], ...] = ()


@dataclass(frozen=True, slots=True)
class Explained:
    """A command in `--explain-tools`: the tool that reads it (`command` reads any) and its gate."""

    task: Task
    tool: str
    gate: Gate


@dataclass(frozen=True, slots=True)
class Explanation:
    """What Tier 1 would do, in order.

    `proposed` are commands for the configuration, of kinds for which nothing was found.
    """

    setup: tuple[SetupStep, ...]
    tasks: tuple[Explained, ...]
    left_out: tuple[LeftOut, ...]
    proposed: tuple[Task, ...] = ()


def explain(tree: SourceTree, config: ValidationConfig, touched: Collection[str] | None = ()) -> Explanation:
    """Return the commands, their setup and readers, and what was left out; run nothing. `touched`: see `survey`."""
    found = survey(tree, config, touched)
    steps = tuple(replace(step, directory=where) for where, setup in found.setups for step in setup.steps)
    tasks = tuple(Explained(task, tool_of(task)[0].name, task.gate or config.tier1.gate) for task in found.tasks)
    more = proposed(tree, {task.kind for task in found.tasks}) if config.tier1.commands is None else ()
    return Explanation(steps, tasks, found.left_out, tuple(more))


def survey(tree: SourceTree, config: ValidationConfig, touched: Collection[str] | None = ()) -> Discovery:
    """Return tasks, what was left out, and setups.

    `touched` are the changed paths, whose nested projects count; None is every project, without a limit: the commands
    of all changes together.
    """
    if config.tier1.commands is not None:
        tasks = tuple(_configured(tree, config.tier1.commands))
        return Discovery(tasks, (), _setups(tree, config, tasks))
    kept, left_out = _found(tree, touched)
    by_worth = sorted(kept, key=lambda task: task.kind not in (ToolKind.build, ToolKind.test))
    most = len(by_worth) if touched is None else MOST_TASKS
    over = [
        LeftOut(task.line, task.found_in, f"over the limit of {MOST_TASKS} commands", True) for task in by_worth[most:]
    ]
    tasks = tuple(sorted(by_worth[:most], key=lambda task: _ORDER.index(task.kind)))
    return Discovery(tasks, (*left_out, *over), _setups(tree, config, tasks))


@dataclass(frozen=True)
class Surveys:
    """The commands of both trees of a change, each found once; those of nested projects if the change touches them."""

    change: ChangeSet
    config: ValidationConfig

    @cached_property
    def head(self) -> Discovery:
        return survey(self.change.head, self.config, [file.path for file in self.change.files if file.exists])

    @cached_property
    def base(self) -> Discovery:
        return survey(self.change.base, self.config, [file.base_path or file.path for file in self.change.files])


def _configured(tree: SourceTree, commands: Sequence[str | Command]) -> Iterable[Task]:
    for index, command in enumerate(commands):
        found_in = f"{CONFIGURED}[{index}]"
        said = Command(run=command) if isinstance(command, str) else command
        directory = str(PurePosixPath(said.directory))
        parts = parts_of(tree, directory, said.run)
        yield Task(
            name=said.name or _name(said.run),
            kind=said.kind or _kind(said.run, [part.known.kind for part in parts if part.known]),
            line=said.run,
            found_in=found_in,
            directory=directory,
            gate=said.gate,
            timeout_s=said.timeout_seconds,
            does=tuple(part.line for part in parts if part.known or not is_trivial(part.words)),
        )


def _name(line: str) -> str:
    """Return the tool, else the first words in short: `npm test`, `make lint`, `run-checks.sh`."""
    commands = commands_of(line)
    found = [known for words in commands if (known := known_tool_of(words))]
    if found:
        return found[0].tool
    words = started(commands[0]) if commands else line.split()
    first = words[0].rpartition("/")[2]
    return (
        f"{first} {words[-1]}"
        if first in ("npm", "pnpm", "yarn", "bun", "make", "just", "task") and words[1:]
        else first
    )


def _kind(line: str, kinds: Sequence[ToolKind]) -> ToolKind:
    """Return the kind of a configured command: by its tools (tests first), else by its words, else a test."""
    if kinds:
        return ToolKind.test if ToolKind.test in kinds else kinds[0]
    named = [kind for word in words_of(line) if (kind := kind_named(word.rpartition("/")[2].partition(".")[0]))]
    return named[0] if named else ToolKind.test


def _found(tree: SourceTree, touched: Collection[str] | None) -> tuple[list[Task], list[LeftOut]]:
    tasks: list[Task] = []
    left_out: list[LeftOut] = []
    at_top: set[tuple[str, ToolKind]] = set()
    for directory in (".", *_nested(tree, touched)):
        here = below(tree, directory)
        for ecosystem in ECOSYSTEMS:
            for found in ecosystem.tasks(here):
                if directory == ".":
                    more, less = expanded(tree, found)
                    at_top |= {(ecosystem.name, task.kind) for task in more}
                elif (ecosystem.name, found.kind) in at_top:
                    why = "the same kind of command at the top covers it"
                    more, less = [], [LeftOut(found.line, under(directory, found.found_in), why)]
                else:
                    more, less = expanded(tree, _moved(found, directory))
                tasks += more
                left_out += less
    kept, same = distinct(tasks)
    return kept, [*left_out, *same]


def _moved(task: Task, directory: str) -> Task:
    return replace(
        task,
        name=f"{directory}: {task.name}",
        found_in=under(directory, task.found_in),
        directory=under(directory, task.directory),
    )


def _nested(tree: SourceTree, touched: Collection[str] | None) -> list[str]:
    """Return the nested projects that hold a touched file, each by its folder; none where they are many.

    None: all of them.
    """
    manifests = {path.rpartition("/")[0] for path in tree.paths if _MANIFESTS.fullmatch(path.rpartition("/")[2])} - {""}
    nested: dict[str, None] = {}
    for path in sorted(tree.paths if touched is None else touched):
        folders = [path.rsplit("/", depth)[0] for depth in range(1, path.count("/") + 1)]
        owner = next((folder for folder in folders if folder in manifests), None)
        if owner and not re.search(r"(^|/)(node_modules|vendor|fixtures?|testdata|examples?|templates?)(/|$)", owner):
            nested[owner] = None
    return list(nested) if touched is None or len(nested) <= MOST_NESTED_PROJECTS else []


def _setups(tree: SourceTree, config: ValidationConfig, tasks: Sequence[Task]) -> tuple[tuple[str, Setup], ...]:
    """Return (folder, setup) for the project at the top and those in whose folders commands run."""
    wanted = config.tier1.setup
    if wanted == "none" or not tasks:
        return ()
    setups: list[tuple[str, Setup]] = []
    covered: set[str] = set()
    nested = dict.fromkeys(task.directory for task in tasks if task.directory != ".")
    for directory in (".", *list(nested)[:MOST_NESTED_PROJECTS]):
        for ecosystem in ECOSYSTEMS:
            setup = None if ecosystem.name in covered else ecosystem.setup(below(tree, directory), tasks)
            if setup is None:
                continue
            if setup.covers_nested:
                covered.add(ecosystem.name)
            if any(_makes_environment(step) for _, other in setups for step in other.begin):
                setup = replace(setup, begin=tuple(step for step in setup.begin if not _makes_environment(step)))
            if setup.steps:
                setups.append((directory, setup))
    if wanted == "auto":
        return tuple(setups)
    steps = tuple(SetupStep(line, f"tier1.setup[{index}]") for index, line in enumerate(wanted))
    begin = tuple(step for directory, setup in setups if directory == "." for step in setup.begin)
    if any("VIRTUAL_ENV" in step.line and "venv" in step.line for step in steps):
        # They make the environment themselves, with the Python they need.
        begin = tuple(step for step in begin if not _makes_environment(step))
    return ((".", Setup(begin=begin, install=steps)),)


def _makes_environment(step: SetupStep) -> bool:
    """Return whether a step creates the environment of a tree."""
    return step.line.endswith(ENVIRONMENT)
