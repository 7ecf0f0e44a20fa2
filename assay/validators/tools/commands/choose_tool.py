"""Selection of the tool that reads a task: the one its commands start, else the generic `command` reader."""

from __future__ import annotations

from assay.validators.report.model import ToolKind
from assay.validators.tools.commands.command_line import words_of
from assay.validators.tools.readers.register import MEMBERS
from assay.validators.tools.tool import Task, Tool


def tool_of(task: Task) -> tuple[Tool, list[str]]:
    """Return the tool and the command words it recognises (from inside a script where the task is one)."""
    every = [words for line in task.does or (task.line,) if (words := words_of(line))]
    fallback = MEMBERS[-1]
    found = {tool.name: (tool, words) for words in reversed(every) for tool in [_recognising(words)]}
    has_others = found.pop(fallback.name, None) is not None
    if len(found) == 1:
        tool, words = next(iter(found.values()))
        # Of a test command that lints first and tests by another tool, the linter reads no test.
        if not has_others or task.kind is not ToolKind.test or tool.kind is task.kind:
            return tool, words
    return fallback, words_of(task.line) or task.line.split()


def _recognising(words: list[str]) -> Tool:
    return next((tool for tool in MEMBERS if tool.recognises(words)), MEMBERS[-1])
