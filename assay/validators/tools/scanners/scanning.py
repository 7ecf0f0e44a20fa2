"""Runs Tier 1's scanners, one after the other, on one export of the change."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.validators.changes.change import ChangedFile, ChangeSet, shown
from assay.validators.configuration.model import ValidationConfig
from assay.validators.errors import ProgramMissing
from assay.validators.policy.natures import ASIDE, bounded
from assay.validators.progress import Deadline, Progress
from assay.validators.report.answers import Answers, unanswered
from assay.validators.report.identity import identified
from assay.validators.report.model import (
    OWN_COMMANDS,
    Counts,
    Finding,
    Gate,
    Outcome,
    Severity,
    Tier,
    ToolKind,
    ToolRun,
    ToolsResult,
)
from assay.validators.report.unknown import NotChecked, Question
from assay.validators.tools.scanners.export import Export, write_export
from assay.validators.tools.scanners.introduced import introduced
from assay.validators.tools.scanners.register import SCANNERS
from assay.validators.tools.scanners.scanner import Assignment, Scan, ScanFailed, Scanner, Sighting
from assay.validators.tools.tool import ScanResult
from assay.validators.wording import plural

MOST_ATTEMPTS = 14
"""Maximum runs of one scanner to find the files that stop it."""
SHARE_OF_TIME = 0.6
"""Share of the remaining time for a run over more than one file."""

NOTHING_READ = "it could read none of its files"
CUT_OFF = (Outcome.timed_out, Outcome.infra_failed, Outcome.skipped)
"""Outcomes of a scanner that began or would have, and did not finish."""
NOT_SCANNED = "not scanned"
NO_TIME = "no time was left in Tier 1"


def run_scanners(change: ChangeSet, config: ValidationConfig, *, progress: Progress, why: str) -> ToolsResult:
    """Run Tier 1 without the repository's own commands; a note says why these did not run."""
    scanned = scan(change, config, Deadline(config.tier1.timeout_seconds), progress)
    notes = (NotChecked(OWN_COMMANDS, why), *scanned.not_checked)
    return ToolsResult(scanned.runs, identified(scanned.findings), not_checked=notes)


def scan(change: ChangeSet, config: ValidationConfig, deadline: Deadline, progress: Progress) -> ScanResult:
    """Return the scanner results the change introduces; a scanner without files to check has no row.

    Only findings of severity error outside of tests block. What could not be checked never does, but what was cut off
    prevents success in mode `enforce`.
    """
    files, left_out = bounded(change.files, "not scanned: too many in one change")
    work = [(scanner, wanted) for scanner in SCANNERS if (wanted := [file for file in files if scanner.wants(file)])]
    if not work:
        return ScanResult(not_checked=(*left_out, *unanswered(change.files, Question.secrets, NOT_SCANNED)))
    with tempfile.TemporaryDirectory(prefix="assay-scan-", ignore_cleanup_errors=True) as folder:
        (Path(folder) / "export").mkdir()
        every = {file.path: file for _, wanted in work for file in wanted}
        export = write_export(change, every.values(), Path(folder) / "export")
        export.left_out += left_out
        scanning = _Scanning(change, config, deadline, progress, export, Path(folder))
        for scanner, wanted in work:
            scanning.one(scanner, wanted)
        return ScanResult(
            findings=tuple(scanning.findings),
            not_checked=(*scanning.not_checked, *scanning.answers.unknown()),
            runs=tuple(scanning.runs),
        )


@dataclass
class _Scanning:
    """A round of scanners and its results so far."""

    change: ChangeSet
    config: ValidationConfig
    deadline: Deadline
    progress: Progress
    export: Export
    folder: Path
    runs: list[ToolRun] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    not_checked: list[NotChecked] = field(init=False)
    looked: set[str] = field(default_factory=set)
    answers: Answers = field(init=False)

    def __post_init__(self) -> None:
        self.not_checked = self.export.not_checked()
        self.answers = Answers(self.change.files)

    def one(self, scanner: Scanner, files: Sequence[ChangedFile]) -> None:
        """Run one scanner on its files, and record its result."""
        names = self.export.of(files)
        if not any(self.export.by_name[name].side == "head" for name in names):
            return
        if scanner.name not in self.config.tier1.scanners:
            why = "switched off by tier1.scanners"
            self.answers.failed(scanner, why)
            self._leave_open(scanner, files, why, scanner.name)
            return
        if self.deadline.passed:
            self._give_up(scanner, files, 0.0, Outcome.skipped, NO_TIME)
            return
        self.progress.began(Tier.tools, scanner.name)
        began = time.monotonic()
        try:
            seen = self._scan(scanner, [file for file in files if self.export.of([file])])
        except ProgramMissing as error:
            self._give_up(scanner, files, time.monotonic() - began, Outcome.inert, str(error))
        except ScanFailed as error:
            self._give_up(scanner, files, time.monotonic() - began, error.outcome, error.why)
        else:
            if seen.unfinished:
                outcome = getattr(seen.unfinished, "outcome", None)
                self._leave_open(scanner, files, str(seen.unfinished), scanner.name, outcome)
            else:
                self.looked.add(scanner.name)
            self._answer(scanner, files)
            self._note(scanner, len(files), time.monotonic() - began, seen)
        self.progress.ended(Tier.tools, scanner.name, str(self.runs[-1].outcome))

    def _scan(self, scanner: Scanner, files: Sequence[ChangedFile]) -> Scan:
        """Return a scanner's sightings; leave out a file that stops it, found by halving.

        Raises the scanner's error if it can read none of the files.
        """
        waiting, seen, failed = [list(files)], [], list[tuple[list[ChangedFile], ScanFailed]]()
        for attempt in range(MOST_ATTEMPTS):
            group = waiting.pop()
            try:
                seen.append(self._attempt(scanner, group, attempt))
            except ScanFailed as error:
                half = len(group) // 2
                is_worth = half > 0 and not self.deadline.passed
                waiting += [group[:half], group[half:]] if is_worth else []
                failed += [] if is_worth else [(group, error)]
            if not waiting:
                break
        else:
            left = [file for group in waiting for file in group]
            failed.append((left, ScanFailed(scanner.name, Outcome.infra_failed, "failed too often")))
        if not seen and failed:
            raise failed[0][1]
        for group, failure in failed:
            for file in group:
                self._leave_open(scanner, [file], str(failure), shown(file.path), failure.outcome)
        return Scan(
            tuple(sighting for scan in seen for sighting in scan.sightings),
            tuple(dict.fromkeys(note for scan in seen for note in scan.not_checked)),
            next((scan.unfinished for scan in seen if scan.unfinished), None),
            sum(scan.num_unread for scan in seen),
        )

    def _attempt(self, scanner: Scanner, files: Sequence[ChangedFile], attempt: int) -> Scan:
        scratch = self.folder / "scratch" / scanner.name / str(attempt)
        scratch.mkdir(parents=True)
        # A file that takes all the time must leave some for the others.
        left_s = self.deadline.left_s()
        deadline = Deadline(max(1.0, left_s * SHARE_OF_TIME)) if len(files) > 1 else self.deadline
        names, looked = self.export.of(files), frozenset(self.looked)
        return scanner.scan(Assignment(self.export, names, self.change.in_force, scratch, deadline, looked))

    def _note(self, scanner: Scanner, num_files: int, duration_s: float, seen: Scan) -> None:
        found = introduced(map(self._weighed, seen.sightings), scanner.name)
        num_errors = sum(finding.severity is Severity.error for finding in found)
        num_warnings = sum(finding.severity is Severity.warning for finding in found)
        is_blind = seen.num_unread >= num_files > 0 and not found
        outcome = Outcome.failed if num_errors else Outcome.inert if is_blind else Outcome.passed
        run = self._row(scanner, num_files, duration_s, outcome)
        self.runs.append(
            replace(
                run,
                gating=num_errors > 0,
                counts=Counts(errors=num_errors, warnings=num_warnings),
                reason=f"{num_errors} found that the change introduces"
                if num_errors
                else NOTHING_READ
                if is_blind
                else None,
            )
        )
        self.findings += found
        self.not_checked += seen.not_checked

    def _answer(self, scanner: Scanner, files: Sequence[ChangedFile]) -> None:
        """Record what the scanner answered, and the files it did not check."""
        self.answers.ran(scanner)
        if scanner.answers is not None:
            wanted = {file.path for file in files}
            others = [file for file in self.change.files if file.path not in wanted]
            for unknown in unanswered(others, scanner.answers, NOT_SCANNED):
                self.answers.say(unknown)

    def _give_up(
        self, scanner: Scanner, files: Sequence[ChangedFile], duration_s: float, outcome: Outcome, why: str
    ) -> None:
        self.runs.append(replace(self._row(scanner, len(files), duration_s, outcome), reason=why))
        named = why if scanner.name in why else f"{scanner.name}: {why}"
        self.answers.failed(scanner, named)
        self._leave_open(scanner, files, named, scanner.name, outcome)

    def _leave_open(
        self, scanner: Scanner, files: Sequence[ChangedFile], why: str, what: str, outcome: Outcome | None = None
    ) -> None:
        """Record `what` a scanner did not check, and each question that this leaves open for these files."""
        questions = [question for question in (scanner.answers, Question.dangers) if question]
        self.not_checked.append(NotChecked(what, why, outcome in CUT_OFF))
        for unknown in (one for question in questions for one in unanswered(files, question, why)):
            self.answers.say(unknown)

    def _row(self, scanner: Scanner, num_files: int, duration_s: float, outcome: Outcome) -> ToolRun:
        return ToolRun(
            name=scanner.name,
            kind=ToolKind.sast,
            command=f"{scanner.name} on {plural(num_files, 'changed file')}",
            found_in=f"tier1.scanners.{scanner.name}",
            outcome=outcome,
            gate=Gate.strict,
            duration_s=round(duration_s, 3),
        )

    def _weighed(self, sighting: Sighting) -> Sighting:
        """Lower an error in a test, documentation or an example, where dangerous code may be intended."""
        file = self.change.by_path[sighting.where.path]
        if file.nature not in ASIDE and not file.is_example:
            return sighting
        most = Severity.warning if sighting.in_tests or file.is_example else Severity.info
        return replace(sighting, severity=min(sighting.severity, most, key=lambda severity: severity.rank))
