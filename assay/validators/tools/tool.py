"""Interfaces of Tier 1's tools: recognise a command, request clear output, and parse it.

discovery/  finds `Task`s (command lines and their places)          one file per ecosystem
readers/    `Tool`s: pytest, ruff, tsc, …                           one section of formats.toml per tool
a Task whose line a Tool recognises is run with that tool's `environment` and `arguments`, and read by its `read`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import ClassVar, Protocol, TypeAlias

from assay.validators.changes.change import SourceTree
from assay.validators.io.process import Completed
from assay.validators.report.model import Counts, Finding, Gate, ToolKind, ToolRun
from assay.validators.report.unknown import NotChecked


@dataclass(frozen=True, slots=True)
class Task:
    """A command line of the repository: its purpose, where it was found, where it runs.

    `found_in` is for display: `package.json scripts.test`, `Makefile:12 lint`, `.github/workflows/ci.yml:31 run`.
    `does` holds the plain commands behind the line, where discovery finds them (`npm test` -> `vitest run`); empty
    stands for the line itself. `inferred`: the line follows from a settings file and is written nowhere. `services`
    run in CI (a database), and not here.
    """

    name: str
    kind: ToolKind
    line: str
    found_in: str
    directory: str = "."
    gate: Gate | None = None
    timeout_s: float | None = None
    does: tuple[str, ...] = ()
    inferred: bool = False
    services: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SetupStep:
    """A command that helps to prepare a fresh tree; `stdin` is its input."""

    line: str
    found_in: str
    directory: str = "."
    stdin: str | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """Steps that prepare a fresh tree of one project, grouped by whose code runs.

    begin    creates an empty environment in the folder `$VIRTUAL_ENV`
    fetch    downloads published packages and runs nothing of the tree: the result may be cached for another tree with
             the same `depends_on` files, `versions` and steps. Cached are the folders `keeps` (of the tree, or of
             `$ASSAY_PREFIX`), or the list that `freeze` prints, from which `thaw` installs the same again
    install  runs code of the tree (its build, its hooks), and so runs again for every tree

    `covers_nested`: the projects below this one are prepared with it (a workspace).
    """

    begin: tuple[SetupStep, ...] = ()
    fetch: tuple[SetupStep, ...] = ()
    install: tuple[SetupStep, ...] = ()
    keeps: tuple[str, ...] = ()
    freeze: str | None = None
    thaw: str | None = None
    depends_on: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    covers_nested: bool = False

    @property
    def steps(self) -> tuple[SetupStep, ...]:
        return (*self.begin, *self.fetch, *self.install)


class Ended(StrEnum):
    """Outcome of one test."""

    passed = "passed"
    failed = "failed"
    skipped = "skipped"

    @property
    def ran(self) -> bool:
        return self is not Ended.skipped


TestId: TypeAlias = tuple[str, str]
"""(file or folder of the test, "" where unknown; its name there)."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A task that ran: its words, its output, its tree, and the scratch folder for its files.

    `started_at_s` is the start time (seconds since the epoch): a report file that is older was not written by the run.
    `piped` are the results of a runner that frames the output of its tests, out of their reach.
    """

    task: Task
    words: Sequence[str]
    completed: Completed
    root: Path
    scratch: Path
    started_at_s: float = 0.0
    piped: Mapping[TestId, Ended] | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """Parsed output of a tool.

    `looked` is False where the tool could not do its work (import or collection error, no tests, unreadable output),
    with a `reason`: such a run is not a baseline. Findings carry repository-relative paths. `tests` has every test by
    name, where the runner names them all. `is_reported` is True where they come from the report Assay asked the
    runner for, False where that report is missing or damaged, None where none was asked for. `raised_in` has, for the
    context of a failing test, the file of the innermost frame in the repository, where the runner shows frames.
    """

    counts: Counts = field(default_factory=Counts)
    findings: tuple[Finding, ...] = ()
    looked: bool = True
    reason: str | None = None
    tests: Mapping[TestId, Ended] = field(default_factory=dict, hash=False)
    is_reported: bool | None = None
    num_retried: int = 0
    raised_in: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def num_bad(self) -> int:
        """The number of tests that failed or could not run."""
        return (self.counts.failed or 0) + (self.counts.errors or 0)

    @property
    def has_results(self) -> bool:
        """Whether any test is known to have run."""
        counts = self.counts
        return bool(self.tests) or any((counts.passed, counts.failed, counts.skipped))


class Tool(Protocol):
    """A tool Assay reads in depth."""

    @property
    def name(self) -> str:
        """The register key, as users know it."""

    @property
    def kind(self) -> ToolKind:
        """The kind of a command that does not state its own."""

    def recognises(self, words: Sequence[str]) -> bool:
        """Return whether these words (a split command line, no assignments in front) start this tool."""

    def arguments(self, words: Sequence[str], scratch: Path) -> Sequence[str]:
        """Add options that make the tool write a machine-readable result (into `scratch`, or to its output)."""

    def environment(self, scratch: Path) -> Mapping[str, str]:
        """Return variables that make the tool write such a result even inside another runner (npm, make, tox)."""

    def read(self, ran: Ran) -> Reading:
        """Parse the run's output; never raise for what it holds."""


class Ecosystem:
    """A family of projects: finds its commands and how to prepare a tree. Reads files only, runs nothing.

    `name` is the register key (python, javascript, rust, …).
    """

    name: ClassVar[str]

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return the commands the project at the top of this tree checks itself with, best first."""
        raise NotImplementedError

    def setup(self, tree: SourceTree, tasks: Sequence[Task]) -> Setup | None:
        """Return how a fresh tree is prepared for these tasks; `found_in` names the lock file or manifest.

        None (the default) where nothing is known to prepare.
        """

    def unfold(self, tree: SourceTree, words: Sequence[str]) -> Sequence[str] | None:
        """Return the commands behind one of this ecosystem (`npm test` -> its script); None for other commands."""


@dataclass(frozen=True, slots=True)
class ScanResult:
    """The scanners' findings on the exported files: a run of kind `sast` for each that checked some."""

    findings: tuple[Finding, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()
    runs: tuple[ToolRun, ...] = ()
