"""What Tier 1 knows of a tool: how to recognise its command, make it speak clearly, and read what it said.

discovery/  finds `Task`s (command lines and where they stand)      one file per ecosystem
members/    `Tool`s: pytest, ruff, tsc, …                           one file per tool
a Task whose line a Tool recognises is run with that tool's `environment` and `arguments`, and read by its `read`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from assay.validators.change import SourceTree
from assay.validators.process import Completed
from assay.validators.report import Counts, Finding, Gate, NotChecked, ToolKind


@dataclass(frozen=True, slots=True)
class Task:
    """A command line of the repository: what it is for, where it was found, where it runs.

    `found_in` is for a person: `package.json scripts.test`, `Makefile:12 lint`, `.github/workflows/ci.yml:31 run`.
    """

    name: str
    kind: ToolKind
    line: str
    found_in: str
    directory: str = "."
    gate: Gate | None = None
    timeout_s: float | None = None


@dataclass(frozen=True, slots=True)
class Ran:
    """A task that ran: the words it ran with, what came out, the tree it ran in, and the scratch folder for its files."""

    task: Task
    words: Sequence[str]
    completed: Completed
    root: Path
    scratch: Path


@dataclass(frozen=True, slots=True)
class Reading:
    """What a tool's output says.

    `looked` is False where the tool could not do its work (import or collection error, no tests, unreadable output), with a
    `reason`: such a run is no baseline. Findings carry repository-relative paths.
    """

    counts: Counts = field(default_factory=Counts)
    findings: tuple[Finding, ...] = ()
    looked: bool = True
    reason: str | None = None


class Tool(Protocol):
    """One tool Assay reads in depth."""

    @property
    def name(self) -> str:
        """The register key, as users know it."""

    @property
    def kind(self) -> ToolKind:
        """What it is for when a command does not say."""

    def recognises(self, words: Sequence[str]) -> bool:
        """Whether these words (a split command line, no assignments in front) start this tool."""

    def arguments(self, words: Sequence[str], scratch: Path) -> Sequence[str]:
        """The words with what makes the tool write a machine-readable result (into `scratch`, or to its output)."""

    def environment(self, scratch: Path) -> Mapping[str, str]:
        """Variables that make the tool write such a result even from inside another runner (npm, make, tox)."""

    def read(self, ran: Ran) -> Reading:
        """What the run says; never raises for what the output holds."""


class Ecosystem(Protocol):
    """A family of projects: finds its commands and how a tree of it is made ready. Reads files only, runs nothing."""

    @property
    def name(self) -> str:
        """The register key (python, javascript, rust, …)."""

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """The commands this project checks itself with, best first."""

    def setup(self, tree: SourceTree) -> Iterable[Task]:
        """The commands that make a fresh tree ready, in order; `found_in` names the lock file or manifest."""


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What the scanners found on the exported files of the change."""

    findings: tuple[Finding, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()
