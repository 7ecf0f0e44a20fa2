"""Repository client: all requests of Assay to one repository."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from github.Auth import Token as TokenAuth

from assay.github.client import (
    artifacts,
    branches,
    checks,
    comments,
    history,
    issues,
    labels,
    past_comments,
    past_trees,
    people,
    proposals,
    pulls,
    reviews,
    sarif,
    workflow_runs,
)
from assay.github.client.artifacts import ArtifactFacts
from assay.github.client.checks import CHECK_NAME, CheckOutput, WrittenCheck
from assay.github.client.connection import Connection, Patiently
from assay.github.client.history import PastCommit, PastEvent, PastFile, PastThread, Push
from assay.github.client.identity import ACTIONS, Us
from assay.github.client.issues import IssueFacts
from assay.github.client.pacing import Pace
from assay.github.client.past_trees import PastTree
from assay.github.client.people import Permission
from assay.github.client.proposals import FileOnBranch
from assay.github.client.pulls import CommitFacts
from assay.github.client.reviews import LineNote
from assay.github.client.workflow_runs import WorkflowRunFacts
from assay.github.errors import GithubRefused
from assay.github.events.model import CheckFacts, CommentFacts, PullFacts, RepositoryFacts, ReviewFacts


class Repo(AbstractContextManager["Repo"]):
    """Repository client. Every method may raise GithubRefused, PermissionMissing, GithubUnavailable and RateLimited."""

    def __init__(self, connection: Connection, full_name: str, repository_id: int | None, us: Us) -> None:
        if full_name.count("/") != 1 or any(part in ("", ".", "..") for part in full_name.split("/")):
            raise GithubRefused(404, "open the repository", "its name is not owner/name")
        self.full_name = full_name
        self.id = repository_id
        self.us = us
        self._connection = connection

    @classmethod
    def from_token(
        cls,
        token: str,
        full_name: str,
        api_url: str,
        *,
        us: Us = ACTIONS,
        repository_id: int | None = None,
        pace: Pace | None = None,
    ) -> Repo:
        """Open a repository with an existing token, as in a workflow."""
        return cls(Connection(api_url, TokenAuth(token), pace or Pace()), full_name, repository_id, us)

    def __repr__(self) -> str:
        return f"Repo({self.full_name!r})"

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def wait(self, seconds: float) -> None:
        """Wait, because new objects appear in GitHub's lists with a delay."""
        self._connection.pace.clock.sleep(seconds)

    @property
    def web_url(self) -> str:
        """Web page of the repository."""
        return f"{web_address(self._connection.api_url)}/{self.full_name}"

    def pull(self, number: int) -> PullFacts:
        """Return a pull request."""
        return pulls.pull(self._connection, self.full_name, number)

    def open_pulls(self) -> Iterator[PullFacts]:
        """Yield the open pull requests, last changed first."""
        return pulls.open_pulls(self._connection, self.full_name)

    def pulls_with_head(self, sha: str, *, search_all: bool = True) -> tuple[PullFacts, ...]:
        """Return the open pull requests with this head, including those of forks."""
        return pulls.pulls_with_head(self._connection, self.full_name, sha, search_all=search_all)

    def commits_of(self, number: int) -> tuple[CommitFacts, ...]:
        """Return a pull request's commits, oldest first (the first 250)."""
        return pulls.commits_of(self._connection, self.full_name, number)

    def commits_between(self, base_sha: str, head_sha: str) -> tuple[CommitFacts, ...] | None:
        """Return the commits on the first-parent line from base to head, oldest first; None above 250."""
        return pulls.commits_between(self._connection, self.full_name, base_sha, head_sha)

    def lines_in_diff(self, number: int) -> Mapping[str, frozenset[int]]:
        """Return path -> lines of the head in GitHub's diff of a pull request."""
        return pulls.lines_in_diff(self._connection, self.full_name, number)

    def permission_of(self, login: str) -> Permission:
        """Return the permission of an account."""
        return people.permission_of(self._connection, self.full_name, login)

    def checks(self, sha: str, *, with_statuses: bool = True) -> tuple[CheckFacts, ...]:
        """Return the newest check run or status of each name and App on a commit."""
        return checks.checks(self._connection, self.full_name, sha, with_statuses=with_statuses)

    def commit_of(self, revision: str) -> str | None:
        """Return the commit id of a branch or tag; None if it does not exist."""
        return branches.commit_of(self._connection, self.full_name, revision)

    def required_checks(self, branch: str) -> frozenset[str]:
        """Return the names of the checks a branch requires."""
        return branches.required_checks(self._connection, self.full_name, branch)

    def our_check(
        self, head_sha: str, external_id: str, app_id: int | None = None, name: str = CHECK_NAME
    ) -> int | None:
        """Return the id of the run with this `external_id` on a commit, by default of this App."""
        return checks.our_check(self._connection, self.full_name, head_sha, external_id, app_id or self.us.app_id, name)

    def our_checks(self, head_sha: str) -> tuple[CheckFacts, ...]:
        """Return Assay's runs on a commit, of this App if it has an id, oldest first."""
        return checks.our_checks(self._connection, self.full_name, head_sha, self.us.app_id)

    def shown_check(self, check_id: int) -> CheckOutput:
        """Return a Check Run's content without annotations and buttons."""
        return checks.shown_check(self._connection, self.full_name, check_id)

    def our_verdict(self, head_sha: str) -> CheckFacts | None:
        """Return this App's Check Run on a commit, if there is one."""
        return checks.our_verdict(self._connection, self.full_name, head_sha, self.us.app_id)

    def create_check(self, head_sha: str, output: CheckOutput, external_id: str) -> int:
        """Create a Check Run and return its id."""
        written = checks.create_check(self._connection, self.full_name, head_sha, output, external_id)
        self._learn_from(written)
        return written.id

    def update_check(self, check_id: int, output: CheckOutput) -> None:
        """Update a Check Run."""
        self._learn_from(checks.update_check(self._connection, self.full_name, check_id, output))

    def labels(self, number: int) -> tuple[str, ...]:
        """Return the names of a pull request's labels."""
        return labels.labels(self._connection, self.full_name, number)

    def set_risk_label(self, number: int, level: str) -> bool:
        """Set exactly one of the four labels; return whether anything changed."""
        return labels.set_risk_label(self._connection, self.full_name, number, level)

    def comments(self, number: int) -> tuple[CommentFacts, ...]:
        """Return the comments of a pull request's conversation, oldest first."""
        return comments.comments(self._connection, self.full_name, number)

    def review_comments(self, number: int) -> tuple[CommentFacts, ...]:
        """Return the comments on a pull request's lines, oldest first."""
        return comments.review_comments(self._connection, self.full_name, number)

    def past_review_comments(self, since: datetime | None = None) -> Iterator[Any]:
        """Yield GitHub's JSON of the review comments of all pull requests, newest first."""
        return past_comments.past_review_comments(self._connection, self.full_name, since)

    def create_comment(self, number: int, body: str) -> CommentFacts:
        """Create an issue comment."""
        return comments.create_comment(self._connection, self.full_name, number, body)

    def reply_in_thread(self, number: int, comment_id: int, body: str) -> CommentFacts:
        """Reply in a review thread."""
        return comments.reply_in_thread(self._connection, self.full_name, number, comment_id, body)

    def edit_comment(self, comment_id: int, body: str) -> CommentFacts:
        """Edit an issue comment."""
        return comments.edit_comment(self._connection, self.full_name, comment_id, body)

    def edit_review_comment(self, comment_id: int, body: str) -> CommentFacts:
        """Edit a comment on a line."""
        return comments.edit_review_comment(self._connection, self.full_name, comment_id, body)

    def react(self, comment: CommentFacts, emoji: str) -> None:
        """Add a reaction to a comment: +1, -1, eyes, confused, rocket and so on."""
        comments.react(self._connection, self.full_name, comment, emoji)

    def minimise(self, node_id: str, why: str = "OUTDATED") -> None:
        """Minimize a comment."""
        comments.minimise(self._connection, node_id, why)

    def reviews(self, number: int) -> tuple[ReviewFacts, ...]:
        """Return the reviews of a pull request, oldest first."""
        return reviews.reviews(self._connection, self.full_name, number)

    def create_review(self, number: int, head_sha: str, body: str, notes: Sequence[LineNote]) -> int:
        """Create a review with all its notes and return its id."""
        return reviews.create_review(self._connection, self.full_name, number, head_sha, body, notes)

    def upload_sarif(self, head_sha: str, ref: str, sarif_bytes: bytes) -> str | None:
        """Upload findings to code scanning for `ref`, as `refs/pull/N/head`, and return GitHub's id."""
        return sarif.upload_sarif(self._connection, self.full_name, head_sha, ref, sarif_bytes)

    def workflow_run(self, run_id: int) -> WorkflowRunFacts:
        """Return a workflow run."""
        return workflow_runs.workflow_run(self._connection, self.full_name, run_id)

    def artifacts(self, run_id: int, name: str | None = None) -> tuple[ArtifactFacts, ...]:
        """Return the artifacts of all attempts of a workflow run, filtered by `name` if given."""
        return artifacts.artifacts(self._connection, self.full_name, run_id, name)

    def artifacts_named(self, name: str) -> Iterator[ArtifactFacts]:
        """Yield the artifacts of this name of all workflow runs, newest first."""
        return artifacts.artifacts_named(self._connection, self.full_name, name)

    def artifact_archive(self, artifact_id: int, most_bytes: int) -> bytes:
        """Download an artifact's ZIP; raise `ArtifactRefused` if it is too large or its store is not allowed."""
        return artifacts.artifact_archive(self._connection, self.full_name, artifact_id, most_bytes)

    def open_issues(self, label: str) -> Iterator[IssueFacts]:
        """Yield the open issues with a label, newest first."""
        return issues.open_issues(self._connection, self.full_name, label)

    def create_issue(self, title: str, body: str, label: str) -> IssueFacts:
        """Open an issue."""
        return issues.create_issue(self._connection, self.full_name, title, body, label)

    def edit_issue(self, number: int, title: str, body: str, *, is_open: bool = True) -> IssueFacts:
        """Edit an issue, or close it."""
        return issues.edit_issue(self._connection, self.full_name, number, title=title, body=body, is_open=is_open)

    def facts(self) -> RepositoryFacts:
        """Return the repository."""
        return history.repository(self._connection, self.full_name)

    def pulls_since(self, since: datetime, patiently: Patiently | None = None) -> Iterator[PullFacts]:
        """Yield pull requests changed since then, last changed first."""
        return history.pulls_since(self._connection, self.full_name, since, patiently)

    def pushes(self, branch: str) -> tuple[Push, ...]:
        """Return the pushes to a branch that GitHub still lists, oldest first."""
        return history.pushes(self._connection, self.full_name, branch)

    def timeline(self, number: int) -> tuple[PastEvent, ...]:
        """Return a pull request's timeline."""
        return history.timeline(self._connection, self.full_name, number)

    def threads(self, number: int) -> tuple[PastThread, ...]:
        """Return a pull request's review threads."""
        return history.threads(self._connection, self.full_name, number)

    def commits_since(self, branch: str, since: datetime, patiently: Patiently | None = None) -> Iterator[PastCommit]:
        """Yield the commits on a branch since then, newest first."""
        return history.commits_since(self._connection, self.full_name, branch, since, patiently)

    def tree(self, sha: str, known: dict[str, bytes | None]) -> PastTree | None:
        """Return the files of a commit; `known` caches contents by id."""
        return past_trees.tree(self._connection, self.full_name, sha, known)

    def files(self, number: int) -> tuple[PastFile, ...]:
        """Return a pull request's changed files with their lines."""
        return history.files(self._connection, self.full_name, number)

    def file(self, path: str, ref: str) -> bytes | None:
        """Return a file at a revision; None if it is missing or above 1 MB."""
        return branches.file(self._connection, self.full_name, path, ref)

    def tip_of(self, branch: str) -> str | None:
        """Return the commit id of a branch; None if it does not exist."""
        return proposals.tip_of(self._connection, self.full_name, branch)

    def put_branch(self, branch: str, sha: str, *, is_new: bool) -> None:
        """Create a branch at a commit, or force the App's branch to it."""
        proposals.put_branch(self._connection, self.full_name, branch, sha, is_new=is_new)

    def file_on(self, path: str, branch: str) -> FileOnBranch | None:
        """Return a plain file on a branch with its blob id; None if it does not exist."""
        return proposals.file_on(self._connection, self.full_name, path, branch)

    def write_file(self, path: str, content: bytes, message: str, branch: str, replaced: FileOnBranch | None) -> None:
        """Commit one file to a branch, in place of `replaced`."""
        proposals.write_file(self._connection, self.full_name, path, content, message, branch, replaced)

    def proposals_from(self, branch: str, state: str) -> tuple[PullFacts, ...]:
        """Return the pull requests from a branch of this repository (`open`, `closed`), last changed first."""
        return proposals.proposals_from(self._connection, self.full_name, branch, state)

    def open_proposal(self, branch: str, base: str, title: str, body: str) -> PullFacts:
        """Open a pull request from a branch of this repository."""
        return proposals.open_proposal(self._connection, self.full_name, branch, base, title, body)

    def edit_proposal(self, number: int, *, body: str | None = None, is_open: bool = True) -> None:
        """Edit a pull request's body, or close it."""
        proposals.edit_proposal(self._connection, self.full_name, number, body=body, is_open=is_open)

    def _learn_from(self, written: WrittenCheck) -> None:
        """Return the account of a token, which may belong to another App."""
        if self.us.app_id is None and written.app_slug is not None:
            self.us = Us(f"{written.app_slug}[bot]")


def web_address(api_url: str) -> str:
    """Return the web URL of an API's GitHub: github.com, `*.ghe.com`, or an Enterprise Server."""
    address = urlsplit(api_url)
    host = (
        address.netloc.removeprefix("api.")
        if (address.hostname or "").endswith((".ghe.com", "api.github.com"))
        else address.netloc
    )
    return f"{address.scheme}://{host}{address.path.rstrip('/').removesuffix('/api/v3')}"
