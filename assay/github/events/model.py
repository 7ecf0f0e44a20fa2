"""Typed events of GitHub, parsed from webhook payloads and shared by App and Action.

Webhooks and API responses contain the same objects, so both are parsed into these classes: an annotation says where in
the JSON a field is (by default under its own name) and how it is checked. Constructors check nothing.

All texts are untrusted. Times are timezone-aware; ids are GitHub's numbers; commit ids are 40 or 64 hex digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field

from assay.github.events.field_types import (
    Flag,
    FullName,
    Id,
    Moment,
    Name,
    Numbers,
    OptionalText,
    Sha,
    Text,
    inner,
    json_at,
)

GHOST = "ghost"
"""Login that GitHub shows for deleted accounts."""


@dataclass(frozen=True, slots=True)
class Person:
    """Account. `kind` is GitHub's `User`, `Bot`, `Organization` and so on; a deleted account is `ghost`."""

    login: Name = GHOST
    id: Id | None = None
    kind: Annotated[Name, json_at("type")] = "User"

    @property
    def is_bot(self) -> bool:
        return self.kind == "Bot" or self.login.endswith("[bot]")


Author = Annotated[Person, BeforeValidator(lambda given: {} if given is None else given)]
"""An account that is null if it was deleted."""
FromUser = Annotated[Author, json_at("user", default_factory=Person)]


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """Repository as named in an event, in full or in the short form of installation events."""

    id: Id
    full_name: FullName
    default_branch: Name = "main"
    is_private: Annotated[bool, json_at("private")] = False
    is_archived: Annotated[bool, json_at("archived")] = False


@dataclass(frozen=True, slots=True)
class PullFacts:
    """Snapshot of a pull request. `head_repository` is None if the fork was deleted.

    `num_added` and `num_removed` are lines; short forms of the API omit them. Lists omit `merged`, older servers
    `draft`. `base_tip` is the commit of the base branch, where it was read; `base_sha` is older.
    """

    id: Id
    number: Id
    title: Annotated[Text, Field(default="")]
    body: Annotated[Text, Field(default="")]
    author: FromUser
    head_sha: Annotated[Sha, json_at("head", "sha")]
    head_ref: Annotated[Name, json_at("head", "ref")]
    base_sha: Annotated[Sha, json_at("base", "sha")]
    base_ref: Annotated[Name, json_at("base", "ref")]
    head_repository: Annotated[RepositoryFacts | None, json_at("head", "repo")] = None
    base_repository_id: Annotated[Id | None, json_at("base", "repo", "id")] = None
    is_draft: Annotated[Flag, json_at("draft")] = False
    state: Name = "open"
    is_merged: Annotated[Flag, json_at("merged")] = False
    merge_commit_sha: Sha | None = None
    labels: tuple[Annotated[Name, inner("name")], ...] = ()
    assignees: tuple[Person, ...] = ()
    created_at: Moment | None = None
    updated_at: Moment | None = None
    closed_at: Moment | None = None
    merged_at: Moment | None = None
    merged_by: Person | None = None
    num_added: Annotated[Id | None, json_at("additions")] = None
    num_removed: Annotated[Id | None, json_at("deletions")] = None
    base_tip: Sha | None = None

    @property
    def requested_by(self) -> str | None:
        """Login of the person who asked for the change: the author, or of a bot's pull request the first assignee.

        GitHub's coding agent assigns its pull request to the person who started it.
        """
        people = (self.author, *self.assignees)
        return next((person.login for person in people if not person.is_bot), None)

    @property
    def pull_text(self) -> str:
        """Title and description, as the author wrote them."""
        return f"{self.title}\n\n{self.body}".strip()

    @property
    def is_fork(self) -> bool:
        return self.head_repository is None or self.head_repository.id != self.base_repository_id


def _merged(given: Any) -> Any:
    """Set `merged`, which lists omit."""
    is_merged = isinstance(given, dict) and given.get("merged_at") is not None
    return {**given, "merged": True} if is_merged else given


Pull = Annotated[PullFacts, BeforeValidator(_merged)]
FromPullRequest = Annotated[Pull, json_at("pull_request")]


@dataclass(frozen=True, slots=True)
class CheckFacts:
    """Check run or commit status of any App.

    `source` is `check_run` or `status`; `status` is queued, in_progress, completed (a status: `pending` counts as
    in_progress); `conclusion` is GitHub's word, None while it runs (a status: success, failure, or error as
    `failure`).
    """

    source: str
    external_key: Annotated[str, json_at("id", pattern=r"^[0-9]{1,19}$", coerce_numbers_to_str=True)]
    name: Name
    head_sha: Sha
    status: Annotated[Name, Field(default="queued")]
    conclusion: Name | None = None
    app_id: Annotated[Id | None, json_at("app", "id")] = None
    app_slug: Annotated[Name | None, json_at("app", "slug")] = None
    url: Annotated[Name | None, json_at("html_url")] = None
    title: Annotated[OptionalText, json_at("output", "title")] = None
    summary: Annotated[OptionalText, json_at("output", "summary")] = None
    external_id: OptionalText = None
    suite_id: Annotated[Id | None, json_at("check_suite", "id")] = None
    started_at: Moment | None = None
    completed_at: Moment | None = None
    pull_numbers: Annotated[Numbers, json_at("pull_requests")] = ()


def _of_check_run(given: Any) -> Any:
    if not isinstance(given, dict):
        return given
    return {**given, "source": "check_run", "html_url": given.get("html_url") or given.get("details_url")}


CheckRun = Annotated[CheckFacts, BeforeValidator(_of_check_run)]


@dataclass(frozen=True, slots=True)
class ReviewFacts:
    """Submitted review. `state` is approved, changes_requested, commented, dismissed or pending.

    The API sends the state in capitals, webhooks in small letters.
    """

    id: Id
    reviewer: FromUser
    state: Annotated[Name, AfterValidator(str.lower)]
    body: Annotated[Text, Field(default="")]
    commit_sha: Annotated[Sha | None, json_at("commit_id", default=None)]
    submitted_at: Annotated[Moment | None, Field(default=None)]
    association: Annotated[Name, json_at("author_association")] = "NONE"


@dataclass(frozen=True, slots=True)
class CommentFacts:
    """Comment on a pull request: in the conversation, or (with `path`) on a line of its diff.

    `app_id` is the App that created it, if any; with the marker it distinguishes Assay's comments from forged ones. A
    comment whose line is gone keeps the line and commit it was made on.
    """

    id: Id
    author: FromUser
    body: Annotated[Text, Field(default="")]
    created_at: Moment | None = None
    updated_at: Moment | None = None
    association: Annotated[Name, json_at("author_association")] = "NONE"
    app_id: Annotated[Id | None, json_at("performed_via_github_app", "id")] = None
    node_id: Name | None = None
    path: Name | None = None
    line: Id | None = None
    side: Name | None = None
    commit_sha: Annotated[Sha | None, json_at("commit_id")] = None
    diff_hunk: OptionalText = None
    review_id: Annotated[Id | None, json_at("pull_request_review_id")] = None
    in_reply_to: Annotated[Id | None, json_at("in_reply_to_id")] = None


def _on_its_line(given: Any) -> Any:
    """Place a comment whose line is gone where it was made."""
    is_outdated = isinstance(given, dict) and given.get("line") is None and given.get("original_line") is not None
    if not is_outdated:
        return given
    commit = given.get("original_commit_id") or given.get("commit_id")
    return {**given, "line": given["original_line"], "commit_id": commit}


Comment = Annotated[CommentFacts, BeforeValidator(_on_its_line)]


@dataclass(frozen=True, slots=True)
class About:
    """Common part of every event: name, action, repository, sender and delivery."""

    event: str
    action: Name = ""
    delivery_id: str = ""
    repository: RepositoryFacts | None = None
    installation_id: Annotated[Id | None, json_at("installation", "id")] = None
    sender: Person | None = None


@dataclass(frozen=True, slots=True)
class PullRequestEvent:
    """Change of a pull request: opened, synchronize, reopened, edited, labeled, closed and so on."""

    about: About
    pull: FromPullRequest
    before: Sha | None = None
    label: Annotated[Name | None, json_at("label", "name")] = None
    old_base_ref: Annotated[Name | None, json_at("changes", "base", "ref", "from")] = None


@dataclass(frozen=True, slots=True)
class ReviewEvent:
    """Review submitted, edited or dismissed."""

    about: About
    pull: FromPullRequest
    review: ReviewFacts


@dataclass(frozen=True, slots=True)
class ReviewCommentEvent:
    """Comment on a line of the diff created, edited or deleted."""

    about: About
    pull: FromPullRequest
    comment: Comment


@dataclass(frozen=True, slots=True)
class ReviewThreadEvent:
    """Review thread resolved or unresolved; the first of `comment_ids` opened it."""

    about: About
    pull: FromPullRequest
    thread_node_id: Annotated[Name, json_at("thread", "node_id")]
    comment_ids: Annotated[tuple[Annotated[Id, inner("id")], ...], json_at("thread", "comments", default=())]


@dataclass(frozen=True, slots=True)
class IssueCommentEvent:
    """Comment in the conversation of a pull request or an issue created, edited or deleted."""

    about: About
    number: Annotated[Id, json_at("issue", "number")]
    is_pull: Annotated[
        bool, json_at("issue", "pull_request", default=False), BeforeValidator(lambda given: given not in (None, False))
    ]
    pull_author: Annotated[Author, json_at("issue", "user", default_factory=Person)]
    comment: Comment


@dataclass(frozen=True, slots=True)
class CheckRunEvent:
    """Check run created, completed, rerequested, or its button pressed (`button` is the identifier)."""

    about: About
    check: Annotated[CheckRun, json_at("check_run")]
    button: Annotated[Name | None, json_at("requested_action", "identifier")] = None


@dataclass(frozen=True, slots=True)
class CheckSuiteEvent:
    """Check suite requested, rerequested or completed."""

    about: About
    head_sha: Annotated[Sha, json_at("check_suite", "head_sha")]
    app_id: Annotated[Id | None, json_at("check_suite", "app", "id")] = None


@dataclass(frozen=True, slots=True)
class WorkflowRunEvent:
    """Workflow run requested, started or completed."""

    about: About
    head_sha: Annotated[Sha, json_at("workflow_run", "head_sha")]


@dataclass(frozen=True, slots=True)
class StatusEvent:
    """Commit status set."""

    about: About
    check: CheckFacts


@dataclass(frozen=True, slots=True)
class MergeGroupEvent:
    """Merge group created, with its checks requested, or destroyed."""

    about: About
    head_sha: Annotated[Sha, json_at("merge_group", "head_sha")]
    head_ref: Annotated[Name, json_at("merge_group", "head_ref")]
    base_sha: Annotated[Sha, json_at("merge_group", "base_sha")]
    base_ref: Annotated[Name, json_at("merge_group", "base_ref")]


@dataclass(frozen=True, slots=True)
class PushedCommit:
    """Commit of a push: enough to detect a revert, and its files."""

    sha: Annotated[Sha, json_at("id")]
    message: Annotated[Text, Field(default="")]
    added: tuple[Text, ...] = ()
    removed: tuple[Text, ...] = ()
    modified: tuple[Text, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        return (*self.added, *self.removed, *self.modified)


@dataclass(frozen=True, slots=True)
class PushEvent:
    """Push to a branch or tag (`ref` is `refs/heads/…` or `refs/tags/…`)."""

    about: About
    ref: Name
    before: Sha
    after: Sha
    commits: tuple[PushedCommit, ...] = ()


@dataclass(frozen=True, slots=True)
class InstallationEvent:
    """App installed, removed or suspended, or its permissions or repositories changed."""

    about: About
    account: Annotated[Name, json_at("installation", "account", "login")] = GHOST
    repositories: tuple[RepositoryFacts, ...] = ()
    added: Annotated[tuple[RepositoryFacts, ...], json_at("repositories_added")] = ()
    removed: Annotated[tuple[RepositoryFacts, ...], json_at("repositories_removed")] = ()

    @property
    def repositories_added(self) -> tuple[RepositoryFacts, ...]:
        return self.added if self.about.action == "deleted" else (*self.added, *self.repositories)

    @property
    def repositories_removed(self) -> tuple[RepositoryFacts, ...]:
        return (*self.removed, *self.repositories) if self.about.action == "deleted" else self.removed


@dataclass(frozen=True, slots=True)
class PingEvent:
    """Test delivery of the webhook."""

    about: About


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
