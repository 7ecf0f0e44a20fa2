"""State that one step of the Action leaves for the next: the place of the commits, and each subject's report.

It is stored in the job's own folder (`ASSAY_ACTION_WORK`), which code of the change cannot reach in a job that only
publishes. It is still read strictly: bounded, typed, without following links, and with paths of the job only. What is
validated is never taken from it if the event or GitHub can be asked again.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.action.environment.job import Job
from assay.action.environment.subject import MOST_REF, Subject, SubjectKind
from assay.github.errors import GithubAppError
from assay.validators import FORMATS, ReportUnreadable, ValidationReport, read_report

FETCHED = "fetched.json"
MOST_SUBJECTS = 50
MOST_STATE_BYTES = 1024 * 1024
MOST_REPORT_BYTES = 32 * 1024 * 1024
MOST_WORDS = 2_000

_Id = Annotated[str, Field(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})?$")]
_Number = Annotated[int, Field(gt=0, lt=2**63)]
_Words = Annotated[str, Field(max_length=MOST_WORDS)]


@dataclass(frozen=True, slots=True)
class Fetched:
    """A subject and the local repository with its commits, or why they could not be fetched."""

    subject: Subject
    repository: Path | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Validated:
    """The result for a subject: a report, or why there is none."""

    report: ValidationReport | None = None
    why: str = ""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)


class _KeptSubject(_Strict):
    base_sha: _Id
    head_sha: _Id
    base_ref: Annotated[str, Field(max_length=MOST_REF * 4)]
    head_ref: Annotated[str, Field(max_length=MOST_REF * 4)]
    number: _Number | None
    kind: Literal["pull", "group", "commit"]
    is_fork: bool
    source_run_id: _Number | None
    is_second_stage: bool
    settings_sha: _Id


class _Kept(_Strict):
    subject: _KeptSubject
    repository: Annotated[str, Field(max_length=4096)] | None
    why: _Words


class _State(_Strict):
    version: Literal[1]
    fetched: Annotated[list[_Kept], Field(max_length=MOST_SUBJECTS)]


class _NotValidated(_Strict):
    why: _Words


def keep_fetched(fetched: Sequence[Fetched], job: Job) -> None:
    """Store what was fetched, for the next steps."""
    kept = [
        _Kept(
            subject=_KeptSubject(**{**asdict(one.subject), "kind": str(one.subject.kind)}),
            repository=None if one.repository is None else os.fspath(one.repository),
            why=one.why[:MOST_WORDS],
        )
        for one in fetched
    ]
    written = _State(version=1, fetched=kept).model_dump_json().encode("utf-8", "surrogatepass")
    keep(job.work / FETCHED, written)


def fetched_before(job: Job) -> tuple[Fetched, ...]:
    """Return what an earlier step fetched. Raises `GithubAppError` if the file was not written by it."""
    data = kept(job.work / FETCHED, MOST_STATE_BYTES)
    try:
        state = _State.model_validate_json(data)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise GithubAppError(f"{FETCHED} was not written by the fetch step (at {place[:100]!a})") from None
    return tuple(_fetched(one, job) for one in state.fetched)


def keep_validated(place: int, validated: Validated, job: Job) -> None:
    """Store the result for the subject at a place (from 0)."""
    if validated.report is not None:
        data = FORMATS["json"].render(validated.report)
    else:
        data = _NotValidated(why=validated.why[:MOST_WORDS]).model_dump_json()
    keep(_report_path(place, job, is_validated=validated.report is not None), data.encode("utf-8", "surrogatepass"))


def validated_before(place: int, job: Job) -> Validated:
    """Return the result for the subject at a place. Raises `GithubAppError` if there is none."""
    path = _report_path(place, job, is_validated=True)
    if not path.exists():
        data = kept(_report_path(place, job, is_validated=False), MOST_STATE_BYTES)
        try:
            return Validated(None, _NotValidated.model_validate_json(data).why)
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
        raise GithubAppError(f"{path.name} of an earlier step cannot be read: {error.strerror}") from None
    with os.fdopen(handle, "rb") as file:
        is_file = stat.S_ISREG(os.fstat(handle).st_mode)
        data = file.read(most_bytes + 1) if is_file else b""
    if not is_file or len(data) > most_bytes:
        raise GithubAppError(f"{path.name} was not written by an earlier step")
    return data


def _fetched(one: _Kept, job: Job) -> Fetched:
    subject = Subject(**{**one.subject.model_dump(), "kind": SubjectKind(one.subject.kind)})
    if one.repository is None:
        return Fetched(subject, None, one.why)
    path = Path(one.repository)
    is_ours = path.is_relative_to(job.work / "mirrors") and ".." not in path.parts
    if not is_ours and (job.workspace is None or path != job.workspace.resolve()):
        raise GithubAppError(f"{FETCHED} names a repository that the fetch step did not fetch")
    return Fetched(subject, path, one.why)


def _report_path(place: int, job: Job, *, is_validated: bool) -> Path:
    return job.work / (f"report-{place}.json" if is_validated else f"not-validated-{place}.json")
