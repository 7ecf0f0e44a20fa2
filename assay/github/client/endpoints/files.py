"""Branches and their required checks, files on them, and the files of commits."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from github.GitCommit import GitCommit
from github.InputGitTreeElement import InputGitTreeElement
from pydantic import Field, TypeAdapter

from assay.github.client.endpoints.repository_client import RepositoryClient, if_found
from assay.github.client.limits import MOST_FILE_BYTES
from assay.github.client.requester import quoted
from assay.github.errors import GithubRefused
from assay.github.events.field_types import Flag, Name, Sha, json_at


@dataclass(frozen=True, slots=True)
class FileOnBranch:
    """File on a branch; `blob` identifies its content for a replacement."""

    content: bytes
    blob: str


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """Entry of a folder; its path may be any text."""

    path: str
    mode: Name
    type: Annotated[Name, Field(default="")]
    sha: Sha | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    """Folder of a commit, or all of them; GitHub truncates long lists."""

    entries: Annotated[tuple[TreeEntry, ...], json_at("tree")]
    is_truncated: Annotated[Flag, json_at("truncated")] = False


_REGULAR = frozenset(("100644", "100755"))
_TREE = TypeAdapter(Tree).validate_python
_SHA = TypeAdapter(Sha).validate_python


class PastTree:
    """Files of a commit. `known` caches contents by id across commits; `fetch` requests one."""

    def __init__(
        self,
        sha: str,
        blobs: Mapping[str, str],
        links: frozenset[str],
        known: dict[str, bytes | None],
        fetch: Callable[[str], bytes | None],
    ) -> None:
        self.name = sha
        self._blobs = blobs
        self._links = links
        self._known = known
        self._fetch = fetch

    @property
    def paths(self) -> Sequence[str]:
        return sorted(self._blobs)

    def __contains__(self, path: object) -> bool:
        return path in self._blobs

    def is_link(self, path: str) -> bool:
        return path in self._links

    def blob(self, path: str) -> str | None:
        return self._blobs.get(path)

    def read(self, path: str, limit: int = MOST_FILE_BYTES) -> bytes | None:
        sha = self._blobs.get(path)
        if sha is None:
            return None
        if sha not in self._known:
            self._known[sha] = self._fetch(sha)
        content = self._known[sha]
        return content if content is not None and len(content) <= limit else None

    def read_many(self, paths: Iterable[str], limit: int = MOST_FILE_BYTES) -> Iterator[tuple[str, bytes | None]]:
        for path in paths:
            yield path, self.read(path, limit)


class Files(RepositoryClient):
    """Branches, tags, and files at a revision."""

    def required_checks(self, branch: str) -> frozenset[str]:
        """Return the names of checks required to merge into a branch, by rule sets or branch protection.

        What may not be read there counts as nothing: rule sets of private repositories belong to paid plans, and
        branches take `contents: read`, which a token that only publishes does not have.
        """
        return self.checks_by_rules(branch) | (self.checks_by_protection(branch) or frozenset())

    def checks_by_rules(self, branch: str) -> frozenset[str]:
        """Return the names of checks that rule sets require; none if they may not be read."""
        found = if_found(lambda: list(self._items(f"rules/branches/{quoted(branch)}", _by_rule)), 403)
        return frozenset(name for names in found or () for name in names)

    def checks_by_protection(self, branch: str) -> frozenset[str] | None:
        """Return the names of checks that branch protection requires; None if it may not be read."""
        return if_found(lambda: self._get(f"branches/{quoted(branch)}", _by_protection), 403)

    def is_protected(self, branch: str) -> bool:
        """Return whether a branch is protected; a branch that does not exist is not."""
        return bool(if_found(lambda: self._get(f"branches/{quoted(branch)}", lambda found: found.get("protected"))))

    def file(self, path: str, ref: str) -> bytes | None:
        """Return a file at a revision; None if it is missing, not a plain file, or larger than 1 MB."""
        found = if_found(partial(self.file_on, path, ref), 422)
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
            raise GithubRefused(422, "a file", f"{path} is not UTF-8 text", code="github.not-a-file") from None

    def file_on(self, path: str, ref: str) -> FileOnBranch | None:
        """Return a plain file on a branch; None if it does not exist.

        Raises:
            GithubRefused: (422) the path is a link, a folder, a submodule or a file above 1 MB.
        """
        found = if_found(lambda: self._get(f"contents/{_parts(path)}", _file, ref=ref))
        if found == ():
            why = f"{path} is not a plain file of at most 1 MB"
            raise GithubRefused(422, "a file", why, code="github.not-a-file")
        return FileOnBranch(*found) if found else None

    def links_among(self, paths: Iterable[str], sha: str) -> frozenset[str]:
        """Return the paths at a commit that are symbolic links, or below one.

        GitHub's contents cannot tell: they return the target of a link as a file.
        """
        trees: dict[str, dict[str, TreeEntry]] = {}
        return frozenset(path for path in paths if self._is_link(path, sha, trees))

    def _is_link(self, path: str, sha: str, trees: dict[str, dict[str, TreeEntry]]) -> bool:
        tree: str | None = sha
        for part in path.split("/"):
            if tree is None:
                return False
            if tree not in trees:
                found = if_found(partial(self._get, f"git/trees/{quoted(tree)}", _TREE))
                trees[tree] = {one.path: one for one in found.entries} if found else {}
            entry = trees[tree].get(part)
            if entry is not None and entry.mode == "120000":
                return True
            tree = entry.sha if entry is not None and entry.type == "tree" else None
        return False

    def write_file(self, path: str, content: bytes, message: str, branch: str, replaced: FileOnBranch | None) -> None:
        """Commit one file to a branch; GitHub refuses it if the file is no longer `replaced`."""
        body = {"message": message, "content": base64.b64encode(content).decode(), "branch": branch}
        self._send("PUT", f"contents/{_parts(path)}", bool, body | ({"sha": replaced.blob} if replaced else {}))

    def tip_of(self, branch: str) -> str | None:
        """Return the commit id of a branch; None if it does not exist."""
        path = f"git/ref/heads/{_parts(branch)}"
        return if_found(lambda: self._get(path, lambda found: _SHA(found["object"]["sha"])))

    def commit_of(self, revision: str) -> str | None:
        """Return the commit id of a branch, tag or abbreviated id; None if it does not exist."""
        # 409: an empty repository; 422: no commit by that name.
        return if_found(lambda: self._get(f"commits/{quoted(revision)}", _sha_of), 409, 422)

    def num_ahead(self, base: str, head: str) -> int | None:
        """Return how many commits of `head` are not in `base`; None if GitHub cannot compare them."""
        path = f"compare/{quoted(base)}...{quoted(head)}"
        return if_found(lambda: self._get(path, lambda found: int(found["ahead_by"]), per_page=1))

    def put_branch(self, branch: str, sha: str, *, is_new: bool) -> None:
        """Create a branch at a commit, or force the App's branch to it."""
        if is_new:
            self._github.create_git_ref(f"refs/heads/{branch}", sha)
        else:
            self._move(branch, sha, is_forced=True)

    def commit_files(self, branch: str, parent: str, files: Mapping[str, str], message: str) -> str:
        """Commit files to a branch whose tip is `parent`; return the commit's id.

        Raises:
            GithubRefused: (422) the tip is another commit now, or the branch is protected.
        """
        sha = self._made(lambda: self._new_commit(parent, files, message), _sha_of)
        self._move(branch, sha, is_forced=False)
        return sha

    def _new_commit(self, parent: str, files: Mapping[str, str], message: str) -> GitCommit:
        below = self._github.get_git_commit(parent)
        entries = [InputGitTreeElement(path, "100644", "blob", content) for path, content in files.items()]
        return self._github.create_git_commit(message, self._github.create_git_tree(entries, below.tree), [below])

    def _move(self, branch: str, sha: str, *, is_forced: bool) -> None:
        """Move a branch; PyGithub would need its reference, which is another request."""
        self._send("PATCH", f"git/refs/heads/{_parts(branch)}", bool, {"sha": sha, "force": is_forced})

    def tree(self, sha: str, known: dict[str, bytes | None]) -> PastTree | None:
        """Return the files of a commit; None if it is gone, or if GitHub truncates the list."""
        found = if_found(lambda: self._get(f"git/trees/{quoted(sha)}", _TREE, recursive="1"))
        if found is None or found.is_truncated:
            return None
        blobs = {one.path: one.sha for one in found.entries if one.mode in _REGULAR and one.sha}
        links = frozenset(one.path for one in found.entries if one.mode == "120000")
        return PastTree(sha, blobs, links, known, self._blob)

    def _blob(self, sha: str) -> bytes | None:
        return if_found(lambda: self._get(f"git/blobs/{quoted(sha)}", base64_content))


def base64_content(data: Any) -> bytes | None:
    """Decode the content of a file or blob in GitHub's JSON; None above GitHub's limit, or if it cannot be decoded."""
    if data.get("encoding") != "base64":
        return None
    try:
        return base64.b64decode("".join(str(data.get("content", "")).split()), validate=True)
    except ValueError:
        return None


def _file(data: Any) -> tuple[bytes, str] | tuple[()]:
    """Return the content and id of a plain file; nothing for a folder, a link or a larger file."""
    content = base64_content(data) if isinstance(data, dict) and data.get("type") == "file" else None
    return () if content is None or len(content) > MOST_FILE_BYTES else (content, str(data.get("sha", "")))


def _sha_of(data: Any) -> str:
    return _SHA(data["sha"])


def _parts(path: str) -> str:
    return "/".join(quoted(part) for part in path.split("/"))


def _by_rule(rule: Any) -> list[str]:
    is_about_checks = rule.get("type") == "required_status_checks"
    listed = (rule.get("parameters") or {}).get("required_status_checks") or () if is_about_checks else ()
    return [str(one["context"]) for one in listed]


def _by_protection(branch: Any) -> frozenset[str]:
    required = (branch.get("protection") or {}).get("required_status_checks") or {}
    return frozenset(str(name) for name in required.get("contexts") or ())
