"""Pull requests: one, the open ones, those of a commit, their commits and the lines their diff shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.github.client.connection import Connection, quoted, understood
from assay.github.errors import GithubRefused
from assay.github.events.github_json import person_from, pull_from
from assay.github.events.model import Person, PullFacts

_READ = "pull_requests: read"
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class CommitFacts:
    """A commit of a pull request. Names and e-mails are what git was told.

    `author` and `committer` are the accounts GitHub knows by them, None where it knows none.
    """

    sha: str
    message: str
    author_name: str
    author_email: str
    author: Person | None = None
    committer: Person | None = None


def pull(connection: Connection, repository: str, number: int) -> PullFacts:
    """A pull request as it stands now."""
    what = "read the pull request"
    return understood(pull_from, connection.get(f"/repos/{repository}/pulls/{number}", what, _READ), what)


def open_pulls(connection: Connection, repository: str) -> Iterator[PullFacts]:
    """All that are open, those that changed last first."""
    path = f"/repos/{repository}/pulls"
    what = "list pull requests"
    found = connection.pages(path, what, _READ, state="open", sort="updated", direction="desc")
    return (understood(pull_from, one, what) for one in found)


def pulls_with_head(
    connection: Connection, repository: str, sha: str, *, search_all: bool = True
) -> tuple[PullFacts, ...]:
    """The open pull requests whose head is this commit, those of forks too (events name none for them).

    Where GitHub lists none by the commit all open ones are searched, if `search_all`.
    """
    path = f"/repos/{repository}/commits/{quoted(sha)}/pulls"
    what = "list the commit's pull requests"
    try:
        listed = [understood(pull_from, one, what) for one in connection.pages(path, what, _READ)]
    except GithubRefused as refused:
        if refused.status not in (404, 422):  # a commit GitHub does not know there: a fork's, perhaps
            raise
        listed = []
    near = tuple(one for one in listed if one.head_sha == sha and one.state == "open")
    if near or not search_all:
        return near
    return tuple(one for one in open_pulls(connection, repository) if one.head_sha == sha)


def commits_of(connection: Connection, repository: str, number: int) -> tuple[CommitFacts, ...]:
    """Its commits, oldest first; of more than 250 GitHub lists only the first 250."""
    path = f"/repos/{repository}/pulls/{number}/commits"
    what = "list the pull request's commits"
    return tuple(understood(_commit, one, what) for one in connection.pages(path, what, _READ))


def commits_between(
    connection: Connection, repository: str, base_sha: str, head_sha: str
) -> tuple[CommitFacts, ...] | None:
    """The commits on the first-parent line from base to head, oldest first.

    None where GitHub does not list them all: it compares up to 250 commits at once.
    """
    what = "compare two commits"
    path = f"/repos/{repository}/compare/{quoted(base_sha)}...{quoted(head_sha)}"
    data = connection.get(path, what, "contents: read")
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


def lines_in_diff(connection: Connection, repository: str, number: int) -> Mapping[str, frozenset[int]]:
    """Path -> the head's lines that GitHub's diff shows: only there a review can leave a comment.

    A file whose diff GitHub does not give (binary, too large) has no lines.
    """
    path = f"/repos/{repository}/pulls/{number}/files"
    files = connection.pages(path, "list the pull request's files", _READ)
    listed = (one for one in files if isinstance(one, dict) and "filename" in one)
    return {str(one["filename"]): frozenset(_shown(str(one.get("patch") or ""))) for one in listed}


def _shown(patch: str) -> Iterator[int]:
    """The line numbers on the right side of a patch: added and context lines."""
    number: int | None = None
    for line in patch.split("\n"):
        hunk = _HUNK.match(line)
        if hunk:
            number = int(hunk[1])
        elif number is not None and line[:1] in ("+", " "):
            yield number
            number += 1


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
