"""Removal of duplicate commands: `npm test` and the CI step that runs it, `make test` and pytest itself.

Written commands come before inferred ones. Among the written ones, the first source that names a tool for a folder
provides all of that tool's lines there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from assay.validators.report.model import ToolKind
from assay.validators.tools.commands.command_kinds import known_tool_of
from assay.validators.tools.commands.command_line import words_of
from assay.validators.tools.commands.narrowed import is_narrowed
from assay.validators.tools.discovery.found_commands.resolve_scripts import LeftOut
from assay.validators.tools.runners import started
from assay.validators.tools.tool import Task

_TESTS = re.compile(r"(\./)?tests?(/|$)")
_NO_SOURCE = re.compile(r"check|lint|format|\S+\.(ini|cfg|toml|json|ya?ml)")
"""Subcommands, and values of options."""
_TSC = re.compile(r"\btsc\b")
_PROJECT = re.compile(r" (?:-p|--project)[ =](\S+)")
_FILTERS = frozenset(("--filter", "-F", "--workspace", "-w", "--scope"))


def distinct(tasks: Iterable[Task]) -> tuple[list[Task], list[LeftOut]]:
    """Return the tasks to run, and for each of the others the one that does the same."""
    every, left_out = _whole(list(tasks))
    kept: list[Task] = []
    speaks: dict[tuple[str, str], Task] = {}
    for task in (*(task for task in every if not task.inferred), *(task for task in every if task.inferred)):
        keys = [(task.directory, tool) for tool in _tools(task)]
        said = [speaks[key] for key in keys if key in speaks]
        known = _known_already(task, kept)
        if known is not None:
            why = f"`{known.line}` ({known.found_in}) is what the project calls its {task.kind} command"
            left_out.append(LeftOut(task.line, task.found_in, why))
            continue
        if len(said) == len(keys) and not (_adds(task, said, kept) or _checks_another_project(task, kept)):
            left_out.append(LeftOut(task.line, task.found_in, _instead_of(task, _likest(task, said))))
            continue
        kept.append(task)
        for key in keys:
            if key not in speaks or _is_given_tests(speaks[key]):
                speaks[key] = task
    return kept, left_out


def _whole(every: Sequence[Task]) -> tuple[list[Task], list[LeftOut]]:
    """Remove CI steps that run part of another task: a part never stands for the suite."""
    whole: dict[tuple[str, str], Task] = {}
    for task in every:
        if task.kind is ToolKind.test and not is_narrowed(task):
            for tool in _tools(task):
                whole.setdefault((task.directory, tool), task)
    kept: list[Task] = []
    left_out: list[LeftOut] = []
    for task in every:
        others = [whole.get((task.directory, tool)) for tool in _tools(task)]
        other = others[0] if all(others) else None
        if task.found_in.startswith(".github/") and task.kind is ToolKind.test and other and is_narrowed(task):
            left_out.append(LeftOut(task.line, task.found_in, f"it is a part of `{other.line}` ({other.found_in})"))
        else:
            kept.append(task)
    return kept, left_out


def _known_already(task: Task, kept: list[Task]) -> Task | None:
    """Return the command that makes a CI step of an unknown tool, or a guess at unittest, redundant: its kind's."""
    words = words_of(task.line)
    is_guess = task.inferred and _tools(task) == ["unittest"]
    is_known = any(known_tool_of(words_of(line)) for line in _plain(task))
    if not is_guess and (is_known or not task.found_in.startswith(".github/")):
        return None
    if _is_of_a_package(words):
        return None
    same = (other for other in kept if other.kind is task.kind and other.directory in (task.directory, "."))
    return next(same, None)


def _tools(task: Task) -> list[str]:
    """Return the tools in a task; an unknown plain command counts as its own tool."""
    found = set()
    for line in _plain(task):
        words = words_of(line)
        known = known_tool_of(words) if words else None
        is_part = known is not None and known.tool.startswith("every-") and _is_of_a_package(words)
        tool = known.tool if known and not is_part else " ".join(started(words) or [line])
        found.add("tsc" if tool == "tsc-build" and task.kind is ToolKind.types else tool)
    return sorted(found)


def _is_of_a_package(words: Sequence[str]) -> bool:
    """Return whether a command is for one package of a workspace, which does not stand for another."""
    return not _FILTERS.isdisjoint(word.partition("=")[0] for word in words)


def _adds(task: Task, said: list[Task], kept: list[Task]) -> bool:
    """Return whether a task adds another line of a source that already provides its tools, or checks the source.

    Of type checkers and linters, a line that is given test folders alone does not stand for the whole.
    """
    is_new = all((task.directory, task.line) != (other.directory, other.line) for other in kept)
    if task.inferred and task.kind is not ToolKind.test and all(map(_is_given_tests, said)):
        return is_new
    same_source = all(_source(other) == _source(task) for other in said)
    return same_source and is_new


def _checks_another_project(task: Task, kept: list[Task]) -> bool:
    """Return whether TypeScript's compiler is given a settings file here that no kept command gives it."""
    projects = _projects(task)
    return bool(projects) and _tools(task) == ["tsc"] and all(projects.isdisjoint(_projects(other)) for other in kept)


def _projects(task: Task) -> set[str]:
    """Return the settings files that TypeScript's compiler is given, in time in proportion to the lines."""
    compilers = ((line, _TSC.search(line)) for line in _plain(task))
    given = (_PROJECT.search(line, found.end()) for line, found in compilers if found is not None)
    return {f"{task.directory}/{option[1]}" for option in given if option is not None}


def _is_given_tests(task: Task) -> bool:
    words = (word for line in _plain(task) for word in started(words_of(line))[1:])
    given = [word for word in words if not word.startswith("-") and not _NO_SOURCE.fullmatch(word)]
    return bool(given) and all(map(_TESTS.match, given))


def _likest(task: Task, others: list[Task]) -> Task:
    """Return the task to name instead: one with the same line, else the same kind, else the first."""
    return min(others, key=lambda other: (other.line != task.line, other.kind is not task.kind))


def _source(task: Task) -> str:
    """Return the place that provides a tool's lines: for all but tests, the steps of a workflow are one.

    CI may run its tests in many variants, which take long; linters check another folder in each step.
    """
    is_workflow = task.found_in.startswith(".github/") and task.kind is not ToolKind.test
    return task.found_in.partition(":")[0] if is_workflow else task.found_in


def _instead_of(task: Task, other: Task) -> str:
    is_same = task.line == other.line or set(_plain(task)) <= set(_plain(other))
    what = "the same is done by" if is_same else "instead, its tool is run by"
    return f"{what} `{other.line}` ({other.found_in})"


def _plain(task: Task) -> tuple[str, ...]:
    return task.does or (task.line,)
