"""History of a repository from GitHub's lists: pull requests, pushes, threads and commits.

The lists contain less than the webhooks. Pushes to the repository's branches are in its activity while GitHub keeps it;
for a fork only the dates of commits remain. No list has who resolved a thread, and when.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from assay.github.client.connection import Patiently, RepositoryClient, quoted, understood
from assay.github.client.endpoints.pulls import patch_lines
from assay.github.errors import GithubRefused
from assay.github.events.github_json import pull_from, repository_from
from assay.github.events.model import PullFacts, RepositoryFacts
from assay.validators import is_commit_id

_READ = "pull_requests: read"
_NOWHERE = "0" * 40
_THREADS = """query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 100, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id isResolved comments(first: 100) { nodes { databaseId } } } } } } }"""


@dataclass(frozen=True, slots=True)
class Push:
    """Push to a branch. `before` is None if it created the branch."""

    before: str | None
    after: str
    at: datetime


@dataclass(frozen=True, slots=True)
class PastEvent:
    """Entry of a pull request's timeline. `what` is GitHub's name: `ready_for_review`, `committed` and so on.

    `sha` is the commit of `committed` (then `at` is its committer date) and of `head_ref_force_pushed`; `review_id` and
    `state` belong to `review_dismissed`, with the state before the dismissal.
    """

    what: str
    at: datetime
    sha: str | None = None
    review_id: int | None = None
    state: str | None = None


@dataclass(frozen=True, slots=True)
class PastThread:
    """Current state of a review thread; the first of `comment_ids` opened it."""

    node_id: str
    is_resolved: bool
    comment_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PastCommit:
    """Commit on a branch with its committer date."""

    sha: str
    message: str
    at: datetime


@dataclass(frozen=True, slots=True)
class PastFile:
    """Changed file with ranges of lines removed from the base and added to the head."""

    path: str
    base_path: str
    removed: tuple[tuple[int, int], ...] = field(default=())
    added: tuple[tuple[int, int], ...] = field(default=())


class History(RepositoryClient):
    """The repository and the history of its pull requests."""

    def facts(self) -> RepositoryFacts:
        """Return the repository; raise `GithubRefused` (404) without access."""
        what = "read the repository"
        owner, _, name = self.full_name.partition("/")
        data = self._connection.get(f"/repos/{quoted(owner)}/{quoted(name)}", what, "metadata: read")
        return understood(repository_from, data, what)

    def pulls_since(self, since: datetime, patiently: Patiently | None = None) -> Iterator[PullFacts]:
        """Yield pull requests changed at or after `since`, last changed first.

        Pull requests that change during the iteration move to the front: some may appear twice, others may be missed.
        Callers of long lists should read the front again afterwards.
        """
        what = "list pull requests"
        path = f"{self._path}/pulls"
        how = {"state": "all", "sort": "updated", "direction": "desc"}
        for one in self._connection.history_pages(path, what, _READ, how, patiently):
            pull = understood(pull_from, one, what)
            if pull.updated_at is not None and pull.updated_at < since:
                return
            yield pull

    def pushes(self, branch: str) -> tuple[Push, ...]:
        """Return the pushes to a branch that GitHub still lists, oldest first."""
        what = "read the branch's activity"
        path = f"{self._path}/activity"
        try:
            found = list(self._connection.pages(path, what, "contents: read", ref=f"refs/heads/{branch}"))
        except GithubRefused as refused:
            # 404: an older Enterprise Server without this list; 422: a deleted branch.
            if refused.status not in (404, 422):
                raise
            return ()
        moves = [understood(_push, one, what) for one in found if isinstance(one, dict)]
        return tuple(sorted((one for one in moves if one is not None), key=lambda one: one.at))

    def timeline(self, number: int) -> tuple[PastEvent, ...]:
        """Return a pull request's timeline in GitHub's order."""
        what = "read the pull request's timeline"
        found = self._connection.pages(f"{self._path}/issues/{number}/timeline", what, _READ)
        events = (understood(_past_event, one, what) for one in found if isinstance(one, dict))
        return tuple(one for one in events if one is not None)

    def threads(self, number: int) -> tuple[PastThread, ...]:
        """Return a pull request's review threads."""
        what = "read the review threads"
        owner, _, name = self.full_name.partition("/")
        found: list[PastThread] = []
        after: str | None = None
        while True:
            asked = {"owner": owner, "name": name, "number": number, "after": after}
            data = self._connection.graphql(_THREADS, asked, what, _READ)
            page = understood(lambda given: given["repository"]["pullRequest"]["reviewThreads"], data, what)
            found += understood(lambda given: [_thread(node) for node in given["nodes"]], page, what)
            info = page.get("pageInfo") or {}
            if not info.get("hasNextPage") or info.get("endCursor") in (None, after):
                return tuple(found)
            after = str(info["endCursor"])

    def commits_since(self, branch: str, since: datetime, patiently: Patiently | None = None) -> Iterator[PastCommit]:
        """Yield the commits on a branch since `since`, newest first."""
        what = "list commits"
        path = f"{self._path}/commits"
        asked = {"sha": branch, "since": since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}
        for one in self._connection.history_pages(path, what, "contents: read", asked, patiently):
            yield understood(_past_commit, one, what)

    def files(self, number: int) -> tuple[PastFile, ...]:
        """Return a pull request's changed files (the first 3,000); a file without a diff from GitHub has no lines."""
        what = "list the pull request's files"
        found = self._connection.pages(f"{self._path}/pulls/{number}/files", what, _READ)
        return tuple(understood(_past_file, one, what) for one in found)


def _push(data: Mapping[str, Any]) -> Push | None:
    after = str(data["after"])
    if after == _NOWHERE or not is_commit_id(after):
        return None  # the branch was deleted
    before = str(data.get("before") or _NOWHERE)
    return Push(before if before != _NOWHERE and is_commit_id(before) else None, after, _moment(data["timestamp"]))


def _past_event(data: Mapping[str, Any]) -> PastEvent | None:
    what = str(data.get("event") or "")
    if what == "committed":
        return PastEvent(what, _moment(data["committer"]["date"]), sha=str(data["sha"]))
    if data.get("created_at") is None:
        return None  # groups of comments and reviews, which are read elsewhere
    dismissed = data.get("dismissed_review") or {}
    return PastEvent(
        what,
        _moment(data["created_at"]),
        sha=str(data["commit_id"]) if data.get("commit_id") else None,
        review_id=int(dismissed["review_id"]) if dismissed.get("review_id") else None,
        state=str(dismissed["state"]) if dismissed.get("state") else None,
    )


def _thread(data: Mapping[str, Any]) -> PastThread:
    ids = [node.get("databaseId") for node in data["comments"]["nodes"]]
    return PastThread(str(data["id"]), bool(data["isResolved"]), tuple(one for one in ids if isinstance(one, int)))


def _past_commit(data: Mapping[str, Any]) -> PastCommit:
    commit = data["commit"]
    return PastCommit(str(data["sha"]), str(commit.get("message") or ""), _moment(commit["committer"]["date"]))


def _past_file(data: Mapping[str, Any]) -> PastFile:
    path = str(data["filename"])
    removed, added = changed_ranges(str(data.get("patch") or ""))
    return PastFile(path, str(data.get("previous_filename") or path), removed, added)


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


def _moment(text: Any) -> datetime:
    moment = datetime.fromisoformat(str(text))
    if moment.tzinfo is None:
        raise ValueError("a time without a zone")
    return moment.astimezone(UTC)
