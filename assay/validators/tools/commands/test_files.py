"""Test commands narrowed to some test files, for the runners that take files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

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
_OPTIONS = {
    "pytest": ["-p", "no:cacheprovider"],
    "vitest": ["run"],
    "jest": ["--runTestsByPath"],
    # Go would print a cached pass again instead of running the tests.
    "go": ["test", "-count=1"],
}
_SUBCOMMANDS = {"vitest": ("run", "watch", "dev"), "go": ("test",)}
_WITHOUT_VALUE = re.compile(
    r"-[qvxsliah]+|-r[A-Za-z]+|-(?:race|short|cover|failfast|json|trimpath|benchmem|msan|asan)"
    r"|--(?:verbose|quiet|strict|strict-markers|strict-config|exitfirst|showlocals|no-header|no-summary|cov-branch|no-cov"
    r"|disable-warnings|ci|coverage|runInBand|silent|passWithNoTests|forceExit|detectOpenHandles|no-cache|no-coverage|run)"
)
"""Options after which a word is a path; after any other it may be the option's value."""
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
    """Return the task for these test files alone, of those it runs; in Go for their packages, which folders name too.

    None where its runner takes no files, its words are only valid inside a script or name single tests, or none of the
    files is among those it runs.
    """
    runner = _runner_of(task)
    if runner is None:
        return None
    named = [path if task.directory == "." else path[len(task.directory) + 1 :] for path in runner.files(paths)]
    if runner.tool == "go":
        named = [f"./{name.rpartition('/')[0] if name.endswith('.go') else name}" for name in named]
    line = joined([*runner.start, *dict.fromkeys(named)])
    return replace(task, line=line, does=(), timeout_s=None) if named else None


def test_files(task: Task, paths: Iterable[str]) -> list[str]:
    """Return which of these files are test files that a task runs; none if its runner takes no files."""
    runner = _runner_of(task)
    return runner.files(path for path in paths if TEST_FILES[runner.tool].search(path)) if runner is not None else []


@dataclass(frozen=True)
class _Runner:
    """A runner that takes files: the words before these, and the places that the command names."""

    tool: str
    directory: str
    start: Sequence[str]
    places: Sequence[str]

    def files(self, paths: Iterable[str]) -> list[str]:
        """Return the paths below one of the places."""
        return [path for path in paths if (name := below_path(path, self.directory)) is not None and self._runs(name)]

    def _runs(self, name: str) -> bool:
        return not self.places or any(_is_at(name, place, self.tool) for place in self.places)


def _runner_of(task: Task) -> _Runner | None:
    tool, words = tool_of(task)
    programs = _PROGRAMS.get(tool.name, ())
    at = next((index for index, word in enumerate(words) if word.rpartition("/")[2] in programs), None)
    if at is None or any("$" in word or "`" in word for word in words):
        return None
    options, places = _split(words[at + 1 :], _SUBCOMMANDS.get(tool.name, ()))
    if any("::" in place for place in places):
        return None
    return _Runner(tool.name, task.directory, [*words[: at + 1], *_OPTIONS[tool.name], *options], places)


def _split(words: Sequence[str], subcommands: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the options of a runner, with their values, and the places it is given."""
    options: list[str] = []
    places: list[str] = []
    rest = words[1:] if words and words[0] in subcommands else words
    for before, word in pairwise(("", *rest)):
        may_be_value = before.startswith("-") and "=" not in before and not _WITHOUT_VALUE.fullmatch(before)
        (options if word.startswith("-") or may_be_value else places).append(word)
    return options, places


def _is_at(path: str, place: str, tool: str) -> bool:
    """Return whether a runner that is given a place (a path, in jest a part of one, in Go a package) runs a file."""
    if tool in ("jest", "vitest"):
        return place.removeprefix("./") in path
    folder = place.removeprefix("./").removesuffix("...").rstrip("/")
    if tool == "go" and not place.endswith("..."):
        return folder in (path, path.rpartition("/")[0])
    return folder in ("", ".") or path == folder or path.startswith(f"{folder}/")
