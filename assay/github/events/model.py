"""What happened on GitHub, in our words: frozen facts, made from payloads by `payloads`, the same for App and Action.

Every text in here was written by strangers. Times are aware; ids are GitHub's numbers; commit ids are 40 (or 64) hex
digits, checked where they are read.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Person:
    """An account. `kind` is GitHub's `User`, `Bot`, `Organization`…; a deleted account is `ghost`."""

    login: str
    id: int | None = None
    kind: str = "User"

    @property
    def is_bot(self) -> bool:
        return self.kind == "Bot" or self.login.endswith("[bot]")


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """A repository as an event names it."""

    id: int
    full_name: str
    default_branch: str = "main"
    is_private: bool = False
    is_archived: bool = False


@dataclass(frozen=True, slots=True)
class PullFacts:
    """A pull request as GitHub describes it at one moment. `head_repository` is None when the fork was deleted.

    `num_added` and `num_removed` are lines; short descriptions leave them out.
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
    """A check run or a commit status of somebody: what CI says about a commit.

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
    """A submitted review. `state` is approved, changes_requested, commented, dismissed or pending."""

    id: int
    reviewer: Person
    state: str
    body: str
    commit_sha: str | None
    submitted_at: datetime | None
    association: str = "NONE"


@dataclass(frozen=True, slots=True)
class CommentFacts:
    """A comment on a pull request: in the conversation, or (with `path`) on a line of its diff.

    `app_id` is the App it was made through, if any: with the marker it tells our own comments from forged ones.
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
    """What every event carries: its name and action, where and by whom, and the delivery it came with."""

    event: str
    action: str
    delivery_id: str
    repository: RepositoryFacts | None
    installation_id: int | None
    sender: Person | None


@dataclass(frozen=True, slots=True)
class PullRequestEvent:
    """opened, synchronize, reopened, ready_for_review, converted_to_draft, edited, labeled, unlabeled, closed …"""

    about: About
    pull: PullFacts
    before: str | None = None
    label: str | None = None
    old_title: str | None = None
    old_base_ref: str | None = None


@dataclass(frozen=True, slots=True)
class ReviewEvent:
    """A review was submitted, edited or dismissed."""

    about: About
    pull: PullFacts
    review: ReviewFacts


@dataclass(frozen=True, slots=True)
class ReviewCommentEvent:
    """A comment on a line of the diff was created, edited or deleted."""

    about: About
    pull: PullFacts
    comment: CommentFacts


@dataclass(frozen=True, slots=True)
class ReviewThreadEvent:
    """A review thread was resolved or unresolved; `comment_ids` are its comments, the first one opened it."""

    about: About
    pull: PullFacts
    thread_node_id: str
    comment_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class IssueCommentEvent:
    """A comment in a conversation was created, edited or deleted; issues that are no pull requests come too."""

    about: About
    number: int
    is_pull: bool
    pull_author: Person
    comment: CommentFacts


@dataclass(frozen=True, slots=True)
class CheckRunEvent:
    """A check run was created, completed, rerequested, or one of its buttons pressed (`button` is its identifier)."""

    about: About
    check: CheckFacts
    button: str | None = None


@dataclass(frozen=True, slots=True)
class CheckSuiteEvent:
    """A check suite was requested, rerequested or completed."""

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
    """A workflow run was requested, started or completed."""

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
    """A commit status was set."""

    about: About
    check: CheckFacts


@dataclass(frozen=True, slots=True)
class MergeGroupEvent:
    """The merge queue made a group and wants its checks, or took it apart."""

    about: About
    head_sha: str
    head_ref: str
    base_sha: str
    base_ref: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class PushedCommit:
    """A commit of a push: enough to see a revert, and which files it touched."""

    sha: str
    message: str
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PushEvent:
    """Commits arrived on a branch (`ref` is `refs/heads/…` or `refs/tags/…`)."""

    about: About
    ref: str
    before: str
    after: str
    commits: tuple[PushedCommit, ...] = ()


@dataclass(frozen=True, slots=True)
class InstallationEvent:
    """The App was installed, removed, suspended, given new permissions, or given or taken repositories."""

    about: About
    account: str
    repositories_added: tuple[RepositoryFacts, ...] = ()
    repositories_removed: tuple[RepositoryFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class PingEvent:
    """GitHub tries the webhook."""

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
