"""Pull requests, their commits and the lines of their diffs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.github.client.connection import RepositoryClient, quoted, understood
from assay.github.errors import GithubRefused
from assay.github.events.github_json import person_from, pull_from
from assay.github.events.model import Person, PullFacts

_READ = "pull_requests: read"
_WRITE = "pull_requests: write"
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class CommitFacts:
    """Commit of a pull request. Names and e-mail addresses are git's, and unverified.

    `author` and `committer` are the matching GitHub accounts, if any.
    """

    sha: str
    message: str
    author_name: str
    author_email: str
    author: Person | None = None
    committer: Person | None = None


class Pulls(RepositoryClient):
    """Pull requests, their commits and diffs."""

    def pull(self, number: int) -> PullFacts:
        """Return a pull request."""
        what = "read the pull request"
        return understood(pull_from, self._connection.get(f"{self._path}/pulls/{number}", what, _READ), what)

    def open_pulls(self) -> Iterator[PullFacts]:
        """Yield the open pull requests, last changed first."""
        path = f"{self._path}/pulls"
        what = "list pull requests"
        found = self._connection.pages(path, what, _READ, state="open", sort="updated", direction="desc")
        return (understood(pull_from, one, what) for one in found)

    def pulls_with_head(self, sha: str, *, search_all: bool = True) -> tuple[PullFacts, ...]:
        """Return the open pull requests with this head, including those of forks, which events omit.

        If GitHub lists none for the commit, all open ones are searched, if `search_all`.
        """
        path = f"{self._path}/commits/{quoted(sha)}/pulls"
        what = "list the commit's pull requests"
        try:
            listed = [understood(pull_from, one, what) for one in self._connection.pages(path, what, _READ)]
        except GithubRefused as refused:
            if refused.status not in (404, 422):  # the commit is not in this repository, but may be in a fork
                raise
            listed = []
        near = tuple(one for one in listed if one.head_sha == sha and one.state == "open")
        if near or not search_all:
            return near
        return tuple(one for one in self.open_pulls() if one.head_sha == sha)

    def commits_of(self, number: int) -> tuple[CommitFacts, ...]:
        """Return its commits, oldest first, at most the first 250."""
        path = f"{self._path}/pulls/{number}/commits"
        what = "list the pull request's commits"
        return tuple(understood(_commit, one, what) for one in self._connection.pages(path, what, _READ))

    def commits_between(self, base_sha: str, head_sha: str) -> tuple[CommitFacts, ...] | None:
        """Return the commits on the first-parent line from base to head, oldest first.

        None if GitHub does not list them all: it compares up to 250 commits.
        """
        what = "compare two commits"
        path = f"{self._path}/compare/{quoted(base_sha)}...{quoted(head_sha)}"
        data = self._connection.get(path, what, "contents: read")
        listed = data.get("commits") if isinstance(data, dict) else None
        if not isinstance(listed, list) or data.get("total_commits") != len(listed):
            return None
        by_sha = {str(one.get("sha")): one for one in listed if isinstance(one, dict)}
        line: list[CommitFacts] = []
        sha = head_sha
        while sha != base_sha and sha in by_sha and len(line) < len(by_sha):
            commit = by_sha[sha]
            line.append(understood(_commit, commit, what))
            parents = commit.get("parents") or [{}]
            sha = str(parents[0].get("sha"))
        return tuple(reversed(line)) if sha == base_sha else None

    def lines_in_diff(self, number: int) -> Mapping[str, frozenset[int]]:
        """Return path -> lines of the head in GitHub's diff, which a review can comment on.

        A file without a diff (binary, too large) has no lines.
        """
        path = f"{self._path}/pulls/{number}/files"
        files = self._connection.pages(path, "list the pull request's files", _READ)
        listed = (one for one in files if isinstance(one, dict) and "filename" in one)
        return {
            str(one["filename"]): frozenset(
                head for mark, _, head in patch_lines(str(one.get("patch") or "")) if mark != "-"
            )
            for one in listed
        }

    def proposals_from(self, branch: str, state: str) -> tuple[PullFacts, ...]:
        """Return the pull requests from a branch of this repository (`open`, `closed`), last changed first."""
        owner = self.full_name.partition("/")[0]
        asked = {"head": f"{owner}:{branch}", "state": state, "sort": "updated", "direction": "desc"}
        what = "list pull requests"
        found = self._connection.get(f"{self._path}/pulls", what, _READ, per_page=10, **asked)
        listed = [understood(pull_from, one, what) for one in (found if isinstance(found, list) else [])]
        return tuple(one for one in listed if one.head_ref == branch)

    def open_proposal(self, branch: str, base: str, title: str, body: str) -> PullFacts:
        """Open a pull request from a branch of this repository."""
        wanted = {"title": title, "body": body, "head": branch, "base": base, "maintainer_can_modify": False}
        what = "open a pull request"
        made = self._connection.send("POST", f"{self._path}/pulls", what, _WRITE, body=wanted, is_content=True).data
        return understood(pull_from, made, what)

    def edit_proposal(self, number: int, *, body: str | None = None, is_open: bool = True) -> None:
        """Edit a pull request's body, or close it."""
        changes = {**({} if body is None else {"body": body}), **({} if is_open else {"state": "closed"})}
        self._connection.send("PATCH", f"{self._path}/pulls/{number}", "edit a pull request", _WRITE, body=changes)


def patch_lines(patch: str) -> Iterator[tuple[str, int, int]]:
    """Yield each line of a patch: its mark (`+`, `-` or blank), and its number in the base and in the head."""
    base = head = 0
    is_inside = False
    for line in patch.split("\n"):
        hunk = _HUNK.match(line)
        if hunk:
            base, head = int(hunk[1]), int(hunk[2])
            is_inside = True
        elif is_inside and line[:1] in ("+", "-", " "):
            yield line[0], base, head
            base += line[0] != "+"
            head += line[0] != "-"


def _commit(data: dict[str, Any]) -> CommitFacts:
    commit = data.get("commit") or {}
    author = commit.get("author") or {}
    return CommitFacts(
        sha=str(data.get("sha", "")),
        message=str(commit.get("message", "")),
        author_name=str(author.get("name", "")),
        author_email=str(author.get("email", "")),
        author=person_from(data["author"]) if data.get("author") else None,
        committer=person_from(data["committer"]) if data.get("committer") else None,
    )
