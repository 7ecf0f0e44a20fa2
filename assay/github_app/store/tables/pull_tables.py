"""The tables `pulls` and `pull_heads`, and their rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Boolean, Column, Float, Index, Integer, Table

from assay.github_app.store.database.columns import BIG, METADATA, Json, UtcTime, Words, of_a_pull, pull_key

PULLS = Table(
    "pulls",
    METADATA,
    *pull_key(is_primary=True),
    Column("github_id", BIG),
    Column("title", Words),
    Column("body", Words),
    Column("author", Words),
    Column("author_id", BIG),
    Column("author_kind", Words),
    Column("head_sha", Words),
    Column("head_ref", Words),
    Column("head_repository_id", BIG),
    Column("head_repository", Words),
    Column("base_sha", Words),
    Column("base_ref", Words),
    Column("is_fork", Boolean()),
    Column("is_draft", Boolean()),
    Column("state", Words),
    Column("is_merged", Boolean()),
    Column("merge_commit_sha", Words),
    Column("labels", Json),
    Column("created_at", UtcTime),
    Column("updated_at", UtcTime),
    Column("closed_at", UtcTime),
    Column("merged_at", UtcTime),
    Column("merged_by", Words),
    Column("version", Words),
    Column("seen_at", UtcTime, nullable=False),
    Column("opened_head", Words),
    Column("opened_as_draft", Boolean()),
    Column("ready_head", Words),
    Column("ready_at", UtcTime),
    Column("agent", Words),
    Column("agent_confidence", Float()),
    Column("agent_signals", Json),
    Column("model", Words),
    Column("task_id", Words),
    Column("prompt_version", Words),
    Column("prompt_version_source", Words),
    Column("declared", Json),
    Column("paused_by", Words),
    Column("paused_at", UtcTime),
    Index(None, "state", "updated_at"),
    Index(None, "repository_id", "head_sha"),
    Index(None, "repository_id", "merge_commit_sha"),
    Index(None, "repository_id", "task_id"),
    info={"holds": "Pull requests in their newest state; `head_sha` is null if only a comment was received."},
)

HEADS = Table(
    "pull_heads",
    METADATA,
    *pull_key(is_primary=True),
    Column("sha", Words, primary_key=True),
    Column("before_sha", Words),
    Column("pushed_at", UtcTime, nullable=False),
    Column("last_at", UtcTime, nullable=False),
    Column("facts", Json),
    Column("num_added", Integer()),
    Column("num_removed", Integer()),
    Column("counted_at", UtcTime),
    of_a_pull(),
    Index(None, "repository_id", "sha"),
    info={"holds": "Heads of a pull request: time, predecessor, size; `facts` of the newest."},
)


class DeclaredBy(StrEnum):
    """Sources of a pull request's task, model and prompt version, in order of precedence."""

    api = "api"
    trailer = "trailer"
    body = "body"
    branch = "branch"
    files = "files"


_INSIDE = ("version", "declared")
"""Columns used only inside the store."""


@dataclass(frozen=True, slots=True)
class PullRow:
    """A pull request in its newest state from GitHub, with derived data.

    `first_push_head` is the head at opening, or at the first "ready for review" of a draft; None if unknown.
    """

    repository_id: int
    number: int
    github_id: int | None
    title: str
    body: str
    author: str
    author_id: int | None
    author_kind: str
    head_sha: str
    head_ref: str
    head_repository_id: int | None
    head_repository: str | None
    base_sha: str
    base_ref: str
    is_fork: bool
    is_draft: bool
    state: str
    is_merged: bool
    merge_commit_sha: str | None
    labels: tuple[str, ...]
    created_at: datetime | None
    updated_at: datetime | None
    closed_at: datetime | None
    merged_at: datetime | None
    merged_by: str | None
    seen_at: datetime
    opened_head: str | None
    opened_as_draft: bool | None
    ready_head: str | None
    ready_at: datetime | None
    agent: str | None
    agent_confidence: float | None
    agent_signals: tuple[str, ...]
    model: str | None
    task_id: str | None
    prompt_version: str | None
    prompt_version_source: str | None
    paused_by: str | None
    paused_at: datetime | None

    @property
    def is_paused(self) -> bool:
        return self.paused_at is not None

    @property
    def first_push_head(self) -> str | None:
        if self.opened_head is not None and not self.opened_as_draft:
            return self.opened_head
        return self.ready_head


@dataclass(frozen=True, slots=True)
class HeadRow:
    """A head of a pull request; `pushed_at` is GitHub's time of the first event that showed it."""

    sha: str
    before_sha: str | None
    pushed_at: datetime
    last_at: datetime


def pull_row(values: dict[str, Any]) -> PullRow | None:
    """Return the row, or None if only the pull request's number is known."""
    if values["head_sha"] is None:
        return None
    lists = {name: tuple(values[name] or ()) for name in ("labels", "agent_signals")}
    return PullRow(**{**{name: value for name, value in values.items() if name not in _INSIDE}, **lists})
