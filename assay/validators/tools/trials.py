"""Run one new test file in both trees of a change: does it fail on the head, and pass on the base or with a fix?

Each run is made twice: a test whose outcome differs is flaky and shows nothing. The trees are those of Tier 1:
checkouts in a temporary folder, prepared in the same way, without network where there is a sandbox.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from assay.validators.changes.change import ChangeSet, shown
from assay.validators.changes.classify import Nature
from assay.validators.configuration.model import ValidationConfig
from assay.validators.progress import Progress
from assay.validators.report.model import FAILED_TESTS, Finding, Outcome, ToolKind
from assay.validators.tools.commands.choose_tool import tool_of
from assay.validators.tools.commands.test_files import TEST_FILES, below_path, with_files
from assay.validators.tools.comparison.changed_tests import write_file
from assay.validators.tools.discovery.discover import Surveys
from assay.validators.tools.execution.attempt import attempt
from assay.validators.tools.execution.sandbox import open_sandbox
from assay.validators.tools.execution.sides import Side, Sides
from assay.validators.tools.execution.workplace import Workplace
from assay.validators.tools.tool import Reading, Task
from assay.validators.vcs.trees import read_regular

RUN_WITHIN_S = 60.0
"""Seconds of one run of one test file."""
LARGEST_BYTES = 20_000
_ENVIRONMENT = re.compile(r"\b(?:ImportError|ModuleNotFoundError)\b")
"""Exceptions that tell of the environment, not of the code."""
_ASSERTION = re.compile(
    r"\b(?:AssertionError|AssertionFailedError|ERR_ASSERTION|DID NOT RAISE|expect\(|Expected)\b|(?:^|: )assert\b"
)


class Trial(StrEnum):
    """Outcome of a test file in one tree, over two runs.

    `failed`: every failing test failed by an assertion, or by an exception raised in the repository's own source, as
    pytest shows it. `broke`: it failed otherwise (an import, an exception in the test, a time-out). `flaky`: the two
    runs differ. `not_run`: no runner of the repository takes it.
    """

    passed = "passed"
    failed = "failed"
    broke = "broke"
    flaky = "flaky"
    not_run = "not_run"


@dataclass(frozen=True, slots=True)
class TrialResult:
    """Outcome with one line of why, and the lines of the failure."""

    trial: Trial
    why: str = ""
    output: tuple[str, ...] = ()


class Trials:
    """Both trees of a change, ready to run test files; opened by `open_trials`."""

    def __init__(self, change: ChangeSet, config: ValidationConfig, progress: Progress, home: Path) -> None:
        surveys = Surveys(change, config)
        trial = home / "trial"
        trial.mkdir()
        sandbox = open_sandbox(config.tier1.sandbox, network=False, scratch=trial)
        self._change = change
        self._sides = Sides(surveys, sandbox, progress, home)
        tests = (task for task in surveys.head.tasks if task.kind is ToolKind.test)
        self._tasks = [task for task in tests if tool_of(task)[0].name in TEST_FILES]

    def path_for(self, path: str, mark: str) -> str | None:
        """Return where a new test of the file at `path` belongs, next to its tests; None without a known runner.

        `mark` makes the name unique.
        """
        stem = path.rpartition("/")[2].partition(".")[0]
        tests = [one for one in self._change.head.paths if self._change.nature_of(one) is Nature.test]
        for task in self._tasks:
            pattern = TEST_FILES[tool_of(task)[0].name]
            mine = [one for one in tests if pattern.search(one) and below_path(one, task.directory) is not None]
            if mine:
                near = max(mine, key=lambda one: (stem in one.rpartition("/")[2], _shared(one, path), one))
                folder, _, name = near.rpartition("/")
                new = _named_like(name, f"{stem}_{mark}")
                return f"{folder}/{new}" if folder else new
        return None

    def run(self, side: str, path: str, text: str, edits: Mapping[str, bytes] | None = None) -> TrialResult:
        """Run a new test file in the tree of `side` ("base" or "head"), with some files replaced meanwhile."""
        if len(text.encode("utf-8", "replace")) > LARGEST_BYTES:
            return TrialResult(Trial.not_run, f"the test is larger than {LARGEST_BYTES // 1000} kB")
        task = next((one for one in self._tasks if TEST_FILES[tool_of(one)[0].name].search(path)), None)
        narrowed = with_files(task, [path]) if task is not None else None
        if narrowed is None:
            return TrialResult(Trial.not_run, "no test command of the repository takes the file")
        tree: Side = self._sides.head if side == "head" else self._sides.base
        if not tree.prepared.ok:
            return TrialResult(Trial.not_run, f"the {side} could not be prepared: {tree.prepared.reason}")
        contents = {path: text.encode("utf-8", "replace"), **(edits or {})}
        with _placed(tree.workplace, contents) as is_placed:
            if not is_placed:
                return TrialResult(Trial.not_run, f"{shown(path)} cannot be written")
            first, second = (self._once(narrowed, tree.workplace) for _ in range(2))
        return first if first.trial is second.trial else TrialResult(Trial.flaky, "two runs differ", first.output)

    def _once(self, task: Task, workplace: Workplace) -> TrialResult:
        went = attempt(task, workplace, RUN_WITHIN_S)
        output = went.excerpt[:40]
        if went.outcome is Outcome.passed:
            if not any(went.reading.tests.values()) and not went.reading.counts.passed:
                return TrialResult(Trial.not_run, "it has no test")
            return TrialResult(Trial.passed)
        if went.outcome in (Outcome.inert, Outcome.infra_failed, Outcome.skipped):
            return TrialResult(Trial.not_run, went.reason or "it could not be run", output)
        failures = [one for one in went.reading.findings if one.rule in FAILED_TESTS]
        if went.outcome is Outcome.failed and failures and all(self._is_of_code(one, went.reading) for one in failures):
            return TrialResult(Trial.failed, failures[0].message[:300], output)
        return TrialResult(Trial.broke, went.reason or "it did not fail by an assertion", output)

    def _is_of_code(self, failure: Finding, reading: Reading) -> bool:
        """Return whether a test failed by an assertion, or by an exception raised in source and not on the way."""
        if not reading.looked:
            return False
        if _ASSERTION.search(failure.message) is not None:
            return True
        raised_in = reading.raised_in.get(failure.context or "")
        is_source = raised_in is not None and self._change.nature_of(raised_in) is Nature.source
        return is_source and _ENVIRONMENT.search(failure.message) is None


@contextmanager
def open_trials(change: ChangeSet, config: ValidationConfig, progress: Progress) -> Iterator[Trials]:
    """Open the trees of a change; they are created and prepared when first needed.

    Raises:
        ProgramMissing: the sandbox is required and not there.
    """
    with tempfile.TemporaryDirectory(prefix="assay-trials-", ignore_cleanup_errors=True) as home:
        yield Trials(change, config, progress, Path(home).resolve())


@contextmanager
def _placed(workplace: Workplace, contents: Mapping[str, bytes]) -> Iterator[bool]:
    """Write files into a tree temporarily; yield whether all are there. New files are deleted, others restored."""
    before: dict[str, bytes | None] = {}
    try:
        is_placed = True
        for path, content in contents.items():
            before[path] = read_regular(str(workplace.root / path))
            is_placed = is_placed and write_file(workplace, path, content)
        yield is_placed
    finally:
        for path, known in before.items():
            if known is None:
                (workplace.root / path).unlink(missing_ok=True)
            else:
                write_file(workplace, path, known)


def _shared(one: str, other: str) -> int:
    """Return the number of folders two paths have in common, in any place."""
    return len(set(one.split("/")[:-1]) & set(other.split("/")[:-1]))


def _named_like(name: str, stem: str) -> str:
    """Return a test file's name of the same convention: `test_x.py`, `x_test.go`, `x.test.ts`."""
    if name.startswith("test_"):
        return f"test_{stem}{name[name.rindex('.') :]}"
    dot = re.search(r"\.(?:test|spec)\.[cm]?[jt]sx?$", name)
    if dot is not None:
        return f"{stem}{dot[0]}"
    suffix = name[name.rindex(".") :]
    return f"{stem}_test{suffix}" if name[: -len(suffix)].endswith("_test") else f"{stem}{suffix}"
