"""Notes on checks Tier 1 did not run because no command exists or the change removed it."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.report.model import OWN_COMMANDS, ToolKind
from assay.validators.report.unknown import NotChecked
from assay.validators.tools.commands.choose_tool import tool_of
from assay.validators.tools.discovery.discover import Surveys
from assay.validators.tools.tool import Task


def missing_checks(surveys: Surveys) -> list[NotChecked]:
    """Return a note for each command only the base has or nothing stands for, and one if none tests the change."""
    found = surveys.head
    if surveys.config.tier1.commands is not None:
        return [] if found.tasks else [NotChecked(OWN_COMMANDS, "tier1.commands names none")]
    notes = list(_gone(surveys))
    runs = {task.line for task in found.tasks}
    lost = {one.line: one.why for one in found.left_out if one.is_unchecked and one.line not in runs}
    notes += [NotChecked(f"`{line}`", why) for line, why in lost.items()]
    if not found.tasks:
        notes.append(NotChecked(OWN_COMMANDS, "none was found; name them in tier1.commands"))
    elif all(task.kind is not ToolKind.test for task in found.tasks):
        notes.append(NotChecked("tests", "no command that runs tests was found; name one in tier1.commands"))
    return notes


def _gone(surveys: Surveys) -> Iterator[NotChecked]:
    """Return commands of the base whose tool and kind no command of the head has."""
    kept = {_what(task) for task in surveys.head.tasks}
    for task in surveys.base.tasks:
        if _what(task) not in kept:
            why = f"the base has this command ({task.found_in}), the change removes it"
            yield NotChecked(f"`{task.line}`", why)


def _what(task: Task) -> tuple[str, ToolKind, str]:
    tool, _ = tool_of(task)
    return task.directory, task.kind, tool.name
