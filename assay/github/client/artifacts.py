"""Artifacts of workflow runs: their list, and the download of their ZIP.

GitHub redirects to an external store. The client follows one redirect and does not send the token there.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

# PyGithub uses requests too, so proxies and certificates are the same. PyGithub itself reads whole responses into
# memory, sends the token to any host it is redirected to, and has no deadline.
import requests
from urllib3.exceptions import HTTPError

from assay.github.client.connection import TIMEOUT_S, USER_AGENT, Connection, understood
from assay.github.client.retrying import MOST_TRIES, Answer, broken, trouble_of
from assay.github.errors import ArtifactRefused, GithubUnavailable, RateLimited

DEADLINE_S = 120.0
"""Chosen limit for a whole download: a megabyte takes a second; slower servers fail."""
_MOST_WORDS = 64 * 1024
"""Bytes to read of an error response."""
_PIECE = 64 * 1024
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


def artifacts(
    connection: Connection, repository: str, run_id: int, name: str | None = None
) -> tuple[ArtifactFacts, ...]:
    """Return the artifacts of all attempts of a run, filtered by `name` if given."""
    path = f"/repos/{repository}/actions/runs/{run_id}/artifacts"
    asked = {} if name is None else {"name": name}
    found = connection.pages(path, _LIST, _READ, inside="artifacts", **asked)
    listed = (understood(_facts, one, _LIST) for one in found)
    return tuple(one for one in listed if name in (None, one.name))


def artifacts_named(connection: Connection, repository: str, name: str) -> Iterator[ArtifactFacts]:
    """Yield the artifacts of this name of all runs, newest first."""
    what = "list the artifacts"
    for one in connection.pages(f"/repos/{repository}/actions/artifacts", what, _READ, inside="artifacts", name=name):
        facts = understood(_facts, one, what)
        if facts.name == name:
            yield facts


def artifact_archive(
    connection: Connection, repository: str, artifact_id: int, most_bytes: int, deadline_s: float = DEADLINE_S
) -> bytes:
    """Download the ZIP of an artifact.

    Raises:
        ArtifactRefused: it is larger than `most_bytes`, its store does not use https (http is allowed if the API uses
            it), or its store redirects again.
        GithubRefused: GitHub refuses it: 404, or 410 after expiry.
        GithubUnavailable: the download broke off or exceeded the deadline; a retry may succeed.
    """
    address = f"{connection.api_url}/repos/{repository}/actions/artifacts/{artifact_id}/zip"
    until_s = time.monotonic() + deadline_s
    for attempt in range(1, MOST_TRIES + 1):
        try:
            return _Download(connection, most_bytes, until_s).archive(address)
        except RateLimited:
            raise
        except GithubUnavailable:
            wait_s = float(2 ** (attempt - 1))
            if attempt == MOST_TRIES or time.monotonic() + wait_s >= until_s:
                raise
            connection.pace.clock.sleep(wait_s)
    raise AssertionError("the last attempt returns or raises")


class _Download:
    """Single attempt: the request to GitHub has the token, the one to the store does not."""

    def __init__(self, connection: Connection, most_bytes: int, until_s: float) -> None:
        self._connection = connection
        self._most_bytes = most_bytes
        self._until_s = until_s

    def archive(self, address: str) -> bytes:
        with self._connection.pace.turn(_FETCH, is_write=False):
            try:
                return self._from_github(address)
            # The error's text may contain the store's URL, which grants access for some minutes.
            except (requests.RequestException, HTTPError, OSError, ValueError) as error:
                raise broken(error, _FETCH).error from None

    def _from_github(self, address: str) -> bytes:
        with requests.Session() as session:
            headers = {**self._connection.login(), "Accept": "application/vnd.github+json"}
            answer = self._ask(session, address, headers)
            with answer:
                if answer.status_code in (301, 302, 303, 307, 308):
                    store = answer.headers.get("location", "")
                else:
                    return self._body(answer)
        self._allowed(store)
        # A separate session sends neither token nor cookies of the first one.
        with requests.Session() as session, self._ask(session, store, {}) as answer:
            if 300 <= answer.status_code < 400:
                raise ArtifactRefused("the artifact's store redirects again")
            return self._body(answer)

    def _ask(self, session: requests.Session, address: str, headers: dict[str, str]) -> requests.Response:
        # Identity encoding keeps the size limit exact; an explicit `auth` keeps requests from reading `.netrc`.
        headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity", **headers}
        return session.get(
            address,
            headers=headers,
            auth=_unchanged,
            timeout=min(TIMEOUT_S, max(0.1, self._until_s - time.monotonic())),
            allow_redirects=False,
            stream=True,
        )

    def _allowed(self, store: str) -> None:
        """Raise `ArtifactRefused` for a URL that GitHub's stores cannot have."""
        is_clear = self._connection.api_url.startswith("http://")
        parts = urlsplit(store)
        if parts.scheme != "https" and not (parts.scheme == "http" and is_clear):
            raise ArtifactRefused("the artifact's store does not use https")
        if not parts.hostname or parts.username is not None or parts.password is not None:
            raise ArtifactRefused("the artifact's store has an invalid URL")

    def _body(self, answer: requests.Response) -> bytes:
        if answer.status_code != 200:
            self._refuse(answer)
        announced = answer.headers.get("content-length", "")
        if announced.isascii() and announced.isdecimal() and int(announced[:20]) > self._most_bytes:
            raise ArtifactRefused(f"the artifact is larger than {self._most_bytes} bytes")
        found = bytearray()
        for piece in self._pieces(answer):
            found += piece
            if len(found) > self._most_bytes:
                raise ArtifactRefused(f"the artifact is larger than {self._most_bytes} bytes")
        if announced.isascii() and announced.isdecimal() and len(found) != int(announced[:20]):
            raise GithubUnavailable(_FETCH, "it broke off in the middle")
        return bytes(found)

    def _pieces(self, answer: requests.Response) -> Iterator[bytes]:
        """Yield data as it arrives; waiting for full pieces would miss the deadline."""
        while piece := answer.raw.read1(_PIECE, decode_content=False):
            yield piece
            if time.monotonic() > self._until_s:
                raise GithubUnavailable(_FETCH, "it exceeded the deadline")

    def _refuse(self, answer: requests.Response) -> None:
        """Raise the error for a status other than 200."""
        words = bytearray()
        for piece in self._pieces(answer):
            words += piece
            if len(words) > _MOST_WORDS:
                break
        headers = {name.lower(): value for name, value in answer.headers.items()}
        refusal = Answer(answer.status_code, headers, _json(bytes(words)))
        trouble = trouble_of(refusal, _FETCH, _READ, self._connection.pace.clock.now(), 0)
        if trouble is not None:
            raise trouble.error
        raise GithubUnavailable(_FETCH, f"it answered {answer.status_code}")


def _unchanged(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


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
