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
from pathlib import Path, PurePosixPath

from assay.validators.changes.change import ChangeSet
from assay.validators.changes.manifest_table import manifest_of
from assay.validators.configuration.model import Sandbox as Wanted
from assay.validators.configuration.model import ValidationConfig
from assay.validators.progress import Deadline, Progress, Silent
from assay.validators.report.identity import identified
from assay.validators.report.model import Finding, Gate, Outcome, Tier, ToolKind, ToolRun, ToolsResult
from assay.validators.report.unknown import NotChecked
from assay.validators.tools.commands.bending import bends
from assay.validators.tools.comparison.changed_tests import SHARE_OF_TIME, Rerun, rerun_changed_tests
from assay.validators.tools.comparison.conditional_skips import skipped_by_change
from assay.validators.tools.comparison.flaky import SHARE_OF_TIME as SHARE_OF_REPEATS
from assay.validators.tools.comparison.flaky import Flaky, Run, find_flaky
from assay.validators.tools.comparison.gates import Ruling, needs_base, ruling, with_services
from assay.validators.tools.comparison.introduced import introduced
from assay.validators.tools.comparison.kept_results import KeptResults
from assay.validators.tools.comparison.missing_checks import missing_checks
from assay.validators.tools.coverage.contexts import find_contexts
from assay.validators.tools.coverage.files import find_coverage
from assay.validators.tools.discovery.discover import Discovery, survey
from assay.validators.tools.execution.attempt import Attempt, attempt
from assay.validators.tools.execution.environment import same_failure, same_words, telling_line
from assay.validators.tools.execution.sandbox import Sandbox, open_sandbox
from assay.validators.tools.execution.sides import Side, Sides
from assay.validators.tools.scanners.scanning import scan
from assay.validators.tools.tool import Ended, ScanResult, SetupStep, Task
from assay.validators.wording import listed, numbered

MOST_PASSED_FILES = 10_000
SHARE_BEFORE_TESTS = 0.5
"""Chosen share of the tier's time after which no linter begins before the tests."""
SHARE_OF_A_QUICK_ONE = 0.2
"""Chosen share of the tier's time up to which a failing command is run on the base before the next one begins."""
TIME_USED_UP = "the tier's time was used up"
_SETUP = "setup"
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
class _Run:
    """A run of the tier, and its remaining seconds; `is_unprepared`: the environment let neither tree be prepared."""

    change: ChangeSet
    config: ValidationConfig
    progress: Progress
    home: Path
    tree: Path | None
    scanners: bool
    left_s: float = 0.0
    timed_out: bool = False
    is_unprepared: bool = False
    notes: list[NotChecked] = field(default_factory=list)
    built: list[Task] = field(default_factory=list)
    compared: dict[str, Attempt | None] = field(default_factory=dict)

    def result(self) -> ToolsResult:
        """Run the tier from beginning to end."""
        touched = [file.path for file in self.change.files if file.exists]
        found = survey(self.change.head, self.config, touched)
        self.notes += missing_checks(self.change, self.config, found)
        self.left_s = float(self.config.tier1.timeout_seconds)
        began_s = time.monotonic()
        scanned = self._scanned()
        self.left_s -= time.monotonic() - began_s
        own = self._commands(found) if found.tasks else ToolsResult()
        return replace(
            own,
            runs=(*own.runs, *scanned.runs),
            findings=identified((*own.findings, *scanned.findings)),
            not_checked=(*self.notes, *own.not_checked, *scanned.not_checked),
        )

    def _scanned(self) -> ScanResult:
        return scan(self.change, self.config, Deadline(self.left_s), self.progress) if self.scanners else ScanResult()

    def _commands(self, found: Discovery) -> ToolsResult:
        sandbox = self._sandbox()
        sides = Sides(self.change, self.config, found, sandbox, self.progress, self.home, self.tree)
        head = sides.head
        if head.prepared.outcome is Outcome.infra_failed:
            why = f"the tree could not be prepared: {head.prepared.reason}"
            runs = [*_setup_run(sides, self.config, self.change)]
            for task in found.tasks:
                said = (task.name, task.kind, task.line, task.found_in, Outcome.skipped, self._gate(task), 0.0)
                runs.append(ToolRun(*said, reason=why, directory=task.directory))
            return ToolsResult(tuple(runs), sandbox=sandbox.said)
        began_at_s = time.time()
        # The report refers to runs by name.
        names = numbered(task.name for task in found.tasks)
        tasks = [replace(task, name=name) for task, name in zip(found.tasks, names, strict=True)]
        tried = self._tried(tasks, sides)
        lines, source, unread = find_coverage(head.workplace.root, (), began_at_s)
        contexts = find_contexts(head.workplace.root, self.change.head.paths, began_at_s)
        if lines is not None and (unfinished := _unfinished_tests(tried)):
            # What ran so far does not show which lines no test runs.
            lines, source, contexts = None, None, None
            unread = [NotChecked("coverage", f"it is incomplete: {listed(unfinished, 3)} did not finish")]
        runs = [*_setup_run(sides, self.config, self.change)]
        self.is_unprepared = any(run.outcome is Outcome.infra_failed for run in runs)
        findings: list[Finding] = []
        num_existing = 0
        for task, went in tried:
            if task.name not in self.compared:
                self.compared[task.name] = self._on_base(task, went, sides)
        repeat_s = self.config.tier1.timeout_seconds * SHARE_OF_REPEATS
        for task, went in tried:
            base = self.compared[task.name]
            flaky = find_flaky(self.change, task, went, base, self._repeater(sides), min(repeat_s, self.left_s))
            repeat_s -= flaky.duration_s
            run, new, num_old = self._validated(task, went, base, flaky)
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

    def _tried(self, tasks: Sequence[Task], sides: Sides) -> list[tuple[Task, Attempt]]:
        """Run the tasks in order; once half of the time is used, what the tests need comes before the rest.

        A quick command that fails is compared at once: long tests would leave no time for its run on the base.
        """
        waiting, went = list(tasks), {}
        while waiting:
            is_late = self.left_s < self.config.tier1.timeout_seconds * (1 - SHARE_BEFORE_TESTS)
            urgent = [task for task in waiting if task.kind in (ToolKind.build, ToolKind.test)] if is_late else []
            task = (urgent or waiting)[0]
            waiting.remove(task)
            done = went[task.name] = self._attempt(task, sides.head)
            if task.kind is ToolKind.build and done.outcome is Outcome.passed:
                self.built.append(task)
            is_quick = done.duration_s <= self.config.tier1.timeout_seconds * SHARE_OF_A_QUICK_ONE
            if done.is_bad and is_quick and not is_late:
                self.compared[task.name] = self._on_base(task, done, sides)
        return [(task, went[task.name]) for task in tasks]

    def _changed_tests(self, tried: Sequence[tuple[Task, Attempt]], head: Side) -> Rerun:
        """Run the base's version of edited tests on the head; never in a tree of the user."""
        limit_s = min(self.left_s, self.config.tier1.timeout_seconds * SHARE_OF_TIME)
        if self.tree is not None or limit_s <= 0:
            return Rerun()
        again = rerun_changed_tests(self.change, tried, head.workplace, limit_s)
        self.left_s -= again.duration_s
        return again

    def _repeater(self, sides: Sides) -> Run:
        def run(side: str, task: Task, limit_s: float) -> Attempt:
            return self._attempt(replace(task, timeout_s=limit_s), sides.head if side == "head" else sides.base)

        return run

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

    def _on_base(self, task: Task, head: Attempt, sides: Sides) -> Attempt | None:
        why = bends(self.change) or skipped_by_change(self.change, head.reading)
        if not needs_base(head, self._gate(task), task.kind, why):
            return None
        kept = KeptResults(self.change, self.config, task)
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
        went = self._attempt(task, side)
        if side.prepared.ok:
            kept.keep(went)
        elif went.outcome is not Outcome.passed and not same_failure(head, went):
            return Attempt(Outcome.skipped, f"its tree could not be prepared ({side.prepared.reason})")
        return went

    def _validated(
        self, task: Task, head: Attempt, base: Attempt | None, flaky: Flaky
    ) -> tuple[ToolRun, list[Finding], int]:
        gate = self._gate(task)
        blocks = self.config.tier1.flaky == "block"
        settled = flaky.settled(head)
        again = flaky.findings(head.reading, blocks=blocks)
        head = head if blocks else settled
        ruled = ruling(head, base, gate, task.kind, self.change)
        if self.is_unprepared and ruled.gating and base is not None and base.outcome is Outcome.skipped:
            ruled = Ruling(Outcome.infra_failed, False, f"{ruled.reason}; nor can the head be prepared")
        new, num_old = introduced(settled, base, task.kind, self.change, gating=ruled.gating)
        reason = "; ".join(filter(None, (ruled.reason, flaky.reason))) or None
        run = ToolRun(
            name=task.name,
            kind=task.kind,
            command=task.line,
            found_in=task.found_in,
            outcome=ruled.outcome,
            gate=gate,
            duration_s=round(head.duration_s, 3),
            gating=ruled.gating,
            counts=head.reading.counts,
            exit_code=head.exit_code,
            base_outcome=base.outcome if base is not None else None,
            reason=with_services(reason, task.services, head, base),
            excerpt=head.excerpt,
            directory=task.directory,
        )
        return run, [*new, *again], num_old


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


def _setup_run(sides: Sides, config: ValidationConfig, change: ChangeSet) -> tuple[ToolRun, ...]:
    """Return the head's failed setup, or nothing if it succeeded.

    The base is prepared too. If its setup succeeds, the change broke the head's, and that blocks. If both fail for the
    same cause, or in a step that the change cannot have broken, the environment is at fault and the commands could not
    run: parallel installers name whichever package failed first.
    """
    head = sides.head.prepared
    if head.ok or head.step is None:
        return ()
    run = ToolRun(
        name=_SETUP,
        kind=ToolKind.build,
        command=head.step.line,
        found_in=head.step.found_in,
        outcome=head.outcome,
        gate=config.tier1.gate,
        duration_s=round(head.duration_s, 3),
        reason=head.reason,
        excerpt=head.excerpt,
    )
    if head.outcome is Outcome.timed_out:
        return (replace(run, outcome=Outcome.infra_failed, base_outcome=Outcome.skipped),)
    if head.outcome not in (Outcome.failed, Outcome.infra_failed):
        return (run,)
    base = sides.base.prepared
    run = replace(run, base_outcome=base.outcome)
    is_lost = Outcome.infra_failed in (head.outcome, base.outcome)
    is_apart = head.step == base.step and not _touches_setup(change, head.step)
    is_alike = same_words([telling_line(head.excerpt)], [telling_line(base.excerpt)])
    if not base.ok and (is_lost or is_apart or is_alike):
        either = f"{head.reason}; the base cannot be prepared either"
        return (replace(run, outcome=Outcome.infra_failed, reason=either),)
    gating = config.tier1.gate is not Gate.informational and head.outcome is Outcome.failed
    why = "can be prepared" if base.ok else f"cannot be prepared for another cause ({base.reason})"
    return (replace(run, gating=gating, reason=f"{head.reason}; the base {why}"),)


def _touches_setup(change: ChangeSet, step: SetupStep) -> bool:
    """Return whether the change touches what may break a setup: manifests, lock files, and what the step names."""
    return any(
        manifest_of(file.path) is not None or PurePosixPath(file.path).name in step.line for file in change.files
    )
