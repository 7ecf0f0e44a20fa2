"""State that one step of the Action leaves for the next: the place of the commits, and each subject's report.

It is stored in the job's own folder (`ASSAY_ACTION_WORK`), which code of the change cannot reach in a job that only
publishes. It is still read strictly: bounded, typed, without following links, and with paths of the job only. What is
validated is never taken from it if the event or GitHub can be asked again.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from assay.action.environment.job import Job
from assay.action.environment.subject import STRICT, Subject
from assay.github.errors import GithubAppError
from assay.validators import Inherited, ReportUnreadable, ValidationReport, read_report, report_as

FETCHED = "fetched.json"
MOST_SUBJECTS = 50
MOST_STATE_BYTES = 32 * 1024 * 1024
MOST_REPORT_BYTES = 32 * 1024 * 1024
MOST_WORDS = 2_000

_Words = Annotated[str, Field(max_length=MOST_WORDS)]


@dataclass(frozen=True, slots=True)
class Fetched:
    """A subject, the local repository with its commits, and its inherited configuration; or why they are not there."""

    __pydantic_config__ = STRICT

    subject: Subject
    repository: Path | None = None
    why: _Words = ""
    inherited: Inherited = field(default_factory=Inherited)


@dataclass(frozen=True, slots=True)
class Validated:
    """The result for a subject: a report, or why there is none."""

    report: ValidationReport | None = None
    why: str = ""


_FETCHED = TypeAdapter(Annotated[tuple[Fetched, ...], Field(max_length=MOST_SUBJECTS)])
_WHY = TypeAdapter(_Words, config=ConfigDict(strict=True))


def keep_fetched(fetched: Sequence[Fetched], job: Job) -> None:
    """Store what was fetched, for the next steps."""
    keep(job.work / FETCHED, _FETCHED.dump_json(tuple(replace(one, why=one.why[:MOST_WORDS]) for one in fetched)))


def fetched_before(job: Job) -> tuple[Fetched, ...]:
    """Return what an earlier step fetched. Raises `GithubAppError` if the file was not written by it."""
    data = kept(job.work / FETCHED, MOST_STATE_BYTES)
    try:
        fetched = _FETCHED.validate_json(data)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise GithubAppError(
            f"{FETCHED} was not written by the fetch step (at {place[:100]!a})", code="action.not-fetched"
        ) from None
    if not all(one.repository is None or _is_ours(one.repository, job) for one in fetched):
        raise GithubAppError(
            f"{FETCHED} names a repository that the fetch step did not fetch", code="action.foreign-repository"
        )
    return fetched


def keep_validated(place: int, validated: Validated, job: Job) -> None:
    """Store the result for the subject at a place (from 0)."""
    if validated.report is not None:
        data = report_as(validated.report, "json")
    else:
        data = _WHY.dump_json(validated.why[:MOST_WORDS]).decode()
    keep(_report_path(place, job, is_validated=validated.report is not None), data.encode("utf-8", "surrogatepass"))


def validated_before(place: int, job: Job) -> Validated:
    """Return the result for the subject at a place. Raises `GithubAppError` if there is none."""
    path = _report_path(place, job, is_validated=True)
    if not path.exists():
        data = kept(_report_path(place, job, is_validated=False), MOST_STATE_BYTES)
        try:
            return Validated(None, _WHY.validate_json(data))
        except ValidationError:
            raise GithubAppError("the validation step left no readable result") from None
    try:
        return Validated(read_report(kept(path, MOST_REPORT_BYTES)))
    except ReportUnreadable as error:
        raise GithubAppError(str(error)) from None


def keep(path: Path, data: bytes) -> None:
    """Write a new file; an existing file or link is replaced, never followed."""
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)


def kept(path: Path, most_bytes: int) -> bytes:
    """Read a file of an earlier step. Raises `GithubAppError` for a link, a non-file, or more than `most_bytes`."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise GithubAppError(
            f"{path.name} of an earlier step cannot be read: {error.strerror}", code="action.unreadable-state"
        ) from None
    with os.fdopen(handle, "rb") as file:
        is_file = stat.S_ISREG(os.fstat(handle).st_mode)
        data = file.read(most_bytes + 1) if is_file else b""
    if not is_file or len(data) > most_bytes:
        raise GithubAppError(f"{path.name} was not written by an earlier step", code="action.forged-state")
    return data


def _is_ours(repository: Path, job: Job) -> bool:
    if repository.is_relative_to(job.work / "mirrors") and ".." not in repository.parts:
        return True
    return job.workspace is not None and repository == job.workspace.resolve()


def _report_path(place: int, job: Job, *, is_validated: bool) -> Path:
    return job.work / (f"report-{place}.json" if is_validated else f"not-validated-{place}.json")
