"""What can stop Assay from looking at a change, each with the one line a person needs.

    ValidatorError
    ├── UsageError                what was asked for does not make sense        exit 2
    │   ├── NotARepository
    │   ├── UnknownRevision
    │   ├── NoCommits
    │   ├── UnrelatedHistories
    │   ├── ShallowHistory
    │   ├── UnreadableCoverage
    │   └── ReportUnreadable
    ├── ConfigurationError        the configuration is at fault, with places    exit 2
    └── CouldNotRun               we could not look; never the change's fault   exit 3
        ├── GitFailed
        │   └── RemoteRefused
        ├── ProgramMissing
        ├── ObjectMissing
        ├── TooLarge
        └── JudgingEnded          the judging process died, or ran out of time or memory

A failing test or a risky change is never an exception: it is a finding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class ValidatorError(Exception):
    """Assay could not do what was asked; `str(error)` is one clear line."""

    exit_code = 3


class UsageError(ValidatorError):
    """What was asked for does not make sense as it stands."""

    exit_code = 2


class NotARepository(UsageError):
    """The path is not inside a git repository."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path}: not a git repository (or not readable); give the path of a checkout")
        self.path = path


class UnknownRevision(UsageError):
    """A revision names nothing in this repository."""

    def __init__(self, revision: str, role: str = "revision") -> None:
        super().__init__(
            f"{role} {revision!r}: no such commit here; check the spelling, or fetch it first (git fetch origin)"
        )
        self.revision = revision
        self.role = role


class NoCommits(UsageError):
    """HEAD is a branch without commits. `branch` is its name; None where the whole repository is empty."""

    def __init__(self, branch: str | None) -> None:
        where = "this repository" if branch is None else f"the branch {branch!r}"
        super().__init__(f"{where} has no commits yet; commit first, then validate")


class UnrelatedHistories(UsageError):
    """Base and head share no commit, so there is no change to judge."""

    def __init__(self, base: str, head: str) -> None:
        super().__init__(f"{base} and {head} have no common ancestor: name two commits of one history")
        self.base = base
        self.head = head


class ShallowHistory(UsageError):
    """The clone is too shallow to hold the merge base."""

    def __init__(self, base: str, head: str) -> None:
        super().__init__(
            f"shallow clone: the merge base of {base} and {head} is not in it; "
            "deepen it with `git fetch --deepen=200` or `git fetch --unshallow` (in a workflow: fetch-depth: 0)"
        )
        self.base = base
        self.head = head


class UnreadableCoverage(UsageError):
    """A coverage file given by hand says nothing about this repository."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"coverage file {path}: {why}")
        self.path = path
        self.why = why


class ReportUnreadable(UsageError):
    """A text that should be a report (or a part of one) is none; says where, in one line."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what} cannot be read: {why}")
        self.what = what
        self.why = why


@dataclass(frozen=True, slots=True)
class ConfigurationProblem:
    """One thing wrong in a configuration file: where it is, what it is, what to do."""

    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}"


class ConfigurationError(ValidatorError):
    """The configuration is at fault; `problems` holds every place, not only the first."""

    exit_code = 2

    def __init__(self, problems: Sequence[ConfigurationProblem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


class CouldNotRun(ValidatorError):
    """We could not look: nothing is known about the change."""


class GitFailed(CouldNotRun):
    """git itself refused; carries its last line."""

    def __init__(self, arguments: Sequence[str], returncode: int, stderr: str) -> None:
        lines = stderr.strip().splitlines()
        super().__init__(f"git {' '.join(arguments[:2])} failed ({returncode}): {lines[-1] if lines else 'no message'}")
        self.arguments = tuple(arguments)
        self.returncode = returncode
        self.stderr = stderr


class ProgramMissing(CouldNotRun):
    """A program Assay itself needs is not on this machine."""

    def __init__(self, program: str, hint: str) -> None:
        super().__init__(f"{program}: not found; {hint}")
        self.program = program


class ObjectMissing(CouldNotRun):
    """The repository lacks an object the change needs (a partial clone, or damage)."""

    def __init__(self, object_id: str) -> None:
        super().__init__(
            f"object {object_id} is not in this repository (partial clone?); fetch it with `git fetch --refetch`"
        )
        self.object_id = object_id


class RemoteRefused(GitFailed):
    """The other side of a fetch said no: `is_absent` where it only lacks what was asked for."""

    def __init__(self, arguments: Sequence[str], returncode: int, stderr: str, *, is_absent: bool) -> None:
        super().__init__(arguments, returncode, stderr)
        self.is_absent = is_absent


class TooLarge(CouldNotRun):
    """What was asked for takes more room than it may."""


class JudgingEnded(CouldNotRun):
    """The process that judged ended without a report. `why` is one word: stopped, deadline, memory, crashed.

    `incident` is the mark under which its last words were written down, for the log; they never stand in the message.
    """

    def __init__(self, why: str, said: str, *, incident: str, last_words: str = "") -> None:
        super().__init__(f"{said} (incident {incident})")
        self.why = why
        self.incident = incident
        self.last_words = last_words
