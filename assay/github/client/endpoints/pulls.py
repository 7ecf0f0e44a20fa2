"""Pull requests with their commits and diffs, and the history that GitHub's lists tell.

The lists contain less than the webhooks. Pushes to the repository's branches are in its activity while GitHub keeps it;
for a fork only the dates of commits remain. No list has who resolved a thread, and when.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile
from typing import Annotated, Any

from github.GithubObject import NotSet
from pydantic import AliasChoices, AliasPath, BeforeValidator, Field, TypeAdapter

from assay.github.client.endpoints.repository_client import RepositoryClient, if_found
from assay.github.client.requester import Page, Patiently, quoted, understood
from assay.github.events.field_types import Id, Moment, Name, Sha, Text, json_at
from assay.github.events.github_json import pull_from, repository_from
from assay.github.events.model import Person, PullFacts, RepositoryFacts

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_CHANGED = {"state": "open", "sort": "updated", "direction": "desc"}
_NOWHERE = "0" * 40
_THREADS = """query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 100, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id isResolved comments(first: 100) { nodes { databaseId } } } } } } }"""


@dataclass(frozen=True, slots=True)
class CommitFacts:
    """Commit of a pull request. Names and e-mail addresses are git's, and unverified.

    `author` and `committer` are the matching GitHub accounts, if any.
    """

    sha: Annotated[Text, Field(default="")]
    message: Annotated[Text, json_at("commit", "message", default="")]
    author_name: Annotated[Text, json_at("commit", "author", "name", default="")]
    author_email: Annotated[Text, json_at("commit", "author", "email", default="")]
    author: Annotated[Person | None, BeforeValidator(lambda given: given or None)] = None
    committer: Annotated[Person | None, BeforeValidator(lambda given: given or None)] = None


@dataclass(frozen=True, slots=True)
class Push:
    """Push to a branch. `before` is None if it created the branch."""

    before: Annotated[Sha | None, BeforeValidator(lambda sha: None if sha == _NOWHERE else sha)]
    after: Sha
    at: Annotated[Moment, json_at("timestamp")]


@dataclass(frozen=True, slots=True)
class PastEvent:
    """Entry of a pull request's timeline. `what` is GitHub's name: `ready_for_review`, `committed` and so on.

    `sha` is the commit of `committed` (then `at` is its committer date) and of `head_ref_force_pushed`; `review_id` and
    `state` belong to `review_dismissed`, with the state before the dismissal.
    """

    what: Annotated[Name, json_at("event")]
    at: Annotated[Moment, Field(validation_alias=AliasChoices("created_at", AliasPath("committer", "date")))]
    sha: Annotated[Sha | None, Field(validation_alias=AliasChoices("sha", "commit_id"))] = None
    review_id: Annotated[Id | None, json_at("dismissed_review", "review_id")] = None
    state: Annotated[Name | None, json_at("dismissed_review", "state")] = None


@dataclass(frozen=True, slots=True)
class PastThread:
    """Current state of a review thread; the first of `comment_ids` opened it."""

    node_id: str
    is_resolved: bool
    comment_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PastCommit:
    """Commit on a branch with its committer date."""

    sha: Sha
    message: Annotated[Text, json_at("commit", "message")]
    at: Annotated[Moment, json_at("commit", "committer", "date")]


@dataclass(frozen=True, slots=True)
class PastFile:
    """Changed file with ranges of lines removed from the base and added to the head."""

    path: str
    base_path: str
    removed: tuple[tuple[int, int], ...] = ()
    added: tuple[tuple[int, int], ...] = ()


_push = TypeAdapter(Push).validate_python
_past_event = TypeAdapter(PastEvent).validate_python
_past_commit = TypeAdapter(PastCommit).validate_python
_commit = TypeAdapter(CommitFacts).validate_python


class Pulls(RepositoryClient):
    """Pull requests, and the history of the repository."""

    def pull(self, number: int) -> PullFacts:
        """Return a pull request."""
        return self._get(f"pulls/{number}", pull_from)

    def open_pulls(self) -> Iterator[PullFacts]:
        """Yield the open pull requests, last changed first."""
        return self._items("pulls", pull_from, asked=_CHANGED)

    def pulls_with_head(self, sha: str, *, search_all: bool = True) -> tuple[PullFacts, ...]:
        """Return the open pull requests with this head, including those of forks, which events omit.

        If GitHub lists none for the commit, all open ones are searched, if `search_all`.
        """
        # The commit may be in a fork only: 404 or 422.
        listed = if_found(lambda: list(self._items(f"commits/{quoted(sha)}/pulls", pull_from)), 422)
        near = tuple(one for one in listed or () if one.head_sha == sha and one.state == "open")
        if near or not search_all:
            return near
        return tuple(one for one in self.open_pulls() if one.head_sha == sha)

    def commits_of(self, number: int) -> tuple[CommitFacts, ...]:
        """Return its commits, oldest first, at most the first 250."""
        return tuple(self._items(f"pulls/{number}/commits", _commit))

    def commits_between(self, base_sha: str, head_sha: str) -> tuple[CommitFacts, ...] | None:
        """Return the commits on the first-parent line from base to head, oldest first.

        None if GitHub does not list them all: it compares up to 250 commits.
        """
        return self._get(
            f"compare/{quoted(base_sha)}...{quoted(head_sha)}", lambda data: _first_parents(data, base_sha, head_sha)
        )

    def lines_in_diff(self, number: int) -> Mapping[str, frozenset[int]]:
        """Return path -> lines of the head in GitHub's diff, which a review can comment on.

        A file without a diff (binary, too large) has no lines.
        """
        return dict(self._items(f"pulls/{number}/files", _lines_shown))

    def proposals_from(self, branch: str, state: str) -> tuple[PullFacts, ...]:
        """Return the pull requests from a branch of this repository (`open`, `closed`), last changed first."""
        asked = {**_CHANGED, "state": state, "head": f"{self.full_name.partition('/')[0]}:{branch}"}
        listed = self._get("pulls", lambda found: [pull_from(one) for one in found], per_page=10, **asked)
        return tuple(one for one in listed if one.head_ref == branch)

    def open_proposal(self, branch: str, base: str, title: str, body: str) -> PullFacts:
        """Open a pull request from a branch of this repository."""
        create = self._github.create_pull
        return self._made(lambda: create(base, branch, title=title, body=body, maintainer_can_modify=False), pull_from)

    def edit_proposal(self, number: int, *, body: str | None = None, is_open: bool = True) -> None:
        """Edit a pull request's body, or close it."""
        pull = self._github.get_pull(number)
        pull.edit(body=NotSet if body is None else body, state=NotSet if is_open else "closed")

    def facts(self) -> RepositoryFacts:
        """Return the repository; raise `GithubRefused` (404) without access."""
        return understood(repository_from, self._requester.get(self._path), self._path)

    def pulls_since(self, since: datetime, patiently: Patiently[Page] | None = None) -> Iterator[PullFacts]:
        """Yield pull requests changed at or after `since`, last changed first.

        Pull requests that change during the iteration move to the front: some may appear twice, others may be missed.
        Callers of long lists should read the front again afterwards.
        """
        how = {"state": "all", "sort": "updated", "direction": "desc"}
        found = self._items("pulls", pull_from, asked=how, patiently=patiently)
        return takewhile(lambda pull: pull.updated_at is None or pull.updated_at >= since, found)

    def pushes(self, branch: str) -> tuple[Push, ...]:
        """Return the pushes to a branch that GitHub still lists, oldest first."""
        # 404: an older Enterprise Server without this list; 422: a deleted branch.
        found = if_found(lambda: list(self._items("activity", _moved, asked={"ref": f"refs/heads/{branch}"})), 422)
        return tuple(sorted((push for push in found or () if push is not None), key=lambda push: push.at))

    def timeline(self, number: int) -> tuple[PastEvent, ...]:
        """Return a pull request's timeline in GitHub's order, without groups of comments and reviews."""
        found = self._items(f"issues/{number}/timeline", _dated)
        return tuple(event for event in found if event is not None)

    def threads(self, number: int) -> tuple[PastThread, ...]:
        """Return a pull request's review threads."""
        owner, _, name = self.full_name.partition("/")
        found: list[PastThread] = []
        after: str | None = None
        while True:
            asked = {"owner": owner, "name": name, "number": number, "after": after}
            threads, following = understood(_threads, self._requester.graphql(_THREADS, asked), "the review threads")
            found += threads
            if following in (None, after):
                return tuple(found)
            after = following

    def commits_since(
        self, branch: str, since: datetime, patiently: Patiently[Page] | None = None
    ) -> Iterator[PastCommit]:
        """Yield the commits on a branch since `since`, newest first."""
        at = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return self._items("commits", _past_commit, asked={"sha": branch, "since": at}, patiently=patiently)

    def files(self, number: int) -> tuple[PastFile, ...]:
        """Return a pull request's changed files (the first 3,000); a file without a diff from GitHub has no lines."""
        return tuple(self._items(f"pulls/{number}/files", _past_file))


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


def _lines_shown(file: Any) -> tuple[str, frozenset[int]]:
    patch = patch_lines(str(file.get("patch") or ""))
    return str(file["filename"]), frozenset(head for mark, _, head in patch if mark != "-")


def _first_parents(compared: Any, base_sha: str, head_sha: str) -> tuple[CommitFacts, ...] | None:
    listed = {one["sha"]: one for one in compared["commits"]}
    if compared["total_commits"] != len(listed):
        return None
    line: list[CommitFacts] = []
    sha = head_sha
    while sha != base_sha and sha in listed and len(line) < len(listed):
        line.append(_commit(listed[sha]))
        sha = next((parent["sha"] for parent in listed[sha]["parents"]), "")
    return tuple(reversed(line)) if sha == base_sha else None


def _moved(data: Any) -> Push | None:
    """Parse a push; None for the deletion of the branch."""
    return None if data["after"] == _NOWHERE else _push(data)


def _dated(data: Any) -> PastEvent | None:
    """Parse an event; None for a group of comments or reviews, which has no date."""
    return _past_event(data) if data.get("event") == "committed" or data.get("created_at") else None


def _threads(data: Any) -> tuple[list[PastThread], str | None]:
    """Parse a page of threads, and the cursor of the next one."""
    page = data["repository"]["pullRequest"]["reviewThreads"]
    found = []
    for node in page["nodes"]:
        ids = (one.get("databaseId") for one in node["comments"]["nodes"])
        numbers = tuple(one for one in ids if isinstance(one, int))
        found.append(PastThread(str(node["id"]), bool(node["isResolved"]), numbers))
    return found, page["pageInfo"]["endCursor"] if page["pageInfo"]["hasNextPage"] else None


def _past_file(data: Any) -> PastFile:
    path = str(data["filename"])
    return PastFile(path, str(data.get("previous_filename") or path), *changed_ranges(str(data.get("patch") or "")))


def changed_ranges(patch: str) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """Return the ranges of lines a patch removes (base numbers) and adds (head numbers)."""
    lines = list(patch_lines(patch))
    removed = _ranges(base for mark, base, _ in lines if mark == "-")
    return removed, _ranges(head for mark, _, head in lines if mark == "+")


def _ranges(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] + 1 == number:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return tuple(found)
