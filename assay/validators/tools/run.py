"""Tier 1: the repository's own commands on the head, on the base where they fail, and the scanners.

find the commands -> scan the changed files -> make the head ready -> run every command on it
-> make the base ready where one failed, and run that one there -> rule on each -> report
"""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.validators.changes.change import ChangeSet
from assay.validators.configuration.model import Sandbox as Wanted
from assay.validators.configuration.model import ValidationConfig
from assay.validators.graph.import_graph import Graphs
from assay.validators.graph.scan_cache import default_cache
from assay.validators.progress import Deadline, Progress, Silent
from assay.validators.report.identity import identified
from assay.validators.report.model import Finding, Gate, Outcome, Tier, ToolKind, ToolRun, ToolsResult
from assay.validators.report.unknown import NotChecked
from assay.validators.tools.commands.affected import AffectedTests, Narrowed, affected_tests, failing_files
from assay.validators.tools.commands.bending import bends
from assay.validators.tools.comparison.broken_setup import setup_run
from assay.validators.tools.comparison.changed_tests import SHARE_OF_TIME, Rerun, rerun_changed_tests
from assay.validators.tools.comparison.conditional_skips import skipped_by_change
from assay.validators.tools.comparison.flaky import SHARE_OF_TIME as SHARE_OF_REPEATS
from assay.validators.tools.comparison.flaky import Flaky, find_flaky
from assay.validators.tools.comparison.gates import Ruling, needs_base, ruling, with_services
from assay.validators.tools.comparison.introduced import introduced
from assay.validators.tools.comparison.kept_results import KeptResults
from assay.validators.tools.comparison.missing_checks import missing_checks
from assay.validators.tools.coverage.contexts import find_contexts
from assay.validators.tools.coverage.files import find_coverage
from assay.validators.tools.discovery.discover import Discovery, Surveys
from assay.validators.tools.execution.attempt import Attempt, attempt
from assay.validators.tools.execution.environment import same_failure
from assay.validators.tools.execution.sandbox import Sandbox, open_sandbox
from assay.validators.tools.execution.sides import Side, Sides
from assay.validators.tools.scanners.scanning import scan
from assay.validators.tools.tool import Ended, ScanResult, Task
from assay.validators.wording import listed, numbered

MOST_PASSED_FILES = 10_000
SHARE_BEFORE_TESTS = 0.5
"""Chosen share of the tier's time after which no linter begins before the tests."""
SHARE_OF_A_QUICK_ONE = 0.2
"""Chosen share of the tier's time up to which a failing command is run on the base before the next one begins."""
TIME_USED_UP = "the tier's time was used up"
KEEP_OFF_THE_NETWORK = "whether the commands keep off the network"
EFFECTS_ON_MACHINE = "what the commands did to this machine"


def run_tools(
    change: ChangeSet,
    config: ValidationConfig,
    *,
    progress: Progress | None = None,
    tree: Path | None = None,
    scanners: bool = True,
) -> ToolsResult:
    """Run Tier 1 on a change, without the `scanners` where these run elsewhere.

    `tree` is a prepared folder that holds the head; without it fresh checkouts are created and prepared.

    Raises:
        CouldNotRun: A tree or the required sandbox is unavailable.
    """
    with tempfile.TemporaryDirectory(prefix="assay-tools-", ignore_cleanup_errors=True) as home:
        return _Run(change, config, progress or Silent(), Path(home).resolve(), tree, scanners).result()


@dataclass
class _Tried:
    """A task and its run on the head, with the run on the base, and what further runs showed of failing tests.

    `narrowed`: only the affected tests of the task ran. `on_base` is what runs on the base, None if nothing can.
    """

    task: Task
    went: Attempt
    narrowed: Narrowed | None = None
    base: Attempt | None = None
    is_compared: bool = False
    flaky: Flaky | None = None
    on_base: Task | None = field(init=False)

    def __post_init__(self) -> None:
        self.on_base = self.narrowed.on_base if self.narrowed is not None else self.task

    @property
    def ran(self) -> Task:
        """The task that ran on the head."""
        return self.narrowed.on_head if self.narrowed is not None else self.task

    @property
    def settled(self) -> Attempt:
        """The run on the head as if its flaky tests had passed."""
        return self.flaky.settled(self.went) if self.flaky is not None else self.went


@dataclass
class _Run:
    """A run of the tier, and its remaining seconds; `is_unprepared`: the environment let neither tree be prepared.

    `repeat_s` are the seconds left to repeat failing tests.
    """

    change: ChangeSet
    config: ValidationConfig
    progress: Progress
    home: Path
    tree: Path | None
    scanners: bool
    affected: AffectedTests | None = None
    left_s: float = 0.0
    repeat_s: float = 0.0
    timed_out: bool = False
    is_unprepared: bool = False
    notes: list[NotChecked] = field(default_factory=list)
    built: list[Task] = field(default_factory=list)

    def result(self) -> ToolsResult:
        """Run the tier from beginning to end."""
        surveys = Surveys(self.change, self.config)
        found = surveys.head
        self.notes += missing_checks(surveys)
        self.left_s = float(self.config.tier1.timeout_seconds)
        self.repeat_s = self.left_s * SHARE_OF_REPEATS
        began_s = time.monotonic()
        scanned = self._scanned()
        self._choose_tests(found)
        self.left_s -= time.monotonic() - began_s
        own = self._commands(surveys) if found.tasks else ToolsResult()
        return replace(
            own,
            runs=(*own.runs, *scanned.runs),
            findings=identified((*own.findings, *scanned.findings)),
            not_checked=(*self.notes, *own.not_checked, *scanned.not_checked),
        )

    def _scanned(self) -> ScanResult:
        return scan(self.change, self.config, Deadline(self.left_s), self.progress) if self.scanners else ScanResult()

    def _choose_tests(self, found: Discovery) -> None:
        """Find the affected tests, if `tier1.tests` asks for them."""
        if self.config.tier1.tests != "all" and any(task.kind is ToolKind.test for task in found.tasks):
            likeliest = self.config.tier1.tests == "affected-first"
            graphs = Graphs(self.change, default_cache())
            self.affected = affected_tests(self.change, graphs, self.left_s, likeliest=likeliest)

    def _commands(self, surveys: Surveys) -> ToolsResult:
        found, sandbox = surveys.head, self._sandbox()
        sides = Sides(surveys, sandbox, self.progress, self.home, self.tree)
        head = sides.head
        if head.prepared.outcome is Outcome.infra_failed:
            why = f"the tree could not be prepared: {head.prepared.reason}"
            runs = [*setup_run(sides, self.config, self.change)]
            for task in found.tasks:
                said = (task.name, task.kind, task.line, task.found_in, Outcome.skipped, self._gate(task), 0.0)
                runs.append(ToolRun(*said, reason=why, directory=task.directory))
            return ToolsResult(tuple(runs), sandbox=sandbox.said)
        began_at_s = time.time()
        # The report refers to runs by name.
        names = numbered(task.name for task in found.tasks)
        tasks = [replace(task, name=name) for task, name in zip(found.tasks, names, strict=True)]
        every = self._tried(tasks, sides)
        tried = [(one.ran, one.went) for one in every]
        lines, source, unread = find_coverage(head.workplace.root, began_at_s)
        contexts = find_contexts(head.workplace.root, self.change.head.paths, began_at_s)
        if lines is not None and (unfinished := _unfinished_tests(tried)):
            # What ran so far does not show which lines no test runs.
            lines, source, contexts = None, None, None
            unread = [NotChecked("coverage", f"it is incomplete: {listed(unfinished, 3)} did not finish")]
        runs = [*setup_run(sides, self.config, self.change)]
        self.is_unprepared = any(run.outcome is Outcome.infra_failed for run in runs)
        findings: list[Finding] = []
        num_existing = 0
        for one in every:
            self._compare(one, sides)
        for one in every:
            self._repeat(one, sides)
            run, new, num_old = self._validated(one)
            runs.append(run)
            findings += new
            num_existing += num_old
        again = self._changed_tests(tried, head)
        findings += again.findings
        return ToolsResult(
            runs=tuple(runs),
            findings=tuple(findings),
            line_coverage=lines,
            line_contexts=contexts,
            coverage_source=source,
            timed_out=self.timed_out,
            not_checked=(*unread, *again.not_checked),
            num_existing=num_existing,
            passed_files=_passed_files(tried),
            sandbox=sandbox.said,
        )

    def _tried(self, tasks: Sequence[Task], sides: Sides) -> list[_Tried]:
        """Run the tasks in order; once half of the time is used, what the tests need comes before the rest.

        A quick command that fails is compared at once: long tests would leave no time for its run on the base.
        """
        waiting, found = list(tasks), {}
        while waiting:
            is_late = self.left_s < self.config.tier1.timeout_seconds * (1 - SHARE_BEFORE_TESTS)
            urgent = [task for task in waiting if task.kind in (ToolKind.build, ToolKind.test)] if is_late else []
            task = (urgent or waiting)[0]
            waiting.remove(task)
            one = found[task.name] = self._try(task, sides)
            if task.kind is ToolKind.build and one.went.outcome is Outcome.passed:
                self.built.append(task)
            is_quick = one.went.duration_s <= self.config.tier1.timeout_seconds * SHARE_OF_A_QUICK_ONE
            if one.went.is_bad and is_quick and not is_late:
                self._compare(one, sides)
        return [found[task.name] for task in tasks]

    def _try(self, task: Task, sides: Sides) -> _Tried:
        """Run a task on the head, by `tier1.tests` its affected tests first; the whole, unless these decide."""
        some = self.affected.of(task) if task.kind is ToolKind.test and self.affected is not None else None
        if some is None:
            return _Tried(task, self._attempt(task, sides.head))
        one = _Tried(task, self._attempt(some.on_head, sides.head), some)
        has_failing = Ended.failed in one.went.reading.tests.values()
        if self.config.tier1.tests == "affected":
            # Without a failing test, a part of the tests may miss what the whole reaches (a threshold of coverage).
            decides = has_failing or one.went.outcome is not Outcome.failed
        else:
            decides = has_failing and self._blocks(one, sides)
        if not decides:
            return _Tried(task, self._attempt(task, sides.head))
        self.notes.append(NotChecked(some.what_is_left, f"tier1.tests: {self.config.tier1.tests}"))
        return one

    def _blocks(self, one: _Tried, sides: Sides) -> bool:
        self._compare(one, sides)
        self._repeat(one, sides)
        return self._ruled(one).gating

    def _compare(self, one: _Tried, sides: Sides) -> None:
        """Run a task on the base, if it has to and has not yet."""
        if not one.is_compared:
            one.is_compared, one.base = True, self._on_base(one, sides)

    def _repeat(self, one: _Tried, sides: Sides) -> None:
        """Run failing tests again, if they have not yet."""

        def run(side: str, task: Task, limit_s: float) -> Attempt:
            return self._attempt(replace(task, timeout_s=limit_s), sides.head if side == "head" else sides.base)

        if one.flaky is None:
            limit_s = min(self.repeat_s, self.left_s)
            one.flaky = find_flaky(self.change, (one.ran, one.on_base), one.went, one.base, run, limit_s)
            self.repeat_s -= one.flaky.duration_s

    def _changed_tests(self, tried: Sequence[tuple[Task, Attempt]], head: Side) -> Rerun:
        """Run the base's version of edited tests on the head; never in a tree of the user."""
        limit_s = min(self.left_s, self.config.tier1.timeout_seconds * SHARE_OF_TIME)
        if self.tree is not None or limit_s <= 0:
            return Rerun()
        again = rerun_changed_tests(self.change, tried, head.workplace, limit_s)
        self.left_s -= again.duration_s
        return again

    def _sandbox(self) -> Sandbox:
        tier = self.config.tier1
        trial = self.home / "trial"
        trial.mkdir()
        sandbox = open_sandbox(tier.sandbox, network=tier.network, scratch=trial)
        if not tier.network and sandbox.program is None:
            why = f"tier1.network is off, but the commands could reach it: {sandbox.why}"
            self.notes.append(NotChecked(KEEP_OFF_THE_NETWORK, why))
        elif sandbox.program is None and tier.sandbox is Wanted.auto:
            self.notes.append(NotChecked(EFFECTS_ON_MACHINE, f"no sandbox: {sandbox.why}"))
        return sandbox

    def _gate(self, task: Task) -> Gate:
        return task.gate or self.config.tier1.gate

    def _attempt(self, task: Task, side: Side) -> Attempt:
        """Run a task with the tier's remaining time; skip it if none is left."""
        if self.left_s <= 0:
            self.timed_out = True
            return Attempt(Outcome.skipped, TIME_USED_UP)
        what = task.name if side.workplace.side == "head" else f"{task.name} on the base"
        self.progress.began(Tier.tools, what)
        limit_s = min(self.left_s, task.timeout_s or self.left_s)
        went = attempt(task, side.workplace, limit_s)
        self.left_s -= went.duration_s
        self.timed_out = self.timed_out or (went.outcome is Outcome.timed_out and self.left_s <= 0)
        self.progress.ended(Tier.tools, what, str(went.outcome))
        return went

    def _on_base(self, one: _Tried, sides: Sides) -> Attempt | None:
        head = one.went
        why = bends(self.change) or skipped_by_change(self.change, head.reading)
        if not needs_base(head, self._gate(one.task), one.task.kind, why):
            return None
        if one.on_base is None:
            return Attempt(Outcome.skipped, "its test files are new")
        if why is None and one.narrowed is None and head.duration_s > self.config.tier1.timeout_seconds / 2:
            one.on_base = failing_files(self.change, one.task, head.reading) or one.task
        kept = KeptResults(self.change, self.config, one.on_base)
        # A failing head is not compared with a cached pass: the environment may have changed since.
        known = kept.read() if head.outcome is Outcome.passed or self.left_s <= 0 else None
        if known is not None:
            return known
        if self.left_s <= 0:
            self.timed_out = True
            return Attempt(Outcome.skipped, TIME_USED_UP)
        side = sides.base
        if side.prepared.outcome is Outcome.infra_failed:
            return Attempt(Outcome.skipped, f"its tree could not be prepared ({side.prepared.reason})")
        # What a build left in the head may decide how a later command ends there.
        while self.built:
            self._attempt(self.built.pop(0), side)
        went = self._attempt(one.on_base, side)
        if side.prepared.ok:
            kept.keep(went)
        elif went.outcome is not Outcome.passed and not same_failure(head, went):
            return Attempt(Outcome.skipped, f"its tree could not be prepared ({side.prepared.reason})")
        return went

    def _ruled(self, one: _Tried) -> Ruling:
        head = one.went if self.config.tier1.flaky == "block" else one.settled
        ruled = ruling(head, one.base, self._gate(one.task), one.task.kind, self.change)
        if self.is_unprepared and ruled.gating and one.base is not None and one.base.outcome is Outcome.skipped:
            return Ruling(Outcome.infra_failed, False, f"{ruled.reason}; nor can the head be prepared")
        return ruled

    def _validated(self, one: _Tried) -> tuple[ToolRun, list[Finding], int]:
        task, ruled, flaky = one.task, self._ruled(one), one.flaky or Flaky()
        blocks = self.config.tier1.flaky == "block"
        head = one.went if blocks else one.settled
        new, num_old = introduced(one.settled, one.base, task.kind, self.change, gating=ruled.gating)
        why_all = self.affected.why_all if self.affected is not None and task.kind is ToolKind.test else None
        part = one.narrowed.reason if one.narrowed is not None else why_all and f"all tests: {why_all}"
        reason = "; ".join(filter(None, (ruled.reason, flaky.reason, part))) or None
        run = ToolRun(
            name=task.name,
            kind=task.kind,
            command=task.line,
            found_in=task.found_in,
            outcome=ruled.outcome,
            gate=self._gate(task),
            duration_s=round(head.duration_s, 3),
            gating=ruled.gating,
            counts=head.reading.counts,
            exit_code=head.exit_code,
            base_outcome=one.base.outcome if one.base is not None else None,
            reason=with_services(reason, task.services, head, one.base),
            excerpt=head.excerpt,
            directory=task.directory,
        )
        return run, [*new, *flaky.findings(one.went.reading, blocks=blocks)], num_old


def _unfinished_tests(tried: Iterable[tuple[Task, Attempt]]) -> list[str]:
    """Return the test commands that began or should have, and did not end by themselves."""
    unfinished = (Outcome.timed_out, Outcome.infra_failed, Outcome.skipped)
    return [task.name for task, went in tried if task.kind is ToolKind.test and went.outcome in unfinished]


def _passed_files(tried: Iterable[tuple[Task, Attempt]]) -> tuple[str, ...]:
    """Return the test files of which tests ran and none failed, as far as the runners name their tests."""
    ended: dict[str, set[Ended]] = defaultdict(set)
    for _, went in tried:
        for (file, _), how in went.reading.tests.items():
            ended[file].add(how)
    passed = sorted(file for file, how in ended.items() if file and Ended.passed in how and Ended.failed not in how)
    return tuple(passed[:MOST_PASSED_FILES])
