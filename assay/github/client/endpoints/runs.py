"""Workflow runs, their artifacts with the download of the ZIP, and uploads to code scanning.

GitHub redirects to an external store, which gets no token. PyGithub would read whole responses into memory, and has no
deadline.
"""

from __future__ import annotations

import base64
import gzip
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field, TypeAdapter

from assay.connections.http_client import Failure, HttpClient, HttpFailed, Reply
from assay.github.client.answers import Answer, error_of
from assay.github.client.endpoints.repository_client import RepositoryClient
from assay.github.client.limits import MOST_SARIF_BYTES
from assay.github.client.requester import MOST_TRIES
from assay.github.errors import ArtifactRefused, GithubRefused, GithubUnavailable, RateLimited
from assay.github.events.field_types import Id, Moment, Name, Numbers, Text, json_at
from assay.github.events.model import Person, RepositoryFacts

DEADLINE_S = 120.0
"""Chosen limit for a whole download: a megabyte takes a second; slower servers fail."""
_MOST_WORDS = 64 * 1024
"""Bytes to read of an error response."""


@dataclass(frozen=True, slots=True)
class ArtifactFacts:
    """Artifact of a workflow run; `size_bytes` and `digest` (`sha256:…`) are GitHub's figures for the ZIP.

    `created_at` is timezone-aware. Older servers send neither digest nor run. `branch` and `head_repository_id` belong
    to the run's commit, so a fork's run has the fork's repository.
    """

    id: Id
    name: Name
    size_bytes: Annotated[Id, json_at("size_in_bytes")]
    is_expired: Annotated[bool, json_at("expired")]
    run_id: Annotated[Id | None, json_at("workflow_run", "id")] = None
    created_at: Moment | None = None
    digest: Name | None = None
    branch: Annotated[Name | None, json_at("workflow_run", "head_branch")] = None
    head_repository_id: Annotated[Id | None, json_at("workflow_run", "head_repository_id")] = None


_facts = TypeAdapter(ArtifactFacts).validate_python


@dataclass(frozen=True, slots=True)
class WorkflowRunFacts:
    """Workflow run. `head_sha` is the pull request's head even if the job checks out a merge commit.

    `head_repository` is None if the fork was deleted. `actor` caused the run's first attempt; the tokens of all
    attempts have the rights of the first.
    """

    id: Id
    name: Annotated[Text, json_at("name", default="")]
    workflow_path: Annotated[Text, json_at("path", default="")]
    head_sha: Text
    trigger: Annotated[Text, json_at("event", default="")]
    status: Annotated[Name | None, Field(default=None)]
    conclusion: Annotated[Name | None, Field(default=None)]
    run_attempt: Annotated[Id, Field(default=1)]
    head_repository: Annotated[RepositoryFacts | None, Field(default=None)]
    pull_numbers: Annotated[Numbers, json_at("pull_requests")] = ()
    repository_id: Annotated[Id | None, json_at("repository", "id")] = None
    actor: Person | None = None


_run = TypeAdapter(WorkflowRunFacts).validate_python


class Runs(RepositoryClient):
    """Workflow runs, artifacts and uploads to code scanning."""

    def workflow_run(self, run_id: int) -> WorkflowRunFacts:
        """Return a run by its id."""
        return self._get(f"actions/runs/{run_id}", _run)

    def artifacts(self, run_id: int, name: str | None = None) -> tuple[ArtifactFacts, ...]:
        """Return the artifacts of all attempts of a run, filtered by `name` if given."""
        asked = {} if name is None else {"name": name}
        listed = self._items(f"actions/runs/{run_id}/artifacts", _facts, "artifacts", asked)
        return tuple(one for one in listed if name in (None, one.name))

    def artifacts_named(self, name: str) -> Iterator[ArtifactFacts]:
        """Yield the artifacts of this name of all runs, newest first."""
        listed = self._items("actions/artifacts", _facts, "artifacts", {"name": name})
        return (one for one in listed if one.name == name)

    def artifact_archive(self, artifact_id: int, most_bytes: int, deadline_s: float = DEADLINE_S) -> bytes:
        """Download the ZIP of an artifact.

        Raises:
            ArtifactRefused: it is larger than `most_bytes`, its store does not use https (http is allowed if the API
                uses it), or its store redirects again.
            GithubRefused: GitHub refuses it: 404, or 410 after expiry.
            GithubUnavailable: the download broke off or exceeded the deadline; a retry may succeed.
        """
        address = f"{self._requester.base_url}{self._path}/actions/artifacts/{artifact_id}/zip"
        until_s = time.monotonic() + deadline_s
        for attempt in range(1, MOST_TRIES + 1):
            try:
                return self._downloaded(address, most_bytes, until_s)
            except RateLimited:
                raise
            except GithubUnavailable:
                wait_s = float(2 ** (attempt - 1))
                if attempt == MOST_TRIES or time.monotonic() + wait_s >= until_s:
                    raise
                self._requester.pace.clock.sleep(wait_s)
        raise AssertionError("the last attempt returns or raises")

    def _downloaded(self, address: str, most_bytes: int, until_s: float) -> bytes:
        """Download it once: the request to GitHub has the token, the one to the store does not."""
        headers = {"accept": "application/vnd.github+json"}
        with self._requester.pace.turn(f"GET {address}", is_write=False):
            if self._requester.auth is not None:
                self._requester.auth.authentication(headers)
            reply = _asked(address, headers, most_bytes, until_s)
            if reply.status in (301, 302, 303, 307, 308):
                store = reply.header("location")
                check_store(store, self._requester.base_url)
                reply = _asked(store, {}, most_bytes, until_s)
                if 300 <= reply.status < 400:
                    raise ArtifactRefused("the artifact's store redirects again")
        if reply.status == 200:
            return reply.body
        answer, what = Answer(reply.status, reply.headers, _json(reply.body)), f"GET {urlsplit(address).path}"
        error = error_of(answer, what, self._requester.pace.clock.now())
        raise error or GithubUnavailable(what, f"it answered {reply.status}")

    def upload_sarif(self, head_sha: str, ref: str, sarif: bytes) -> None:
        """Upload a SARIF file about a commit; the same report replaces an earlier upload.

        Raises:
            GithubRefused: the file exceeds the limit of code scanning (413), or code scanning is off (403).
        """
        # Without a timestamp the same report gives the same file.
        packed = gzip.compress(sarif, 9, mtime=0)
        if len(packed) > MOST_SARIF_BYTES:
            why = f"{len(packed)} bytes compressed; GitHub's limit is {MOST_SARIF_BYTES}"
            raise GithubRefused(413, "the SARIF file", why)
        wanted = {"commit_sha": head_sha, "ref": ref, "sarif": base64.b64encode(packed).decode()}
        self._send("POST", "code-scanning/sarifs", bool, wanted)


def check_store(address: str, api_url: str) -> None:
    """Raise `ArtifactRefused` for a URL that GitHub's stores cannot have."""
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and api_url.startswith("http://")):
        raise ArtifactRefused("the artifact's store does not use https")
    if not parts.hostname or parts.username is not None or parts.password is not None:
        raise ArtifactRefused("the artifact's store has an invalid URL")


def _asked(address: str, headers: dict[str, str], most_bytes: int, until_s: float) -> Reply:
    """Send a request by a separate client, which has no cookies of another one."""
    left_s = max(0.1, until_s - time.monotonic())
    try:
        with HttpClient() as client:
            most_read = max(most_bytes, _MOST_WORDS)
            reply = client.request("GET", address, within_s=left_s, most_bytes=most_read, headers=headers)
    except HttpFailed as failed:
        if failed.failure is Failure.compressed:
            raise ArtifactRefused(f"the artifact cannot be read: {failed}") from None
        if failed.failure is not Failure.too_large:
            raise GithubUnavailable("the artifact", str(failed)) from None
        reply = None
    if reply is None or (reply.status == 200 and len(reply.body) > most_bytes):
        raise ArtifactRefused(f"the artifact is larger than {most_bytes} bytes")
    return reply


def _json(words: bytes) -> Any:
    try:
        return json.loads(words)
    except (ValueError, RecursionError):
        return None
