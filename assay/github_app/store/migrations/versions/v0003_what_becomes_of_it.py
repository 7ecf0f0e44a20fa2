"""Tables of outcomes: reviews, comments, outcomes, tasks, and the log."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

_REFUSALS = {
    "sqlite": (
        """CREATE TRIGGER task_events_no_update BEFORE UPDATE ON task_events
        BEGIN SELECT RAISE(ABORT, 'task_events is only added to'); END""",
        """CREATE TRIGGER task_events_no_delete BEFORE DELETE ON task_events
        BEGIN SELECT RAISE(ABORT, 'task_events is only added to'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION task_events_refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'task_events is only added to'; END $$""",
        """CREATE TRIGGER task_events_refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON task_events
        FOR EACH STATEMENT EXECUTE FUNCTION task_events_refuse()""",
    ),
}
"""Triggers that make the log append-only, per database."""


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "prompt_versions",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("texts", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "version", name=op.f("pk_prompt_versions")),
    )
    op.create_table(
        "task_events",
        sa.Column("id", BIG, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("repository_id", BIG),
        sa.Column("number", sa.Integer()),
        sa.Column("task_id", sa.Text()),
        sa.Column("data", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task_events")),
        sa.UniqueConstraint("key", name=op.f("uq_task_events_key")),
    )
    op.create_index(op.f("ix_task_events_kind_at"), "task_events", ["kind", "at"])
    op.create_index(op.f("ix_task_events_repository_id_number_at"), "task_events", ["repository_id", "number", "at"])
    op.create_index(op.f("ix_task_events_repository_id_task_id"), "task_events", ["repository_id", "task_id"])
    op.create_table(
        "tasks",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer()),
        sa.Column("status", sa.Text()),
        sa.Column("error_message", sa.Text()),
        sa.Column("pr_url", sa.Text()),
        sa.Column("branch", sa.Text()),
        sa.Column("agent", sa.Text()),
        sa.Column("model", sa.Text()),
        sa.Column("prompt_version", sa.Text()),
        sa.Column("risk_level", sa.Text()),
        sa.Column("memory_state", sa.Text()),
        sa.Column("submitted_at", sa.DateTime(timezone=True)),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "id", name=op.f("pk_tasks")),
    )
    op.create_index(op.f("ix_tasks_repository_id_number"), "tasks", ["repository_id", "number"])
    op.create_table(
        "comments",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("comment_id", BIG, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("author_id", BIG),
        sa.Column("is_bot", sa.Boolean(), nullable=False),
        sa.Column("is_by_pull_author", sa.Boolean(), nullable=False),
        sa.Column("association", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("app_id", BIG),
        sa.Column("node_id", sa.Text()),
        sa.Column("path", sa.Text()),
        sa.Column("line", sa.Integer()),
        sa.Column("side", sa.Text()),
        sa.Column("commit_sha", sa.Text()),
        sa.Column("diff_hunk", sa.Text()),
        sa.Column("review_id", BIG),
        sa.Column("in_reply_to", BIG),
        sa.Column("created_at", sa.DateTime(timezone=True)),
        sa.Column("updated_at", sa.DateTime(timezone=True)),
        sa.Column("is_deleted", sa.Boolean(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["repository_id", "number"],
            ["pulls.repository_id", "pulls.number"],
            name=op.f("fk_comments_repository_id_number"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("repository_id", "kind", "comment_id", name=op.f("pk_comments")),
    )
    op.create_index(
        op.f("ix_comments_repository_id_number_created_at"), "comments", ["repository_id", "number", "created_at"]
    )
    op.create_index(op.f("ix_comments_repository_id_review_id"), "comments", ["repository_id", "review_id"])
    op.create_table(
        "outcomes",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("head_sha", sa.Text()),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["repository_id", "number"],
            ["pulls.repository_id", "pulls.number"],
            name=op.f("fk_outcomes_repository_id_number"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("repository_id", "number", "kind", "cause", name=op.f("pk_outcomes")),
    )
    op.create_table(
        "reviews",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("review_id", BIG, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.Column("reviewer_id", BIG),
        sa.Column("is_bot", sa.Boolean(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("first_state", sa.Text()),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("commit_sha", sa.Text()),
        sa.Column("association", sa.Text(), nullable=False),
        sa.Column("submitted_at", sa.DateTime(timezone=True)),
        sa.Column("version_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["repository_id", "number"],
            ["pulls.repository_id", "pulls.number"],
            name=op.f("fk_reviews_repository_id_number"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("repository_id", "review_id", name=op.f("pk_reviews")),
    )
    op.create_index(
        op.f("ix_reviews_repository_id_number_submitted_at"), "reviews", ["repository_id", "number", "submitted_at"]
    )
    op.create_table(
        "threads",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("root_comment_id", BIG),
        sa.Column("comment_ids", sa.Text(), nullable=False),
        sa.Column("is_resolved", sa.Boolean(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["repository_id", "number"],
            ["pulls.repository_id", "pulls.number"],
            name=op.f("fk_threads_repository_id_number"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("repository_id", "node_id", name=op.f("pk_threads")),
    )
    op.create_index(op.f("ix_threads_repository_id_number"), "threads", ["repository_id", "number"])
    op.create_index(op.f("ix_threads_repository_id_root_comment_id"), "threads", ["repository_id", "root_comment_id"])
    # ### end Alembic commands ###
    for statement in _REFUSALS[op.get_bind().dialect.name]:
        op.execute(sa.text(statement))
