"""Typed events of GitHub, parsed from webhook payloads and shared by App and Action.

All texts are untrusted. Times are timezone-aware; ids are GitHub's numbers; commit ids are 40 or 64 hex digits, checked
by the parser.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Person:
    """Account. `kind` is GitHub's `User`, `Bot`, `Organization` and so on; a deleted account is `ghost`."""

    login: str
    id: int | None = None
    kind: str = "User"

    @property
    def is_bot(self) -> bool:
        return self.kind == "Bot" or self.login.endswith("[bot]")


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """Repository as named in an event."""

    id: int
    full_name: str
    default_branch: str = "main"
    is_private: bool = False
    is_archived: bool = False


@dataclass(frozen=True, slots=True)
class PullFacts:
    """Snapshot of a pull request. `head_repository` is None if the fork was deleted.

    `num_added` and `num_removed` are lines; short forms of the API omit them.
    """

    id: int
    number: int
    title: str
    body: str
    author: Person
    head_sha: str
    head_ref: str
    base_sha: str
    base_ref: str
    head_repository: RepositoryFacts | None = None
    base_repository_id: int | None = None
    is_draft: bool = False
    state: str = "open"
    is_merged: bool = False
    merge_commit_sha: str | None = None
    labels: tuple[str, ...] = ()
    created_at: datetime | None = None
    updated_at: datetime | None = None
    closed_at: datetime | None = None
    merged_at: datetime | None = None
    merged_by: Person | None = None
    num_added: int | None = None
    num_removed: int | None = None

    @property
    def is_fork(self) -> bool:
        return self.head_repository is None or self.head_repository.id != self.base_repository_id


@dataclass(frozen=True, slots=True)
class CheckFacts:
    """Check run or commit status of any App.

    `source` is `check_run` or `status`; `status` is queued, in_progress, completed (a status: `pending` counts as
    in_progress); `conclusion` is GitHub's word, None while it runs (a status: success, failure, or error as
    `failure`).
    """

    source: str
    external_key: str
    name: str
    head_sha: str
    status: str
    conclusion: str | None = None
    app_id: int | None = None
    app_slug: str | None = None
    url: str | None = None
    title: str | None = None
    summary: str | None = None
    external_id: str | None = None
    suite_id: int | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    pull_numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewFacts:
    """Submitted review. `state` is approved, changes_requested, commented, dismissed or pending."""

    id: int
    reviewer: Person
    state: str
    body: str
    commit_sha: str | None
    submitted_at: datetime | None
    association: str = "NONE"


@dataclass(frozen=True, slots=True)
class CommentFacts:
    """Comment on a pull request: in the conversation, or (with `path`) on a line of its diff.

    `app_id` is the App that created it, if any; with the marker it distinguishes Assay's comments from forged ones.
    """

    id: int
    author: Person
    body: str
    created_at: datetime | None = None
    updated_at: datetime | None = None
    association: str = "NONE"
    app_id: int | None = None
    node_id: str | None = None
    path: str | None = None
    line: int | None = None
    side: str | None = None
    commit_sha: str | None = None
    diff_hunk: str | None = None
    review_id: int | None = None
    in_reply_to: int | None = None


@dataclass(frozen=True, slots=True)
class About:
    """Common part of every event: name, action, repository, sender and delivery."""

    event: str
    action: str
    delivery_id: str
    repository: RepositoryFacts | None
    installation_id: int | None
    sender: Person | None


@dataclass(frozen=True, slots=True)
class PullRequestEvent:
    """Change of a pull request: opened, synchronize, reopened, edited, labeled, closed and so on."""

    about: About
    pull: PullFacts
    before: str | None = None
    label: str | None = None
    old_title: str | None = None
    old_base_ref: str | None = None


@dataclass(frozen=True, slots=True)
class ReviewEvent:
    """Review submitted, edited or dismissed."""

    about: About
    pull: PullFacts
    review: ReviewFacts


@dataclass(frozen=True, slots=True)
class ReviewCommentEvent:
    """Comment on a line of the diff created, edited or deleted."""

    about: About
    pull: PullFacts
    comment: CommentFacts


@dataclass(frozen=True, slots=True)
class ReviewThreadEvent:
    """Review thread resolved or unresolved; the first of `comment_ids` opened it."""

    about: About
    pull: PullFacts
    thread_node_id: str
    comment_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class IssueCommentEvent:
    """Comment in the conversation of a pull request or an issue created, edited or deleted."""

    about: About
    number: int
    is_pull: bool
    pull_author: Person
    comment: CommentFacts


@dataclass(frozen=True, slots=True)
class CheckRunEvent:
    """Check run created, completed, rerequested, or its button pressed (`button` is the identifier)."""

    about: About
    check: CheckFacts
    button: str | None = None


@dataclass(frozen=True, slots=True)
class CheckSuiteEvent:
    """Check suite requested, rerequested or completed."""

    about: About
    suite_id: int
    head_sha: str
    head_branch: str | None
    app_id: int | None
    status: str | None
    conclusion: str | None
    pull_numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkflowRunEvent:
    """Workflow run requested, started or completed."""

    about: About
    run_id: int
    name: str
    workflow_path: str
    head_sha: str
    head_branch: str | None
    trigger: str
    status: str | None
    conclusion: str | None
    run_attempt: int = 1
    pull_numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class StatusEvent:
    """Commit status set."""

    about: About
    check: CheckFacts


@dataclass(frozen=True, slots=True)
class MergeGroupEvent:
    """Merge group created, with its checks requested, or destroyed."""

    about: About
    head_sha: str
    head_ref: str
    base_sha: str
    base_ref: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class PushedCommit:
    """Commit of a push: enough to detect a revert, and its files."""

    sha: str
    message: str
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PushEvent:
    """Push to a branch or tag (`ref` is `refs/heads/…` or `refs/tags/…`)."""

    about: About
    ref: str
    before: str
    after: str
    commits: tuple[PushedCommit, ...] = ()


@dataclass(frozen=True, slots=True)
class InstallationEvent:
    """App installed, removed or suspended, or its permissions or repositories changed."""

    about: About
    account: str
    repositories_added: tuple[RepositoryFacts, ...] = ()
    repositories_removed: tuple[RepositoryFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class PingEvent:
    """Test delivery of the webhook."""

    about: About
    hook_id: int | None = None


Event: TypeAlias = (
    PullRequestEvent
    | ReviewEvent
    | ReviewCommentEvent
    | ReviewThreadEvent
    | IssueCommentEvent
    | CheckRunEvent
    | CheckSuiteEvent
    | WorkflowRunEvent
    | StatusEvent
    | MergeGroupEvent
    | PushEvent
    | InstallationEvent
    | PingEvent
)
