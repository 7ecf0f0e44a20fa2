"""Tables of learned rules, their sources, repeats, deliveries and audit log, and their rows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKeyConstraint, Index
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import BIG, Big, BigKey, Choice, Kept, Key, StoredRow, described


class RuleState(StrEnum):
    """State of a rule; only `confirmed` ones are delivered to agents. Purged rules have no row.

    A `joined` rule is another wording of the rule in `joined_into`, which has its sources.
    """

    pending = "pending"
    confirmed = "confirmed"
    expired = "expired"
    rejected = "rejected"
    quarantined = "quarantined"
    joined = "joined"


class RuleChange(StrEnum):
    """Event of a rule in its audit log; `superseded` is written no more, and the log is never changed."""

    learned = "learned"
    imported = "imported"
    said_again = "said_again"
    taken_back = "taken_back"
    confirmed = "confirmed"
    reworded = "reworded"
    reopened = "reopened"
    rejected = "rejected"
    quarantined = "quarantined"
    superseded = "superseded"
    expired = "expired"
    repeated = "repeated"
    ineffective = "ineffective"
    joined = "joined"
    purged = "purged"


def _of_a_rule() -> ForeignKeyConstraint:
    """Return the foreign key to a rule; the row is deleted with it."""
    return ForeignKeyConstraint(
        ["repository_id", "rule_id"], ["rules.repository_id", "rules.rule_id"], ondelete="CASCADE"
    )


class RuleRow(StoredRow):
    """A rule of a repository. `rule_id` is 12 hex digits; `canonical` is its normal form as plain data.

    `confirmed_by` is a login, or `QUORUM`. `check` is what the compiler made of it: `check`, None if there is none, and
    `why`. `joined_into` names a rule that is not joined itself; a purge of that rule purges this one too.
    """

    __tablename__ = "rules"
    __table_args__ = (
        Index(None, "repository_id", "state"),
        Index(None, "state", "expires_at"),
        described("Rules learned from review comments; `check` is the automatic check, or why none.", Kept.rule),
    )

    repository_id: Mapped[BigKey]
    rule_id: Mapped[Key]
    text: Mapped[str]
    canonical: Mapped[Mapping[str, Any]]
    key: Mapped[str]
    polarity: Mapped[str]
    language: Mapped[str | None]
    scope_paths: Mapped[tuple[str, ...]]
    state: Mapped[RuleState] = mapped_column(Choice(RuleState))
    is_ineffective: Mapped[bool]
    why: Mapped[str | None]
    check: Mapped[Mapping[str, Any] | None]
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]
    confirmed_at: Mapped[datetime | None]
    confirmed_by: Mapped[str | None]
    expires_at: Mapped[datetime | None]
    joined_into: Mapped[str | None] = mapped_column(default=None)

    @property
    def checked(self) -> tuple[Mapping[str, Any] | None, str]:
        """Check that validations run, or None and why they run none."""
        if self.state is not RuleState.confirmed:
            return None, "only confirmed rules are checked"
        made = self.check or {"check": None, "why": "no validation has used it yet"}
        return made["check"], made["why"]


class SourceRow(StoredRow):
    """A source comment of a rule. `comment_kind` is `line`, `conversation` or `review` (the text above its comments).

    `thread` identifies its thread (`line:12`). `counts` is false for a repeat, which is not a vote.
    """

    __tablename__ = "rule_sources"
    __table_args__ = (
        _of_a_rule(),
        Index(None, "repository_id", "rule_id"),
        Index(None, "repository_id", "number"),
        described("Source comments of a rule; those with `counts` count towards its quorum.", Kept.rule),
    )

    repository_id: Mapped[BigKey]
    comment_kind: Mapped[Key]
    comment_id: Mapped[BigKey]
    rule_id: Mapped[str]
    number: Mapped[int]
    thread: Mapped[str]
    reviewer: Mapped[str]
    reviewer_id: Mapped[Big | None]
    permission: Mapped[str]
    counts: Mapped[bool]
    score: Mapped[float | None]
    at: Mapped[datetime]

    @property
    def comment(self) -> str:
        """The comment's name in the audit log: `line:12`."""
        return f"{self.comment_kind}:{self.comment_id}"


class MatchRow(StoredRow):
    """A repeated mistake: a thread that repeats the feedback of `num_pulls_before` earlier pull requests.

    `is_after_handout`: the rule was delivered to this pull request or its task before. `reply_id` is Assay's reply.
    A withdrawn one (its comment was deleted or changed its meaning) does not count.
    """

    __tablename__ = "rule_matches"
    __table_args__ = (
        _of_a_rule(),
        Index(None, "repository_id", "number"),
        Index(None, "repository_id", "at"),
        described("Repeated mistakes: threads that repeat feedback from earlier pull requests.", Kept.rule),
    )

    repository_id: Mapped[BigKey]
    thread: Mapped[Key]
    rule_id: Mapped[Key]
    number: Mapped[int]
    comment_kind: Mapped[str]
    comment_id: Mapped[Big]
    at: Mapped[datetime]
    num_pulls_before: Mapped[int]
    score: Mapped[float | None] = mapped_column(default=None)
    author: Mapped[str | None] = mapped_column(default=None)
    agent: Mapped[str | None] = mapped_column(default=None)
    prompt_version: Mapped[str | None] = mapped_column(default=None)
    is_after_handout: Mapped[bool] = mapped_column(default=False)
    reply_id: Mapped[Big | None] = mapped_column(default=None)
    withdrawn_at: Mapped[datetime | None] = mapped_column(default=None)


class HandoutRow(StoredRow):
    """Delivery of a rule; `reader` is `task:…`, `pull:…`, or `day:…` if the reader is unknown."""

    __tablename__ = "rule_handouts"
    __table_args__ = (
        _of_a_rule(),
        Index(None, "repository_id", "task_id"),
        Index(None, "repository_id", "number"),
        described("Deliveries of rules to tasks and pull requests: how, and when first.", Kept.task),
    )

    repository_id: Mapped[BigKey]
    rule_id: Mapped[Key]
    reader: Mapped[Key]
    how: Mapped[Key]
    task_id: Mapped[str | None]
    number: Mapped[int | None]
    at: Mapped[datetime]


class RuleAuditRow(StoredRow):
    """One entry of a rule's history; `by` is a login, None for Assay itself."""

    __tablename__ = "rule_audit"
    __table_args__ = (
        Index(None, "repository_id", "rule_id"),
        Index(None, "repository_id", "comment"),
        described("Events of each rule, with their author; append-only, and without the rule's text.", Kept.rule),
    )

    id: Mapped[int] = mapped_column(BIG, primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    repository_id: Mapped[Big]
    rule_id: Mapped[str]
    what: Mapped[RuleChange] = mapped_column(Choice(RuleChange))
    by: Mapped[str | None]
    at: Mapped[datetime]
    comment: Mapped[str | None]
    data: Mapped[Mapping[str, Any]]


def reader_of(task_id: str | None, number: int | None, at: datetime) -> str:
    """Return the reader of a delivery: a task, a pull request, or a day if neither is known."""
    return f"task:{task_id}" if task_id else f"pull:{number}" if number is not None else f"day:{at:%Y-%m-%d}"
