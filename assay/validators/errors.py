"""Errors that stop a validation, each with a one-line message for users.

    ValidatorError
    ├── UsageError                invalid request                               exit 2
    │   ├── NotARepository
    │   ├── UnknownRevision
    │   ├── NoCommits
    │   ├── NoBase
    │   ├── UnrelatedHistories
    │   ├── ShallowHistory
    │   ├── UnreadableCoverage
    │   └── ReportUnreadable
    ├── ConfigurationError        invalid configuration, with places            exit 2
    └── CouldNotRun               machine failure, never the change's fault     exit 3
        ├── GitFailed
        │   └── RemoteRefused
        ├── ProgramMissing
        ├── ObjectMissing
        ├── TooLarge
        └── ValidationEnded       the validation process died, or ran out of time or memory

A failing test or a risky change is never an exception: it is a finding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.coded_error import CodedError


class ValidatorError(CodedError):
    """Base class of all validation errors; `str(error)` is one clear line."""

    exit_code = 3


class UsageError(ValidatorError):
    """Request that cannot be carried out."""

    exit_code = 2


class NotARepository(UsageError):
    """Path outside any git repository."""

    code = "git.not-a-repository"

    def __init__(self, path: str) -> None:
        super().__init__(f"{path}: not a git repository (or not readable); give the path of a checkout")


class UnknownRevision(UsageError):
    """Revision that names nothing in this repository, which may be a shallow clone."""

    code = "git.unknown-revision"

    def __init__(self, revision: str, role: str = "revision", *, is_shallow: bool = False) -> None:
        advice = "check the spelling, or fetch it first (git fetch origin)"
        if is_shallow:
            advice = (
                "this clone is shallow: fetch more of it with `git fetch --deepen=200` or `git fetch --unshallow` "
                "(in a workflow: fetch-depth: 0), or check the spelling"
            )
        super().__init__(f"{role} {revision!r}: no such commit here; {advice}")


class NoCommits(UsageError):
    """Branch without commits. `branch` is its name; None if the whole repository is empty."""

    code = "git.no-commits"

    def __init__(self, branch: str | None) -> None:
        where = "this repository" if branch is None else f"the branch {branch!r}"
        super().__init__(f"{where} has no commits yet; commit first, then validate")


class NoBase(UsageError):
    """Change whose base was not named and is not known from the repository or CI."""

    code = "git.no-base"

    def __init__(self, why: str) -> None:
        super().__init__(f"no base to compare with is known: {why}; name one with --base REF")


class UnrelatedHistories(UsageError):
    """Base and head without a common commit, hence without a change to validate."""

    code = "git.unrelated-histories"

    def __init__(self, base: str, head: str) -> None:
        super().__init__(f"{base} and {head} have no common ancestor: name two commits of one history")


class ShallowHistory(UsageError):
    """Clone too shallow to hold the merge base."""

    code = "git.shallow-clone"

    def __init__(self, base: str, head: str) -> None:
        super().__init__(
            f"shallow clone: the merge base of {base} and {head} is not in it; "
            "deepen it with `git fetch --deepen=200` or `git fetch --unshallow` (in a workflow: fetch-depth: 0)"
        )


class UnreadableCoverage(UsageError):
    """Coverage file given by the user that does not fit this repository."""

    code = "coverage.unreadable"

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"coverage file {path}: {why}")


class ReportUnreadable(UsageError):
    """Text that is not a valid report, or part of one; the message names the place."""

    code = "report.unreadable"

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what} cannot be read: {why}")
        self.why = why


@dataclass(frozen=True, slots=True)
class ConfigurationProblem:
    """One problem in a configuration file: place, cause and fix."""

    file: str
    line: int | None
    message: str
    code: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{self.code}: {place}: {self.message}"


class ConfigurationError(ValidatorError):
    """Invalid configuration; `problems` holds every problem, not only the first."""

    exit_code = 2

    def __init__(self, problems: Sequence[ConfigurationProblem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


class CouldNotRun(ValidatorError):
    """Machine failure that leaves the change unchecked."""


class GitFailed(CouldNotRun):
    """Failed git command, with git's last line; `returncode` is None if it took too long."""

    code = "git.failed"

    def __init__(self, arguments: Sequence[str], returncode: int | None, stderr: str) -> None:
        status = -1 if returncode is None else returncode
        lines = stderr.strip().splitlines()
        super().__init__(f"git {' '.join(arguments[:2])} failed ({status}): {lines[-1] if lines else 'no message'}")


class ProgramMissing(CouldNotRun):
    """Program that Assay itself needs and that is not installed."""

    code = "program.missing"

    def __init__(self, program: str, hint: str) -> None:
        super().__init__(f"{program}: not found; {hint}")
        self.program = program


class ObjectMissing(CouldNotRun):
    """Object that the change needs and the repository lacks (partial clone, or damage)."""

    code = "git.missing-object"

    def __init__(self, object_id: str) -> None:
        super().__init__(
            f"object {object_id} is not in this repository (partial clone?); fetch it with `git fetch --refetch`"
        )
        self.object_id = object_id


class RemoteRefused(GitFailed):
    """Fetch refused by the remote; `is_absent` if it only lacks the requested objects."""

    code = "git.remote-refused"

    def __init__(self, returncode: int | None, stderr: str, *, is_absent: bool) -> None:
        super().__init__(("fetch",), returncode, stderr)
        self.is_absent = is_absent


class TooLarge(CouldNotRun):
    """Request that exceeds a size limit."""

    code = "limit.exceeded"


class ValidationEnded(CouldNotRun):
    """Validation process that ended without a report. `why` is stopped, deadline, memory or crashed.

    `incident` is the id under which its last output is logged; that output is never part of the message.
    """

    def __init__(self, why: str, said: str, *, incident: str, last_words: str = "") -> None:
        super().__init__(f"{said} (incident {incident})", code=f"validation.{why}")
        self.why = why
        self.incident = incident
        self.last_words = last_words
