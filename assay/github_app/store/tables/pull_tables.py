"""The tables `pulls` and `pull_heads`, and their rows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import Big, Json, Kept, Key, OfAPull, StoredRow, described, of_a_pull


class DeclaredBy(StrEnum):
    """Sources of a pull request's task, model and prompt version, in order of precedence."""

    api = "api"
    trailer = "trailer"
    body = "body"
    branch = "branch"
    files = "files"


PROPOSAL_BRANCH = "assay/instruction-files"
"""Branch of the pull requests that Assay itself opens."""


class PullRow(OfAPull, StoredRow):
    """A pull request in its newest state from GitHub, with derived data.

    `first_push_head` is the head at opening, or at the first "ready for review" of a draft; None if unknown. `issues`
    are those it is linked to, as `owner/name#12`.
    """

    __tablename__ = "pulls"
    __table_args__ = (
        Index(None, "state", "updated_at"),
        Index(None, "repository_id", "head_sha"),
        Index(None, "repository_id", "merge_commit_sha"),
        Index(None, "repository_id", "task_id"),
        described("Pull requests in their newest state; `head_sha` is null if only a comment was received.", Kept.pull),
    )

    github_id: Mapped[Big | None]
    title: Mapped[str] = mapped_column(nullable=True)
    body: Mapped[str] = mapped_column(nullable=True)
    author: Mapped[str] = mapped_column(nullable=True)
    author_id: Mapped[Big | None]
    author_kind: Mapped[str] = mapped_column(nullable=True)
    head_sha: Mapped[str] = mapped_column(nullable=True)
    head_ref: Mapped[str] = mapped_column(nullable=True)
    head_repository_id: Mapped[Big | None]
    head_repository: Mapped[str | None]
    base_sha: Mapped[str] = mapped_column(nullable=True)
    base_ref: Mapped[str] = mapped_column(nullable=True)
    is_fork: Mapped[bool] = mapped_column(nullable=True)
    is_draft: Mapped[bool] = mapped_column(nullable=True)
    state: Mapped[str] = mapped_column(nullable=True)
    is_merged: Mapped[bool] = mapped_column(nullable=True)
    merge_commit_sha: Mapped[str | None]
    labels: Mapped[tuple[str, ...]] = mapped_column(nullable=True)
    created_at: Mapped[datetime | None]
    updated_at: Mapped[datetime | None]
    closed_at: Mapped[datetime | None]
    merged_at: Mapped[datetime | None]
    merged_by: Mapped[str | None]
    seen_at: Mapped[datetime]
    opened_head: Mapped[str | None]
    opened_as_draft: Mapped[bool | None]
    ready_head: Mapped[str | None]
    ready_at: Mapped[datetime | None]
    agent: Mapped[str | None]
    agent_confidence: Mapped[float | None]
    agent_signals: Mapped[tuple[str, ...]] = mapped_column(nullable=True)
    model: Mapped[str | None]
    task_id: Mapped[str | None]
    prompt_version: Mapped[str | None]
    prompt_version_source: Mapped[str | None]
    paused_by: Mapped[str | None]
    paused_at: Mapped[datetime | None]
    version: Mapped[str | None] = mapped_column(default=None)
    declared: Mapped[Mapping[str, Mapping[str, str]] | None] = mapped_column(Json, default=None)
    requested_by: Mapped[str | None] = mapped_column(default=None)
    issues: Mapped[tuple[str, ...]] = mapped_column(nullable=True, default=())

    @property
    def is_own_proposal(self) -> bool:
        """Whether Assay opened it; it has no code, so figures about changes leave it out."""
        return self.head_ref == PROPOSAL_BRANCH and not self.is_fork

    @property
    def is_paused(self) -> bool:
        return self.paused_at is not None

    @property
    def first_push_head(self) -> str | None:
        if self.opened_head is not None and not self.opened_as_draft:
            return self.opened_head
        return self.ready_head


class HeadRow(OfAPull, StoredRow):
    """A head of a pull request; `pushed_at` is GitHub's time of the first event that showed it."""

    __tablename__ = "pull_heads"
    __table_args__ = (
        of_a_pull(),
        Index(None, "repository_id", "sha"),
        described("Heads of a pull request: time, predecessor, size; `facts` of the newest.", Kept.pull),
    )

    sha: Mapped[Key]
    before_sha: Mapped[str | None]
    pushed_at: Mapped[datetime]
    last_at: Mapped[datetime]
    num_added: Mapped[int | None] = mapped_column(default=None)
    num_removed: Mapped[int | None] = mapped_column(default=None)
    counted_at: Mapped[datetime | None] = mapped_column(default=None)
    facts: Mapped[Mapping[str, Any] | None] = mapped_column(deferred=True, init=False, repr=False, compare=False)
