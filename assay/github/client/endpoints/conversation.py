"""Comments, reviews and labels of pull requests, issues, and the permissions of who takes part."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from typing import Any

from github.PullRequest import ReviewComment
from pydantic import TypeAdapter

from assay.github.client.endpoints.repository_client import RepositoryClient, if_found
from assay.github.client.limits import MOST_COMMENT_BYTES
from assay.github.client.requester import quoted
from assay.github.client.truncate import cut
from assay.github.errors import GithubRefused
from assay.github.events.field_types import Id, Name, Text
from assay.github.events.github_json import comment_from, person_from, review_from
from assay.github.events.model import CommentFacts, FromUser, Person, ReviewFacts


class Permission(StrEnum):
    """Permission of an account, ordered: none < read < triage < write < maintain < admin."""

    none = "none"
    read = "read"
    triage = "triage"
    write = "write"
    maintain = "maintain"
    admin = "admin"

    @property
    def rank(self) -> int:
        return tuple(Permission).index(self)

    def at_least(self, other: Permission) -> bool:
        return self.rank >= other.rank


@dataclass(frozen=True, slots=True)
class Label:
    """Label to create; `color` is six hex digits without `#`."""

    name: str
    color: str
    description: str


RISK_LABELS: dict[str, Label] = {
    "low": Label("risk:low", "0e8a16", "Assay: rarely needs a fix, and no policy floor"),
    "medium": Label("risk:medium", "fbca04", "Assay: needs a fix more often than most changes"),
    "high": Label("risk:high", "d93f0b", "Assay: needs a thorough review; the report says why"),
    "critical": Label("risk:critical", "b60205", "Assay: most likely to need a fix, or breaks or unlocks something"),
}
"""Level -> label. Colours from green to dark red; GitHub's own palette."""

_OURS = {label.name for label in RISK_LABELS.values()}


@dataclass(frozen=True, slots=True)
class LineNote:
    """Comment on lines of the diff's head; `start_line` is set if it spans several lines.

    `body_on_last_line` replaces the body if the diff shows only the last of the lines.
    """

    path: str
    line: int
    body: str
    finding_id: str
    start_line: int | None = None
    body_on_last_line: str | None = None

    def body_on_wire(self) -> ReviewComment:
        """Serialize it for GitHub."""
        data: ReviewComment = {
            "path": self.path,
            "line": self.line,
            "side": "RIGHT",
            "body": cut(self.body, MOST_COMMENT_BYTES),
        }
        if self.start_line is not None and self.start_line < self.line:
            data |= {"start_line": self.start_line, "start_side": "RIGHT"}
        return data


@dataclass(frozen=True, slots=True)
class IssueFacts:
    """Issue, excluding pull requests, which GitHub lists together with issues."""

    number: Id
    title: Text
    body: Text
    author: FromUser
    html_url: Name


_issue = TypeAdapter(IssueFacts).validate_python


class Conversation(RepositoryClient):
    """Comments, reviews, labels, issues and permissions."""

    def comments(self, number: int) -> tuple[CommentFacts, ...]:
        """Return the comments of the conversation, oldest first."""
        return tuple(self._items(f"issues/{number}/comments", comment_from))

    def review_comments(self, number: int) -> tuple[CommentFacts, ...]:
        """Return the comments on lines, oldest first."""
        return tuple(self._items(f"pulls/{number}/comments", comment_from))

    def past_review_comments(self, since: datetime | None) -> Iterator[Any]:
        """Yield GitHub's JSON of review comments, newest first; callers validate it.

        With `since` (timezone-aware) only comments created or edited at or after it.
        """
        asked = {"sort": "created", "direction": "desc"}
        asked |= {"since": since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")} if since else {}
        return self._items("pulls/comments", lambda one: one, asked=asked)

    def create_comment(self, number: int, body: str) -> CommentFacts:
        """Create an issue comment. It may exist after a lost response, so search for it before a retry."""
        issue = self._github.get_issue(number)
        return self._made(lambda: issue.create_comment(cut(body, MOST_COMMENT_BYTES)), comment_from)

    def reply_in_thread(self, number: int, comment_id: int, body: str) -> CommentFacts:
        """Reply in a review thread; search for the reply before a retry, as for `create_comment`."""
        reply, text = self._github.get_pull(number).create_review_comment_reply, cut(body, MOST_COMMENT_BYTES)
        return self._made(lambda: reply(comment_id, text), comment_from)

    def edit_comment(self, comment_id: int, body: str) -> CommentFacts:
        """Edit an issue comment."""
        return self._edit(f"issues/comments/{comment_id}", body)

    def edit_review_comment(self, comment_id: int, body: str) -> CommentFacts:
        """Edit a comment on a line."""
        return self._edit(f"pulls/comments/{comment_id}", body)

    def react(self, comment: CommentFacts, emoji: str) -> None:
        """Add a reaction (`+1`, `eyes`, `confused` and so on) to a comment of either kind; it is idempotent."""
        self._send("POST", _reactions_to(comment), bool, {"content": emoji})

    def reactions(self, comment: CommentFacts, emoji: str) -> tuple[Person, ...]:
        """Return who reacted to a comment of either kind with this emoji."""
        found = self._items(_reactions_to(comment), _author, asked={"content": emoji})
        return tuple(person for person in found if person is not None)

    def _edit(self, path: str, body: str) -> CommentFacts:
        return self._send("PATCH", path, comment_from, {"body": cut(body, MOST_COMMENT_BYTES)})

    def reviews(self, number: int) -> tuple[ReviewFacts, ...]:
        """Return all reviews, oldest first."""
        return tuple(self._items(f"pulls/{number}/reviews", review_from))

    def create_review(self, number: int, head_sha: str, body: str, notes: Sequence[LineNote]) -> int:
        """Create a review with all its notes as a comment; return its id."""
        text, comments = cut(body, MOST_COMMENT_BYTES), [note.body_on_wire() for note in notes]
        wanted = {"commit_id": head_sha, "event": "COMMENT", "body": text, "comments": comments}
        # PyGithub's `create_review` requests the commit first.
        return self._send("POST", f"pulls/{number}/reviews", review_from, wanted).id

    def labels(self, number: int) -> tuple[str, ...]:
        """Return the names of a pull request's labels."""
        return tuple(self._items(f"issues/{number}/labels", lambda one: str(one["name"])))

    def set_risk_label(
        self, number: int, level: str, there: Collection[str] | None = None, made: Collection[str] = ()
    ) -> bool:
        """Set the label of this level, remove the other three, and return whether anything changed.

        `there` are the pull request's labels where they were read just now, `made` those that the repository is known
        to have. The new label is added before the old one is removed, so that rules for "any risk label" always match.
        """
        issue, wanted = self._github.get_issue(number), RISK_LABELS[level]
        there = self.labels(number) if there is None else there
        # GitHub's label names are case-insensitive.
        has_it = any(name.lower() == wanted.name for name in there)
        others = [name for name in there if name.lower() in _OURS - {wanted.name}]
        if not has_it:
            if wanted.name not in made:
                self._make_sure_of(wanted)
            issue.add_to_labels(wanted.name)
        for name in others:
            if_found(partial(issue.remove_from_labels, name))  # a concurrent request may have removed it
        return bool(others) or not has_it

    def _make_sure_of(self, label: Label) -> None:
        """Create a missing label; an existing one keeps its colour and description."""
        if self._exists(label):
            return
        try:
            self._github.create_label(label.name, label.color, label.description)
        except GithubRefused as refused:
            # A concurrent request created it, or the response to the first try was lost.
            if refused.status != 422 or not self._exists(label):
                raise

    def _exists(self, label: Label) -> bool:
        return if_found(lambda: self._get(f"labels/{quoted(label.name)}", bool)) is not None

    def open_issues(self, label: str) -> Iterator[IssueFacts]:
        """Yield the open issues with this label, newest first."""
        asked = {"state": "open", "labels": label, "sort": "created", "direction": "desc"}
        found = self._items("issues", lambda one: None if "pull_request" in one else _issue(one), asked=asked)
        return (issue for issue in found if issue is not None)

    def create_issue(self, title: str, body: str, label: str) -> IssueFacts:
        """Create an issue. It may exist after a lost response, so search for it before a retry."""
        text = cut(body, MOST_COMMENT_BYTES)
        return self._made(lambda: self._github.create_issue(title, text, labels=[label]), _issue)

    def edit_issue(self, number: int, title: str, body: str, *, is_open: bool = True) -> IssueFacts:
        """Edit an issue; close it as completed unless `is_open`."""
        state = {"state": "open"} if is_open else {"state": "closed", "state_reason": "completed"}
        wanted = {"title": title, "body": cut(body, MOST_COMMENT_BYTES), **state}
        return self._send("PATCH", f"issues/{number}", _issue, wanted)

    def permission_of(self, login: str) -> Permission:
        """Return the permission of an account; `none` if it has no access."""
        path = f"collaborators/{quoted(login)}/permission"
        return if_found(lambda: self._get(path, _permission)) or Permission.none


def _author(reaction: Any) -> Person | None:
    return person_from(reaction["user"]) if reaction.get("user") else None


def _reactions_to(comment: CommentFacts) -> str:
    return f"{'issues' if comment.path is None else 'pulls'}/comments/{comment.id}/reactions"


def _permission(data: dict[str, Any]) -> Permission:
    """Return the permission by `role_name`, which includes triage and maintain; a custom role counts as its base."""
    role, legacy = str(data.get("role_name", "")), str(data.get("permission", "none"))
    if role in ("triage", "maintain"):
        return Permission(role)
    return Permission(legacy) if legacy in tuple(Permission) else Permission.none
