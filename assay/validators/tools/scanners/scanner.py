"""Interface of a scanner: a program that reads an export of the changed files and runs no code of the repository."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from assay.validators.changes.change import ChangedFile, SourceTree
from assay.validators.errors import CouldNotRun
from assay.validators.io import process
from assay.validators.progress import Deadline
from assay.validators.report.model import Outcome, Severity
from assay.validators.report.unknown import NotChecked, Question
from assay.validators.tools.readers.json_text import json_of
from assay.validators.tools.scanners.export import Export, Exported

A = TypeVar("A", dict[str, Any], list[Any])

OUTPUT_LIMIT = 64 * 1024 * 1024
"""Maximum bytes of a scanner's output; more is a malfunction."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A scanner's result in one version of a file; lines are 1-based.

    `weaker_than` names rules that say more; `in_tests`: it counts in test files too; `is_secret`: the text must not
    be repeated anywhere. `columns` are the bytes of the first line where it begins and of the last line where it ends,
    1-based and exclusive; (0, 0) if unknown.
    """

    where: Exported
    rule: str
    severity: Severity
    message: str
    line: int
    end_line: int
    suggestion: str | None = None
    weaker_than: str | None = None
    in_tests: bool = False
    is_secret: bool = False
    columns: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Scan:
    """Result of one scanner run: its sightings on both sides, what it could not check, and why it is not the whole.

    `num_unread` files of the head could not be read at all.
    """

    sightings: tuple[Sighting, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()
    unfinished: CouldNotRun | None = None
    num_unread: int = 0


@dataclass(frozen=True, slots=True)
class Assignment:
    """Input of a scanner: names in the export to check, the base for its settings, a scratch folder, its time.

    `looked` names the scanners that ran successfully before it.
    """

    export: Export
    names: Sequence[str]
    base: SourceTree
    scratch: Path
    deadline: Deadline
    looked: Collection[str] = field(default_factory=frozenset)

    @property
    def heads(self) -> list[Exported]:
        """The head's versions of the files to check."""
        files = (self.export.by_name[name] for name in self.names)
        return [file for file in files if file.side == "head"]

    def both_sides(self, look: Callable[[Sequence[str]], Scan]) -> Scan:
        """Return the head's sightings and, only if there are any, the base's: most changes introduce nothing."""
        head = look([name for name in self.names if self.export.by_name[name].side == "head"])
        others = [name for name in self.names if self.export.by_name[name].side == "base"]
        if not head.sightings or not others:
            return head
        base = look(others)
        return Scan((*head.sightings, *base.sightings), tuple(dict.fromkeys((*head.not_checked, *base.not_checked))))

    def run(self, name: str, words: Sequence[str], good: Collection[int] = (0,)) -> bytes:
        """Run a scanner's program in the export and return its output; raise `ScanFailed` or `ProgramMissing`."""
        left_s = self.deadline.left_s()
        done = process.run(
            words,
            cwd=self.export.folder,
            env=process.clean_environment({"HOME": str(self.scratch), "XDG_CONFIG_HOME": str(self.scratch), **_QUIET}),
            timeout_s=left_s,
            output_limit=OUTPUT_LIMIT,
        )
        if done.timed_out:
            raise ScanFailed(name, Outcome.timed_out, f"took longer than the {left_s:.0f} s that were left")
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = f"ended with {done.returncode}" + (f": {said[-1].strip()[:200]}" if said else "")
        if done.returncode is None or done.returncode < 0 or done.returncode == 137:
            raise ScanFailed(name, Outcome.infra_failed, why)
        if done.returncode not in good or done.num_dropped:
            raise ScanFailed(name, Outcome.inert, why if not done.num_dropped else "wrote more output than can be read")
        return done.stdout

    def answer(self, name: str, words: Sequence[str], kind: type[A], good: Collection[int] = (0,)) -> A:
        """Run a scanner's program and return its output, parsed as JSON; raise as `run` does."""
        answer = json_of(self.run(name, words, good))
        if not isinstance(answer, kind):
            raise ScanFailed(name, Outcome.inert, "wrote no readable output")
        return answer

    def settings(self, *paths: str) -> Path | None:
        """Copy the first of these files the base has into the scratch folder; return where it is."""
        for path in paths:
            content = self.base.read(path)
            if content is not None:
                target = self.scratch / path.rpartition("/")[2]
                target.write_bytes(content)
                return target
        return None


_QUIET = {"SEMGREP_SEND_METRICS": "off", "SEMGREP_ENABLE_VERSION_CHECK": "0", "NO_COLOR": "1"}


class ScanFailed(CouldNotRun):
    """Failure of a scanner, never caused by the change."""

    def __init__(self, scanner: str, outcome: Outcome, why: str) -> None:
        super().__init__(f"{scanner} {why}")
        self.outcome = outcome
        self.why = why


class Scanner(Protocol):
    """A scanner; its name is its entry in `tier1.scanners`."""

    @property
    def name(self) -> str:
        """The register key."""

    @property
    def answers(self) -> Question | None:
        """The report's question it answers for its files; None where none."""

    @property
    def covers(self) -> frozenset[str]:
        """The rows of the language table it reads."""

    def wants(self, file: ChangedFile) -> bool:
        """Return whether it checks files like this one."""

    def scan(self, assignment: Assignment) -> Scan:
        """Run once; raise `ScanFailed`, or `ProgramMissing` where its program is not installed."""
