"""Artifacts of workflow runs: their list, and the download of their ZIP.

GitHub redirects to an external store, which gets no token. PyGithub would send it there, reads whole responses into
memory, and has no deadline.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from assay.connections.http_client import Failure, HttpClient, HttpFailed, Reply
from assay.github.client.connection import Connection, RepositoryClient, understood
from assay.github.client.retrying import MOST_TRIES, Answer, trouble_of
from assay.github.errors import ArtifactRefused, GithubUnavailable, RateLimited

DEADLINE_S = 120.0
"""Chosen limit for a whole download: a megabyte takes a second; slower servers fail."""
_MOST_WORDS = 64 * 1024
"""Bytes to read of an error response."""
_READ = "actions: read"
_LIST = "list the run's artifacts"
_FETCH = "download the artifact"


@dataclass(frozen=True, slots=True)
class ArtifactFacts:
    """Artifact of a workflow run; `size_bytes` and `digest` (`sha256:…`) are GitHub's figures for the ZIP.

    `created_at` is timezone-aware. Older servers send neither digest nor run. `branch` and `head_repository_id` belong
    to the run's commit, so a fork's run has the fork's repository.
    """

    id: int
    name: str
    size_bytes: int
    is_expired: bool
    run_id: int | None = None
    created_at: datetime | None = None
    digest: str | None = None
    branch: str | None = None
    head_repository_id: int | None = None


class Artifacts(RepositoryClient):
    """Artifacts of workflow runs."""

    def artifacts(self, run_id: int, name: str | None = None) -> tuple[ArtifactFacts, ...]:
        """Return the artifacts of all attempts of a run, filtered by `name` if given."""
        path = f"{self._path}/actions/runs/{run_id}/artifacts"
        asked = {} if name is None else {"name": name}
        found = self._connection.pages(path, _LIST, _READ, inside="artifacts", **asked)
        listed = (understood(_facts, one, _LIST) for one in found)
        return tuple(one for one in listed if name in (None, one.name))

    def artifacts_named(self, name: str) -> Iterator[ArtifactFacts]:
        """Yield the artifacts of this name of all runs, newest first."""
        what = "list the artifacts"
        for one in self._connection.pages(
            f"{self._path}/actions/artifacts", what, _READ, inside="artifacts", name=name
        ):
            facts = understood(_facts, one, what)
            if facts.name == name:
                yield facts

    def artifact_archive(self, artifact_id: int, most_bytes: int, deadline_s: float = DEADLINE_S) -> bytes:
        """Download the ZIP of an artifact.

        Raises:
            ArtifactRefused: it is larger than `most_bytes`, its store does not use https (http is allowed if the API
                uses it), or its store redirects again.
            GithubRefused: GitHub refuses it: 404, or 410 after expiry.
            GithubUnavailable: the download broke off or exceeded the deadline; a retry may succeed.
        """
        address = f"{self._connection.api_url}{self._path}/actions/artifacts/{artifact_id}/zip"
        until_s = time.monotonic() + deadline_s
        for attempt in range(1, MOST_TRIES + 1):
            try:
                return _Download(self._connection, most_bytes, until_s).archive(address)
            except RateLimited:
                raise
            except GithubUnavailable:
                wait_s = float(2 ** (attempt - 1))
                if attempt == MOST_TRIES or time.monotonic() + wait_s >= until_s:
                    raise
                self._connection.pace.clock.sleep(wait_s)
        raise AssertionError("the last attempt returns or raises")


class _Download:
    """Single attempt: the request to GitHub has the token, the one to the store does not."""

    def __init__(self, connection: Connection, most_bytes: int, until_s: float) -> None:
        self._connection = connection
        self._most_bytes = most_bytes
        self._until_s = until_s

    def archive(self, address: str) -> bytes:
        with self._connection.pace.turn(_FETCH, is_write=False):
            headers = {**self._connection.login(), "accept": "application/vnd.github+json"}
            reply = self._ask(address, headers)
            if reply.status in (301, 302, 303, 307, 308):
                store = reply.header("location")
                self._allowed(store)
                reply = self._ask(store, {})
                if 300 <= reply.status < 400:
                    raise ArtifactRefused("the artifact's store redirects again")
            if reply.status != 200:
                self._refuse(reply)
            return reply.body

    def _ask(self, address: str, headers: dict[str, str]) -> Reply:
        """Send a request by a separate client, which has no cookies of another one."""
        left_s = max(0.1, self._until_s - time.monotonic())
        try:
            with HttpClient() as client:
                most_bytes = max(self._most_bytes, _MOST_WORDS)
                reply = client.request("GET", address, within_s=left_s, most_bytes=most_bytes, headers=headers)
        except HttpFailed as failed:
            if failed.failure is Failure.too_large:
                raise ArtifactRefused(f"the artifact is larger than {self._most_bytes} bytes") from None
            if failed.failure is Failure.compressed:
                raise ArtifactRefused(f"the artifact cannot be read: {failed}") from None
            raise GithubUnavailable(_FETCH, str(failed)) from None
        if reply.status == 200 and len(reply.body) > self._most_bytes:
            raise ArtifactRefused(f"the artifact is larger than {self._most_bytes} bytes")
        return reply

    def _allowed(self, store: str) -> None:
        """Raise `ArtifactRefused` for a URL that GitHub's stores cannot have."""
        is_clear = self._connection.api_url.startswith("http://")
        parts = urlsplit(store)
        if parts.scheme != "https" and not (parts.scheme == "http" and is_clear):
            raise ArtifactRefused("the artifact's store does not use https")
        if not parts.hostname or parts.username is not None or parts.password is not None:
            raise ArtifactRefused("the artifact's store has an invalid URL")

    def _refuse(self, reply: Reply) -> None:
        """Raise the error for a status other than 200."""
        refusal = Answer(reply.status, reply.headers, _json(reply.body))
        trouble = trouble_of(refusal, _FETCH, _READ, self._connection.pace.clock.now(), 0)
        if trouble is not None:
            raise trouble.error
        raise GithubUnavailable(_FETCH, f"it answered {reply.status}")


def _json(words: bytes) -> Any:
    try:
        return json.loads(words)
    except (ValueError, RecursionError):
        return None


def _facts(data: dict[str, Any]) -> ArtifactFacts:
    run = data.get("workflow_run")
    created = data.get("created_at")
    return ArtifactFacts(
        id=int(data["id"]),
        name=str(data["name"]),
        size_bytes=int(data["size_in_bytes"]),
        is_expired=bool(data["expired"]),
        run_id=int(run["id"]) if isinstance(run, dict) and run.get("id") is not None else None,
        created_at=datetime.fromisoformat(created).astimezone(UTC) if isinstance(created, str) else None,
        digest=str(data["digest"]) if data.get("digest") else None,
        branch=str(run["head_branch"]) if isinstance(run, dict) and run.get("head_branch") else None,
        head_repository_id=_number(run.get("head_repository_id")) if isinstance(run, dict) else None,
    )


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None
