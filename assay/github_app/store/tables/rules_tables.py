"""Tables of learned rules, their sources, repeats, deliveries and audit log, and their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from sqlalchemy import Boolean, Column, Float, ForeignKeyConstraint, Index, Integer, Row, Table

from assay.github_app.store.database.columns import BIG, METADATA, Json, UtcTime, Words


class RuleState(StrEnum):
    """State of a rule; only `confirmed` ones are delivered to agents. Purged rules have no row."""

    pending = "pending"
    confirmed = "confirmed"
    superseded = "superseded"
    expired = "expired"
    rejected = "rejected"
    quarantined = "quarantined"


class RuleChange(StrEnum):
    """Event of a rule in its audit log."""

    learned = "learned"
    imported = "imported"
    said_again = "said_again"
    taken_back = "taken_back"
    confirmed = "confirmed"
    reopened = "reopened"
    rejected = "rejected"
    quarantined = "quarantined"
    superseded = "superseded"
    expired = "expired"
    repeated = "repeated"
    ineffective = "ineffective"
    purged = "purged"


def _of_a_rule() -> ForeignKeyConstraint:
    """Return the foreign key to a rule; the row is deleted with it."""
    return ForeignKeyConstraint(
        ["repository_id", "rule_id"], ["rules.repository_id", "rules.rule_id"], ondelete="CASCADE"
    )


RULES = Table(
    "rules",
    METADATA,
    Column("repository_id", BIG, primary_key=True, autoincrement=False),
    Column("rule_id", Words, primary_key=True),
    Column("text", Words, nullable=False),
    Column("canonical", Json, nullable=False),
    Column("key", Words, nullable=False),
    Column("polarity", Words, nullable=False),
    Column("language", Words),
    Column("scope_paths", Json, nullable=False),
    Column("state", Words, nullable=False),
    Column("is_ineffective", Boolean(), nullable=False),
    Column("why", Words),
    Column("check", Json),
    Column("created_at", UtcTime, nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    Column("confirmed_at", UtcTime),
    Column("confirmed_by", Words),
    Column("expires_at", UtcTime),
    Column("superseded_by", Words),
    Index(None, "repository_id", "state"),
    Index(None, "state", "expires_at"),
    info={"holds": "Rules learned from review comments; `check` is the automatic check, if there is one."},
)

SOURCES = Table(
    "rule_sources",
    METADATA,
    Column("repository_id", BIG, primary_key=True, autoincrement=False),
    Column("comment_kind", Words, primary_key=True),
    Column("comment_id", BIG, primary_key=True, autoincrement=False),
    Column("rule_id", Words, nullable=False),
    Column("number", Integer(), nullable=False),
    Column("thread", Words, nullable=False),
    Column("reviewer", Words, nullable=False),
    Column("reviewer_id", BIG),
    Column("permission", Words, nullable=False),
    Column("counts", Boolean(), nullable=False),
    Column("score", Float()),
    Column("at", UtcTime, nullable=False),
    _of_a_rule(),
    Index(None, "repository_id", "rule_id"),
    Index(None, "repository_id", "number"),
    info={"holds": "Source comments of a rule; those with `counts` count towards its quorum."},
)

MATCHES = Table(
    "rule_matches",
    METADATA,
    Column("repository_id", BIG, primary_key=True, autoincrement=False),
    Column("thread", Words, primary_key=True),
    Column("rule_id", Words, primary_key=True),
    Column("number", Integer(), nullable=False),
    Column("comment_kind", Words, nullable=False),
    Column("comment_id", BIG, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("num_pulls_before", Integer(), nullable=False),
    Column("score", Float()),
    Column("author", Words),
    Column("agent", Words),
    Column("prompt_version", Words),
    Column("is_after_handout", Boolean(), nullable=False),
    Column("reply_id", BIG),
    Column("withdrawn_at", UtcTime),
    _of_a_rule(),
    Index(None, "repository_id", "number"),
    Index(None, "repository_id", "at"),
    info={"holds": "Repeated mistakes: threads that repeat feedback from earlier pull requests."},
)

HANDOUTS = Table(
    "rule_handouts",
    METADATA,
    Column("repository_id", BIG, primary_key=True, autoincrement=False),
    Column("rule_id", Words, primary_key=True),
    Column("reader", Words, primary_key=True),
    Column("how", Words, primary_key=True),
    Column("task_id", Words),
    Column("number", Integer()),
    Column("at", UtcTime, nullable=False),
    _of_a_rule(),
    Index(None, "repository_id", "task_id"),
    Index(None, "repository_id", "number"),
    info={"holds": "Deliveries of rules to tasks and pull requests: how, and when first."},
)

AUDIT = Table(
    "rule_audit",
    METADATA,
    Column("id", BIG, primary_key=True),
    Column("key", Words, nullable=False, unique=True),
    Column("repository_id", BIG, nullable=False),
    Column("rule_id", Words, nullable=False),
    Column("what", Words, nullable=False),
    Column("by", Words),
    Column("at", UtcTime, nullable=False),
    Column("comment", Words),
    Column("data", Json, nullable=False),
    Index(None, "repository_id", "rule_id"),
    Index(None, "repository_id", "comment"),
    info={"holds": "Events of each rule, with their author; append-only, and without the rule's text."},
)


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule of a repository. `rule_id` is 12 hex digits; `canonical` is its normal form as plain data.

    `confirmed_by` is a login, or `QUORUM`. `check` is its automatic check (see docs/learning/rules.md).
    """

    repository_id: int
    rule_id: str
    text: str
    canonical: Mapping[str, Any]
    key: str
    polarity: str
    language: str | None
    scope_paths: tuple[str, ...]
    state: RuleState
    is_ineffective: bool
    why: str | None
    check: Mapping[str, Any] | None
    created_at: datetime
    changed_at: datetime
    confirmed_at: datetime | None
    confirmed_by: str | None
    expires_at: datetime | None
    superseded_by: str | None


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source comment of a rule. `comment_kind` is `line`, `conversation` or `review` (the text above its comments).

    `thread` identifies its thread (`line:12`). `counts` is false for a repeat, which is not a vote.
    """

    repository_id: int
    comment_kind: str
    comment_id: int
    rule_id: str
    number: int
    thread: str
    reviewer: str
    reviewer_id: int | None
    permission: str
    counts: bool
    score: float | None
    at: datetime

    @property
    def comment(self) -> str:
        """The comment's name in the audit log: `line:12`."""
        return f"{self.comment_kind}:{self.comment_id}"


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A repeated mistake: a thread that repeats the feedback of `num_pulls_before` earlier pull requests.

    `is_after_handout`: the rule was delivered to this pull request or its task before. `reply_id` is Assay's reply.
    A withdrawn one (its comment was deleted or changed its meaning) does not count.
    """

    repository_id: int
    thread: str
    rule_id: str
    number: int
    comment_kind: str
    comment_id: int
    at: datetime
    num_pulls_before: int
    score: float | None = None
    author: str | None = None
    agent: str | None = None
    prompt_version: str | None = None
    is_after_handout: bool = False
    reply_id: int | None = None
    withdrawn_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class HandoutRow:
    """Delivery of a rule; `reader` is `task:…`, `pull:…`, or `day:…` if the reader is unknown."""

    repository_id: int
    rule_id: str
    reader: str
    how: str
    task_id: str | None
    number: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class RuleAuditRow:
    """One entry of a rule's history; `by` is a login, None for Assay itself."""

    id: int
    key: str
    repository_id: int
    rule_id: str
    what: RuleChange
    by: str | None
    at: datetime
    comment: str | None
    data: Mapping[str, Any]


_Any = TypeVar("_Any", RuleRow, SourceRow, MatchRow, HandoutRow, RuleAuditRow)


def reader_of(task_id: str | None, number: int | None, at: datetime) -> str:
    """Return the reader of a delivery: a task, a pull request, or a day if neither is known."""
    return f"task:{task_id}" if task_id else f"pull:{number}" if number is not None else f"day:{at:%Y-%m-%d}"


def row_of(kind: type[_Any], row: Row[Any]) -> _Any:
    """Convert a row to a value of this type."""
    values = row._asdict()
    if "state" in values:
        values |= {"state": RuleState(values["state"]), "scope_paths": tuple(values["scope_paths"])}
    if "what" in values:
        values["what"] = RuleChange(values["what"])
    return kind(**{field.name: values[field.name] for field in fields(kind)})
