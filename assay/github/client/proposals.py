"""Pull requests of the App: one file on a separate branch."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

from assay.github.client.connection import Connection, quoted, understood
from assay.github.client.limits import MOST_FILE_BYTES
from assay.github.errors import GithubRefused
from assay.github.events.github_json import pull_from
from assay.github.events.model import PullFacts
from assay.validators import is_commit_id

_WRITES = "contents: write"
_PULLS = "pull_requests: write"


@dataclass(frozen=True, slots=True)
class FileOnBranch:
    """File on a branch; `blob` identifies its content for a replacement."""

    content: bytes
    blob: str


def tip_of(connection: Connection, repository: str, branch: str) -> str | None:
    """Return the commit id of a branch; None if it does not exist."""
    name = "/".join(quoted(part) for part in branch.split("/"))
    data = connection.find(f"/repos/{repository}/git/ref/heads/{name}", "look up a branch", "contents: read")
    sha = data["object"].get("sha") if isinstance(data, dict) and isinstance(data.get("object"), dict) else None
    return sha if isinstance(sha, str) and is_commit_id(sha) else None


def put_branch(connection: Connection, repository: str, branch: str, sha: str, *, is_new: bool) -> None:
    """Create a branch at a commit, or force the App's branch to it."""
    if is_new:
        body = {"ref": f"refs/heads/{branch}", "sha": sha}
        connection.send("POST", f"/repos/{repository}/git/refs", "make a branch", _WRITES, body=body)
        return
    name = "/".join(quoted(part) for part in branch.split("/"))
    path = f"/repos/{repository}/git/refs/heads/{name}"
    connection.send("PATCH", path, "move its own branch", _WRITES, body={"sha": sha, "force": True})


def file_on(connection: Connection, repository: str, path: str, ref: str) -> FileOnBranch | None:
    """Return a plain file on a branch; None if it does not exist.

    Raises:
        GithubRefused: (422) the path is a link, a folder, a submodule or a file above 1 MB.
    """
    parts = "/".join(quoted(part) for part in path.split("/"))
    what = "read a file"
    data = connection.find(f"/repos/{repository}/contents/{parts}", what, "contents: read", ref=ref)
    if data is None:
        return None
    if not isinstance(data, dict) or data.get("type") != "file" or data.get("encoding") != "base64":
        raise GithubRefused(422, what, f"{path} is not a plain file of at most 1 MB")
    try:
        content = base64.b64decode("".join(str(data.get("content", "")).split()), validate=True)
    except binascii.Error:
        raise GithubRefused(422, what, f"{path} cannot be read") from None
    if len(content) > MOST_FILE_BYTES:
        raise GithubRefused(422, what, f"{path} is not a plain file of at most 1 MB")
    return FileOnBranch(content, str(data.get("sha", "")))


def write_file(
    connection: Connection,
    repository: str,
    path: str,
    content: bytes,
    message: str,
    branch: str,
    replaced: FileOnBranch | None,
) -> None:
    """Commit one file to a branch; GitHub refuses it if the file is no longer `replaced`."""
    parts = "/".join(quoted(part) for part in path.split("/"))
    body = {"message": message, "content": base64.b64encode(content).decode(), "branch": branch}
    if replaced is not None:
        body["sha"] = replaced.blob
    connection.send("PUT", f"/repos/{repository}/contents/{parts}", "write a file", _WRITES, body=body)


def proposals_from(connection: Connection, repository: str, branch: str, state: str) -> tuple[PullFacts, ...]:
    """Return the pull requests from a branch of this repository (`open`, `closed`), last changed first."""
    owner = repository.partition("/")[0]
    asked = {"head": f"{owner}:{branch}", "state": state, "sort": "updated", "direction": "desc"}
    what = "list pull requests"
    found = connection.get(f"/repos/{repository}/pulls", what, "pull_requests: read", per_page=10, **asked)
    listed = [understood(pull_from, one, what) for one in (found if isinstance(found, list) else [])]
    return tuple(one for one in listed if one.head_ref == branch)


def open_proposal(connection: Connection, repository: str, branch: str, base: str, title: str, body: str) -> PullFacts:
    """Open a pull request from a branch of this repository."""
    wanted = {"title": title, "body": body, "head": branch, "base": base, "maintainer_can_modify": False}
    what = "open a pull request"
    made = connection.send("POST", f"/repos/{repository}/pulls", what, _PULLS, body=wanted).data
    return understood(pull_from, made, what)


def edit_proposal(
    connection: Connection, repository: str, number: int, *, body: str | None = None, is_open: bool = True
) -> None:
    """Edit a pull request's body, or close it."""
    changes = {**({} if body is None else {"body": body}), **({} if is_open else {"state": "closed"})}
    connection.send("PATCH", f"/repos/{repository}/pulls/{number}", "edit a pull request", _PULLS, body=changes)
