"""Resolution of a discovered command into the commands to run: only safe ones, one tool each.

`npm run check` that runs eslint and vitest becomes two commands, so that each is read by its own tool and has its
own line in the report. A command with one tool keeps the project's own form.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.validators.changes.change import SourceTree
from assay.validators.report.model import ToolKind
from assay.validators.tools.commands.safe_commands import checking, damage, installs, is_trivial, only_talks
from assay.validators.tools.discovery.found_commands.split_commands import Part, parts_of
from assay.validators.tools.runners import program
from assay.validators.tools.tool import Task

MOST_LINES_OF_A_TOOL = 3
"""Maximum lines of a tool in one folder."""
_NEVER_FAIL = frozenset(("gofmt",))
"""Tools that exit with 0 whatever they find: their condition is the check."""
_MAY_REWRITE = re.compile(r"(^|[\s:])(format|fmt|formatting|prettier)$")
_ENVIRONMENT = re.compile(r"\$\{?PREFIX\}?|(?:\./)?(?:\.?venv|env|virtualenv|\.tox/[^/]+)/bin/[^/]+$")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A discovered command that does not run, and why; `is_unchecked`: nothing that runs does the same."""

    line: str
    found_in: str
    why: str
    is_unchecked: bool = False


def expanded(tree: SourceTree, task: Task) -> tuple[list[Task], list[LeftOut]]:
    """Return the tasks of a discovered command, and the parts that are left out."""
    parts = parts_of(tree, task.directory, task.line)
    if not parts:
        return [], [_left_out(task, "it runs no command")]
    if all(only_talks(part.words) for part in parts):
        return [], [_left_out(task, "it checks nothing")]
    if task.kind is ToolKind.formatting and _MAY_REWRITE.search(task.line) and not any(part.known for part in parts):
        return [], [_left_out(task, "it may rewrite files: no known formatter is in it")]
    why = _reason_to_take_apart(parts)
    whole = replace(task, kind=_kind(task, parts), does=_does(parts))
    if why is None:
        return [whole], []
    pieces, over = _pieces(task, parts)
    if pieces:
        unknown = [
            part for part in parts if part.known is None and not (is_trivial(part.words) or installs(part.words))
        ]
        reason = f"part of `{task.line}`, which does not run whole: {why}; what it checks is unknown"
        lost = [LeftOut(part.line, task.found_in, reason, True) for part in unknown if not damage(part.words)]
        return pieces, [*lost, *over]
    return [], [_left_out(task, why)] if why else []


def _does(parts: Sequence[Part]) -> tuple[str, ...]:
    """Return the commands behind a command that runs whole, without auxiliary ones."""
    return tuple(part.line for part in parts if part.known or not is_trivial(part.words))


def _reason_to_take_apart(parts: Sequence[Part]) -> str | None:
    """Return why a command cannot run unchanged; None if it can."""
    for part in parts:
        harm = damage(part.words)
        if harm:
            return f"it {harm} (`{part.line}`)"
        if installs(part.words):
            return f"it sets something up (`{part.line}`): that is for tier1.setup"
        if checking(part.words) != list(part.words):
            return f"it rewrites files (`{part.line}`)"
    tools = {part.known.tool for part in parts if part.known}
    is_clear = all(part.known or is_trivial(part.words) for part in parts)
    # What a script exports, and only a shell can compute, would be missing: `export CONFIG=$(pwd)/pyproject.toml`.
    can_be = all(part.is_plain for part in parts if part.known or part.words[0] == "export")
    return f"it runs {', '.join(sorted(tools))}" if len(tools) > 1 and is_clear and can_be else None


def _pieces(task: Task, parts: Sequence[Part]) -> tuple[list[Task], list[LeftOut]]:
    """Return a task for each known tool among the parts, in its check-only form, and the lines over the limit."""
    found: dict[tuple[str, str], Task] = {}
    over: dict[str, LeftOut] = {}
    count: Counter[tuple[str, str]] = Counter()
    for part in parts:
        if (
            part.known is None
            or part.known.tool in _NEVER_FAIL
            or not part.is_plain
            or damage(part.words)
            or installs(part.words)
        ):
            continue
        words = checking(part.words)
        # The environment's folder is first on PATH; a path into an environment the script creates would not exist.
        first = program(words[0]) if _ENVIRONMENT.match(words[0]) else words[0]
        line = Part((first, *words[1:]), part.directory, part.assigned).line
        if (part.directory, line) in found:
            continue
        if count[part.directory, part.known.tool] >= MOST_LINES_OF_A_TOOL:
            why = f"over the limit of {MOST_LINES_OF_A_TOOL} lines of {part.known.tool} in `{task.line}`"
            over[line] = LeftOut(line, task.found_in, why, True)
            continue
        count[part.directory, part.known.tool] += 1
        kind = part.known.kind
        if part.known.tool == "tsc-build" and task.kind is not ToolKind.build:
            kind = ToolKind.types
        found[part.directory, line] = replace(
            task, name=part.known.tool, kind=kind, line=line, directory=part.directory, does=()
        )
    return list(found.values()), list(over.values())


def _kind(task: Task, parts: Sequence[Part]) -> ToolKind:
    """Return the kind of the only tool in it, else (no tool, or an ambiguous one) the kind its name implies."""
    found = {part.known for part in parts if part.known}
    has_unknown = any(part.known is None and not is_trivial(part.words) for part in parts)
    if len(found) != 1 or (has_unknown and task.kind in (ToolKind.test, ToolKind.build)):
        return task.kind
    known = found.pop()
    return task.kind if known.tool == "tsc-build" and task.kind is ToolKind.types else known.kind


def _left_out(task: Task, why: str) -> LeftOut:
    return LeftOut(task.line, task.found_in, why)
