"""Branches and their required checks, and files on them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from assay.github.client.connection import RepositoryClient, quoted
from assay.github.client.limits import MOST_FILE_BYTES
from assay.github.errors import GithubRefused, GithubUnavailable
from assay.validators import is_commit_id

_WRITE = "contents: write"
_RULES = "read the branch's rules"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FileOnBranch:
    """File on a branch; `blob` identifies its content for a replacement."""

    content: bytes
    blob: str


class Branches(RepositoryClient):
    """Branches, tags and files at a revision."""

    def required_checks(self, branch: str) -> frozenset[str]:
        """Return the names of checks required to merge into a branch, by rule sets or branch protection.

        What may not be read there counts as nothing: rule sets of private repositories belong to paid plans, and
        branches take `contents: read`, which a token that only publishes does not have.
        """
        return self.checks_by_rules(branch) | (self.checks_by_protection(branch) or frozenset())

    def checks_by_rules(self, branch: str) -> frozenset[str]:
        """Return the names of checks that rule sets require; none if they may not be read."""
        path = f"{self._path}/rules/branches/{quoted(branch)}"
        rules = _if_readable(lambda: list(self._connection.pages(path, _RULES, "metadata: read")))
        return frozenset(_by_rules(rules or []))

    def checks_by_protection(self, branch: str) -> frozenset[str] | None:
        """Return the names of checks that branch protection requires; None if it may not be read."""
        path = f"{self._path}/branches/{quoted(branch)}"
        found = _if_readable(lambda: self._connection.get(path, _RULES, "contents: read"))
        return None if found is None else frozenset(_by_protection(found))

    def file(self, path: str, ref: str) -> bytes | None:
        """Return a file at a revision; None if it is missing, not a plain file, or larger than 1 MB."""
        try:
            found = self.file_on(path, ref)
        except GithubRefused as refused:
            if refused.status != 422:
                raise
            return None
        return None if found is None else found.content

    def text_file(self, path: str, ref: str) -> str | None:
        """Return the text of a plain file at a revision; None if it does not exist.

        Raises:
            GithubRefused: (422) the path is a link, a folder, a submodule, above 1 MB, or not UTF-8.
        """
        found = self.file_on(path, ref)
        try:
            return None if found is None else found.content.decode("utf-8")
        except UnicodeDecodeError:
            raise GithubRefused(422, "read a file", f"{path} is not UTF-8 text", code="github.not-a-file") from None

    def file_on(self, path: str, ref: str) -> FileOnBranch | None:
        """Return a plain file on a branch; None if it does not exist.

        Raises:
            GithubRefused: (422) the path is a link, a folder, a submodule or a file above 1 MB.
        """
        what = "read a file"
        data = self._connection.find(f"{self._path}/contents/{_parts(path)}", what, "contents: read", ref=ref)
        if data is None:
            return None
        content = base64_content(data) if isinstance(data, dict) and data.get("type") == "file" else None
        if content is None or len(content) > MOST_FILE_BYTES:
            raise GithubRefused(422, what, f"{path} is not a plain file of at most 1 MB", code="github.not-a-file")
        return FileOnBranch(content, str(data.get("sha", "")))

    def links_among(self, paths: Iterable[str], sha: str) -> frozenset[str]:
        """Return the paths at a commit that are symbolic links, or below one.

        GitHub's contents cannot tell: they return the target of a link as a file.
        """
        trees: dict[str, dict[str, Any]] = {}
        return frozenset(path for path in paths if self._is_link(path, sha, trees))

    def _is_link(self, path: str, sha: str, trees: dict[str, dict[str, Any]]) -> bool:
        tree: str | None = sha
        for part in path.split("/"):
            if tree is None:
                return False
            if tree not in trees:
                trees[tree] = self._entries_of(tree)
            entry = trees[tree].get(part, {})
            if entry.get("mode") == "120000":
                return True
            tree = str(entry["sha"]) if entry.get("type") == "tree" and is_commit_id(str(entry.get("sha"))) else None
        return False

    def _entries_of(self, tree: str) -> dict[str, Any]:
        """Return the entries of a folder by name; none if it does not exist."""
        data = self._connection.find(f"{self._path}/git/trees/{quoted(tree)}", "list a folder", "contents: read")
        listed = data.get("tree") if isinstance(data, dict) else None
        return {
            str(one.get("path")): one for one in (listed if isinstance(listed, list) else ()) if isinstance(one, dict)
        }

    def write_file(self, path: str, content: bytes, message: str, branch: str, replaced: FileOnBranch | None) -> None:
        """Commit one file to a branch; GitHub refuses it if the file is no longer `replaced`."""
        body = {"message": message, "content": base64.b64encode(content).decode(), "branch": branch}
        if replaced is not None:
            body["sha"] = replaced.blob
        self._connection.send("PUT", f"{self._path}/contents/{_parts(path)}", "write a file", _WRITE, body=body)

    def tip_of(self, branch: str) -> str | None:
        """Return the commit id of a branch; None if it does not exist."""
        data = self._connection.find(
            f"{self._path}/git/ref/heads/{_parts(branch)}", "look up a branch", "contents: read"
        )
        sha = data["object"].get("sha") if isinstance(data, dict) and isinstance(data.get("object"), dict) else None
        return sha if isinstance(sha, str) and is_commit_id(sha) else None

    def num_ahead(self, base: str, head: str) -> int | None:
        """Return how many commits of `head` are not in `base`; None if GitHub cannot compare them."""
        path = f"{self._path}/compare/{quoted(base)}...{quoted(head)}"
        data = self._connection.find(path, "compare two commits", "contents: read", per_page=1)
        ahead = data.get("ahead_by") if isinstance(data, dict) else None
        return ahead if isinstance(ahead, int) else None

    def put_branch(self, branch: str, sha: str, *, is_new: bool) -> None:
        """Create a branch at a commit, or force the App's branch to it."""
        if is_new:
            body = {"ref": f"refs/heads/{branch}", "sha": sha}
            self._connection.send("POST", f"{self._path}/git/refs", "make a branch", _WRITE, body=body)
            return
        path = f"{self._path}/git/refs/heads/{_parts(branch)}"
        self._connection.send("PATCH", path, "move its own branch", _WRITE, body={"sha": sha, "force": True})

    def is_protected(self, branch: str) -> bool:
        """Return whether a branch is protected; a branch that does not exist is not."""
        data = self._connection.find(f"{self._path}/branches/{quoted(branch)}", "look up a branch", "contents: read")
        return isinstance(data, dict) and data.get("protected") is True

    def commit_files(self, branch: str, parent: str, files: Mapping[str, str], message: str) -> str:
        """Commit files to a branch whose tip is `parent`; return the commit's id.

        Raises:
            GithubRefused: (422) the tip is another commit now, or the branch is protected.
        """
        what = "commit to a branch"
        known = self._connection.get(f"{self._path}/git/commits/{parent}", what, "contents: read")
        entries = [
            {"path": path, "mode": "100644", "type": "blob", "content": content} for path, content in files.items()
        ]
        tree = self._made(
            "trees", {"base_tree": _sha(known.get("tree") if isinstance(known, dict) else None), "tree": entries}, what
        )
        sha = self._made("commits", {"message": message, "tree": tree, "parents": [parent]}, what)
        path = f"{self._path}/git/refs/heads/{_parts(branch)}"
        self._connection.send("PATCH", path, what, _WRITE, body={"sha": sha, "force": False})
        return sha

    def _made(self, kind: str, body: dict[str, Any], what: str) -> str:
        return _sha(self._connection.send("POST", f"{self._path}/git/{kind}", what, _WRITE, body=body).data)

    def commit_of(self, revision: str) -> str | None:
        """Return the commit id of a branch, tag or abbreviated id; None if it does not exist."""
        path = f"{self._path}/commits/{quoted(revision)}"
        try:
            data = self._connection.find(path, "look up a revision", "contents: read")
        except GithubRefused as refused:
            if refused.status not in (409, 422):  # no commit by that name; an empty repository
                raise
            return None
        sha = data.get("sha") if isinstance(data, dict) else None
        return sha if isinstance(sha, str) and is_commit_id(sha) else None


def base64_content(data: Any) -> bytes | None:
    """Decode the content of a file or blob in GitHub's JSON; None above GitHub's limit, or if it cannot be decoded."""
    if not isinstance(data, dict) or data.get("encoding") != "base64":
        return None
    try:
        return base64.b64decode("".join(str(data.get("content", "")).split()), validate=True)
    except binascii.Error:
        return None


def _sha(data: Any) -> str:
    """Return the id of an object in GitHub's JSON."""
    sha = data.get("sha") if isinstance(data, dict) else None
    if not isinstance(sha, str) or not is_commit_id(sha):
        raise GithubUnavailable("commit to a branch", "the answer has no id", code="github.unreadable")
    return sha


def _parts(path: str) -> str:
    return "/".join(quoted(part) for part in path.split("/"))


def _if_readable(read: Callable[[], T]) -> T | None:
    try:
        return read()
    except GithubRefused as refused:
        if refused.status not in (403, 404):
            raise
        return None


def _by_rules(rules: list[Any]) -> Iterator[str]:
    for rule in rules:
        if isinstance(rule, dict) and rule.get("type") == "required_status_checks":
            listed = (rule.get("parameters") or {}).get("required_status_checks") or ()
            yield from (str(one["context"]) for one in listed if isinstance(one, dict) and "context" in one)


def _by_protection(branch: Any) -> Iterator[str]:
    protection = branch.get("protection") if isinstance(branch, dict) else None
    required = protection.get("required_status_checks") if isinstance(protection, dict) else None
    if isinstance(required, dict):
        yield from (str(name) for name in required.get("contexts") or ())
