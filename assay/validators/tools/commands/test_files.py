"""Test commands narrowed to some test files, for the runners that take files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from assay.validators.tools.commands.choose_tool import tool_of
from assay.validators.tools.commands.command_line import joined
from assay.validators.tools.tool import Task

_NODE_FILE = re.compile(r"\.(?:test|spec)\.[cm]?[jt]sx?$|(?:^|/)__tests__/.*\.[cm]?[jt]sx?$")
_PROGRAMS = {
    "pytest": ("pytest", "py.test"),
    "jest": ("jest", "jest.js"),
    "vitest": ("vitest", "vitest.mjs"),
    "go": ("go",),
}
_OPTIONS = {"pytest": ["-p", "no:cacheprovider"], "vitest": ["run"], "jest": ["--runTestsByPath"]}
TEST_FILES = {
    "pytest": re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$"),
    "jest": _NODE_FILE,
    "vitest": _NODE_FILE,
    "go": re.compile(r"_test\.go$"),
}
"""Tool -> the names of its test files."""


def below_path(path: str, directory: str) -> str | None:
    """Return a path relative to a folder of the tree, or None if it is outside."""
    if directory == ".":
        return path
    return path.removeprefix(f"{directory}/") if path.startswith(f"{directory}/") else None


def with_files(task: Task, paths: Iterable[str]) -> Task | None:
    """Return the task for these test files alone; in Go for their packages, which folders name too.

    None where its runner takes no files, its words are only valid inside a script, or none of the files is below its
    folder.
    """
    tool, words = tool_of(task)
    programs = _PROGRAMS.get(tool.name, ())
    at = next((index for index, word in enumerate(words) if word.rpartition("/")[2] in programs), None)
    named = [name for path in paths if (name := below_path(path, task.directory)) is not None]
    if at is None or not named or any("$" in word or "`" in word for word in words[: at + 1]):
        return None
    if tool.name == "go":
        folders = (name.rpartition("/")[0] if name.endswith(".go") else name for name in named)
        # Go would print a cached pass again instead of running the tests.
        more = ["test", "-count=1", *dict.fromkeys(f"./{folder}" for folder in folders)]
    else:
        more = [*_OPTIONS[tool.name], *named]
    return replace(task, line=joined([*words[: at + 1], *more]), does=(), timeout_s=None)
