"""Tier 1 as the tools job left it: an artifact of a workflow run, checked from its list to its last key.

Nothing in it names anything. Whose results they are, and whose word, is what the caller asked the API for.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from assay.action.handover.archive import only_file
from assay.github.client import ArtifactFacts, Repo
from assay.github.errors import ArtifactRefused, GithubRefused
from assay.github.external_results.tools_payload import MOST_BODY_BYTES, PostedTools, read_posted
from assay.validators import UNTRUSTED_RUN, ReportUnreadable

TOOLS_FILE = "tools.json"
TOOLS_JOB = "tools"
"""Id of the tools job, in `validate.yml` and in every documented workflow."""
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_PLACE = re.compile(r"\$[A-Za-z0-9_.\[\]]{0,80}(?=: )")
TOOLS_ARTIFACT = "assay-tools"
_QUOTED = re.compile(r"[,:]? ?(?:such as )?['\"].*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ArtifactLimits:
    """Maximum sizes of an artifact's ZIP and of its file."""

    most_archive_bytes: int = MOST_BODY_BYTES + 64 * 1024
    most_file_bytes: int = MOST_BODY_BYTES


def read_tools_artifact(
    repo: Repo, run_id: int, limits: ArtifactLimits | None = None, *, reported_by: str
) -> PostedTools | None:
    """Return the results of a run's tools job; None if the run has no such artifact.

    Of several artifacts, one per attempt, the newest is used. `reported_by` is `tools_payload.REPORTED_BY`, or
    `UNTRUSTED_RUN` for a run of the change itself.

    Raises:
        ArtifactRefused: the Action did not write it. One line without text of the artifact.
        GithubRefused, GithubUnavailable: GitHub does not return it.
    """
    limits = limits or ArtifactLimits()
    found = [one for one in repo.artifacts(run_id, TOOLS_ARTIFACT) if one.run_id in (None, run_id)]
    if not found:
        return None
    kept = [one for one in found if not one.is_expired]
    if not kept:
        raise ArtifactRefused("the artifact has expired")
    newest = max(kept, key=lambda one: (one.created_at or _LONG_AGO, one.id))
    body = only_file(downloaded(repo, newest, limits), TOOLS_FILE, limits.most_file_bytes)
    return _posted(body, run_id, reported_by)


def downloaded(repo: Repo, artifact: ArtifactFacts, limits: ArtifactLimits) -> bytes:
    """Download an artifact's ZIP. Raises `ArtifactRefused` if it is too large, gone, or has another digest."""
    if not 0 <= artifact.size_bytes <= limits.most_archive_bytes:
        raise ArtifactRefused(f"the artifact is larger than {limits.most_archive_bytes} bytes")
    try:
        archive = repo.artifact_archive(artifact.id, limits.most_archive_bytes)
    except GithubRefused as refused:
        if refused.status in (404, 410):
            raise ArtifactRefused("the artifact is gone") from None
        raise
    is_told = artifact.digest is not None and artifact.digest.startswith("sha256:")
    if is_told and artifact.digest != f"sha256:{hashlib.sha256(archive).hexdigest()}":
        raise ArtifactRefused("the artifact is not the one that was uploaded", code="artifact.wrong-digest")
    return archive


def _posted(body: bytes, run_id: int, reported_by: str) -> PostedTools:
    try:
        posted = read_posted(body, reported_by=reported_by)
    except ReportUnreadable as error:
        raise ArtifactRefused(
            f"{TOOLS_FILE} in the artifact was not written by the Action: {_ours(error)}", code="artifact.not-by-action"
        ) from None
    if posted.run_id not in (None, run_id):
        raise ArtifactRefused(f"{TOOLS_FILE} in the artifact names another run")
    # The check of the named job is left out elsewhere; the change must not be able to name any other job.
    job = posted.job if posted.job == TOOLS_JOB else ""
    return replace(posted, job=job, run_id=run_id if reported_by == UNTRUSTED_RUN else None)


def _ours(error: ReportUnreadable) -> str:
    """Return the place of the error, or its text without the file's content, which must not reach logs and titles."""
    place = _PLACE.match(error.why)
    return f"see {place[0]}" if place else _QUOTED.sub("", error.why)[:120]
