"""The tests that a change may break, as the import graph shows them; all tests where it does not show enough."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.validators.changes.change import ChangeSet, SourceTree, shown
from assay.validators.changes.classify import Nature
from assay.validators.graph.import_graph import Graphs
from assay.validators.graph.ranked_tests import ranked_tests
from assay.validators.progress import Deadline, OutOfTime
from assay.validators.tools.commands.bending import bends
from assay.validators.tools.commands.test_files import test_files, with_files
from assay.validators.tools.tool import Ended, Reading, Task
from assay.validators.wording import listed, plural

MOST_FILES = 1000
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A test command with the affected test files alone, on the head and on the base.

    `on_base` is None if these files are new. `left_out` are the command's other test files.
    """

    on_head: Task
    on_base: Task | None
    num: int
    left_out: tuple[str, ...]

    @property
    def reason(self) -> str:
        """Which part of the tests it runs."""
        return f"{self.num} of {plural(self.num + len(self.left_out), 'test file')}, those that the change affects"

    @property
    def what_is_left(self) -> str:
        """The test files that it does not run."""
        return f"{plural(len(self.left_out), 'test file')} ({listed([*map(shown, self.left_out)], MOST_NAMED)})"


@dataclass(frozen=True, slots=True)
class AffectedTests:
    """Test files that a change may break, the likeliest first, or `why_all` tests have to run."""

    change: ChangeSet
    paths: tuple[str, ...] = ()
    why_all: str | None = None

    def of(self, task: Task) -> Narrowed | None:
        """Return a test command with these files alone; None if it has to run whole, or would be the same."""
        own = [] if self.why_all is not None else test_files(task, self.paths)
        on_head = with_files(task, own)
        if on_head is None or len(own) > MOST_FILES:
            return None
        change, known = self.change, set(own)
        tests = (path for path in change.head.paths if change.nature_of(path) is Nature.test)
        left_out = tuple(path for path in test_files(task, tests) if path not in known)
        return Narrowed(on_head, on_base(change, task, own), len(own), left_out) if left_out else None


def on_base(change: ChangeSet, task: Task, paths: Iterable[str]) -> Task | None:
    """Return the task for test files of the head as they are on the base; None if they are new."""
    moved = {file.path: file.base_path for file in change.files if file.base_path}
    before = [moved.get(path, path) for path in paths]
    return with_files(task, [path for path in before if _is_there(change.base, path)])


def failing_files(change: ChangeSet, task: Task, head: Reading) -> Task | None:
    """Return the task for the base's version of the files with a failing test; None if it has to run whole."""
    failing = {place for (place, _), ended in head.tests.items() if ended is Ended.failed}
    return None if not failing or "" in failing else on_base(change, task, sorted(failing))


def _is_there(tree: SourceTree, path: str) -> bool:
    """Return whether a tree has a test file, or the folder of a Go package."""
    return path in tree or path == "." or any(one.startswith(f"{path}/") for one in tree.paths)


def affected_tests(change: ChangeSet, graphs: Graphs, seconds: float, *, likeliest: bool = False) -> AffectedTests:
    """Return the test files that a change may break, or the `likeliest` of them by their chains of uses."""
    why = bends(change)
    if why is not None:
        return AffectedTests(change, why_all=why)
    try:
        found = ranked_tests(change, graphs, Deadline(seconds))
    except OutOfTime:
        return AffectedTests(change, why_all="the import graph ran out of time")
    for paths, what in ((found.outside, "is outside of the import graph"), (found.not_read, "could not be read")):
        if paths:
            return AffectedTests(change, why_all=f"{shown(paths[0])} {what}")
    if not found.tests:
        return AffectedTests(change, why_all="no test reaches the change in the import graph")
    return AffectedTests(change, tuple(one.path for one in found.tests if one.run_first or not likeliest))
