"""Tests that fail on the head and passed on the base, run again: those that pass once are flaky.

The files of these tests run first. A result there that differs from the first one may come from the tests that were
left out (a test that another one disturbs passes alone), so the whole command decides, where there is time for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.validators.changes.change import ChangeSet
from assay.validators.report.model import FAILED_TESTS, Finding, Outcome, Severity
from assay.validators.tools.commands.test_files import with_files
from assay.validators.tools.comparison.compared import test_name
from assay.validators.tools.execution.attempt import Attempt
from assay.validators.tools.tool import Ended, Reading, Task, TestId
from assay.validators.wording import listed

SHARE_OF_TIME = 0.2
"""Share of the tier's time for these runs."""
MOST_TESTS = 50
"""Maximum failing tests of a command that are repeated: more of them do not fail by chance."""
MOST_NAMES = 3
RULE = "flaky_test"
_WORD = re.compile(r"[^\s:>/.]+")

Run = Callable[[str, Task, float], Attempt]
"""(side, task, time limit in seconds) -> the run."""


@dataclass(frozen=True, slots=True)
class Flaky:
    """The flaky tests of a command, each with how often it failed, and the seconds that the runs took.

    `alone`: broken tests that pass when their files run alone.
    """

    tests: Mapping[TestId, str] = field(default_factory=dict)
    alone: Sequence[TestId] = ()
    duration_s: float = 0.0

    @property
    def reason(self) -> str | None:
        """A one-line summary; None if no test is flaky."""
        flaky = [f"{test_name(test)} {how}" for test, how in self.tests.items()]
        parts = [f"flaky: {listed(flaky, MOST_NAMES)}"] if flaky else []
        if self.alone:
            parts.append(f"disturbed by other tests: {listed([*map(test_name, self.alone)], MOST_NAMES)}")
        return "; ".join(parts) or None

    def settled(self, head: Attempt) -> Attempt:
        """Return the head's run as if its flaky tests had passed."""
        if not self.tests:
            return head
        reading, counts = head.reading, head.reading.counts
        num_failed = min(len(self.tests), counts.failed or 0)
        counts = replace(
            counts,
            failed=(counts.failed or 0) - num_failed,
            errors=max(0, (counts.errors or 0) - len(self.tests) + num_failed),
            passed=None if counts.passed is None else counts.passed + len(self.tests),
        )
        about = self._by_finding(reading)
        tests = {test: Ended.passed if test in self.tests else ended for test, ended in reading.tests.items()}
        kept = tuple(one for one, test in zip(reading.findings, about, strict=True) if test not in self.tests)
        settled = replace(reading, counts=counts, findings=kept, tests=tests)
        still_fails = kept or settled.num_bad or Ended.failed in tests.values() or not reading.looked
        outcome = Outcome.failed if still_fails else Outcome.passed
        return replace(head, outcome=outcome, reading=settled)

    def findings(self, head: Reading, *, blocks: bool) -> list[Finding]:
        """Return the failures of flaky tests, with how often they failed."""
        severity = Severity.error if blocks else Severity.warning
        return [
            replace(one, rule=RULE, severity=severity, message=f"flaky, {self.tests[test]}: {one.message}")
            for one, test in zip(head.findings, self._by_finding(head), strict=True)
            if test is not None and test in self.tests
        ]

    def _by_finding(self, head: Reading) -> list[TestId | None]:
        """Return, for each finding, the failing test whose name ends its context; of several the longest."""
        failed = [(_words(test[1]), test) for test, ended in head.tests.items() if ended is Ended.failed]
        failed.sort(key=lambda one: -len(one[0]))
        return [
            next((test for words, test in failed if one.rule in FAILED_TESTS and _is_about(one, test, words)), None)
            for one in head.findings
        ]


def find_flaky(
    change: ChangeSet,
    tasks: tuple[Task, Task | None],
    head: Attempt,
    base: Attempt | None,
    run: Run,
    limit_s: float,
) -> Flaky:
    """Run the tests again that fail on the head and passed on the base: twice on the head, once on the base.

    `tasks` ran on the head and on the base.
    """
    if base is None or head.outcome is not Outcome.failed or limit_s <= 0:
        return Flaky()
    moved = {file.path: file.base_path for file in change.files if file.base_path}
    failing = {
        test: before
        for test, ended in head.reading.tests.items()
        for before in [(moved.get(test[0], test[0]), test[1])]
        if ended is Ended.failed and base.reading.tests.get(before) is Ended.passed
    }
    if not 0 < len(failing) <= MOST_TESTS:
        return Flaky()
    again = _Again(tasks[0], tasks[1] or tasks[0], failing, run, limit_s)
    flaky, alone = again.on_head(head.duration_s)
    flaky |= again.on_base([test for test in failing if test not in flaky and test not in alone], base.duration_s)
    return Flaky(flaky, tuple(test for test in alone if test not in flaky), limit_s - again.left_s)


@dataclass
class _Again:
    """Further runs of some tests of a command, each with its name on the base, and the seconds left for the runs."""

    on_the_head: Task
    on_the_base: Task
    tests: Mapping[TestId, TestId]
    run: Run
    left_s: float

    def on_head(self, whole_s: float) -> tuple[dict[TestId, str], Collection[TestId]]:
        """Return the flaky tests, each with how often it failed, and those that pass when their files run alone."""
        whole = self.on_the_head
        alone = _of_files(whole, (place for place, _ in self.tests))
        first = self._ended("head", alone, self.tests, Ended.passed)
        is_whole = alone is not whole and bool(first) and whole_s < self.left_s
        second = self._ended("head", whole if is_whole else alone, self.tests, Ended.passed)
        flaky = second if is_whole else first | second
        return {test: f"failed in {3 - (test in first) - (test in second)} of 3 runs" for test in flaky}, first

    def on_base(self, failing: Collection[TestId], whole_s: float) -> dict[TestId, str]:
        """Return those of these tests, which always fail on the head, that fail on the base too now."""
        names, whole = {self.tests[test] for test in failing}, self.on_the_base
        alone = _of_files(whole, (place for place, _ in names))
        failed = self._ended("base", alone, names, Ended.failed) if names else set()
        if failed and alone is not whole:
            failed = self._ended("base", whole, failed, Ended.failed) if whole_s < self.left_s else set()
        how = "failed in 3 of 3 runs, and in 1 of 2 on the base"
        return {test: how for test in failing if self.tests[test] in failed}

    def _ended(self, side: str, task: Task, tests: Collection[TestId], how: Ended) -> set[TestId]:
        """Run a task; return those of the tests that ended so."""
        if self.left_s <= 0:
            return set()
        went = self.run(side, task, self.left_s)
        self.left_s -= went.duration_s
        return {test for test in tests if went.reading.tests.get(test) is how}


def _of_files(task: Task, places: Iterable[str]) -> Task:
    """Return the task for these files alone; the whole one if its runner takes no files."""
    known = dict.fromkeys(places)
    return task if "" in known else with_files(task, known) or task


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _is_about(one: Finding, test: TestId, words: Sequence[str]) -> bool:
    """Return whether a finding's context ends with a test's name, and its place may be the test's file or folder."""
    is_there = not test[0] or not one.file or test[0] in (one.file, one.file.rpartition("/")[0] or ".")
    return is_there and _words(one.context)[-len(words) :] == words
