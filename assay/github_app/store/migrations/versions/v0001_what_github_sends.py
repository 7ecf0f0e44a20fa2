"""Tables of GitHub's data: deliveries, installations, repositories, pull requests, checks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "checks",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("head_sha", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("external_key", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("conclusion", sa.Text()),
        sa.Column("app_id", BIG),
        sa.Column("app_slug", sa.Text()),
        sa.Column("url", sa.Text()),
        sa.Column("title", sa.Text()),
        sa.Column("summary", sa.Text()),
        sa.Column("external_id", sa.Text()),
        sa.Column("suite_id", BIG),
        sa.Column("started_at", sa.DateTime(timezone=True)),
        sa.Column("completed_at", sa.DateTime(timezone=True)),
        sa.Column("pull_numbers", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "head_sha", "source", "external_key", name=op.f("pk_checks")),
    )
    op.create_table(
        "deliveries",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("action", sa.Text()),
        sa.Column("repository", sa.Text()),
        sa.Column("number", sa.Integer()),
        sa.Column("installation_id", BIG),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text()),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("retry_at", sa.DateTime(timezone=True)),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliveries")),
    )
    op.create_index(op.f("ix_deliveries_state_received_at"), "deliveries", ["state", "received_at"])
    op.create_table(
        "installations",
        sa.Column("id", BIG, autoincrement=False, nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_installations")),
    )
    op.create_table(
        "leases",
        sa.Column("executor", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("renewed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("executor", name=op.f("pk_leases")),
    )
    op.create_table(
        "posted_results",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("head_sha", sa.Text(), nullable=False),
        sa.Column("workflow_run_id", BIG, autoincrement=False, nullable=False),
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("run_attempt", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer()),
        sa.Column("workflow_ref", sa.Text(), nullable=False),
        sa.Column("event_name", sa.Text(), nullable=False),
        sa.Column("tools", sa.Text(), nullable=False),
        sa.Column("posted_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "head_sha", "workflow_run_id", "job", name=op.f("pk_posted_results")),
    )
    op.create_index(op.f("ix_posted_results_posted_at"), "posted_results", ["posted_at"])
    op.create_table(
        "pulls",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("github_id", BIG),
        sa.Column("title", sa.Text()),
        sa.Column("body", sa.Text()),
        sa.Column("author", sa.Text()),
        sa.Column("author_id", BIG),
        sa.Column("author_kind", sa.Text()),
        sa.Column("head_sha", sa.Text()),
        sa.Column("head_ref", sa.Text()),
        sa.Column("head_repository_id", BIG),
        sa.Column("head_repository", sa.Text()),
        sa.Column("base_sha", sa.Text()),
        sa.Column("base_ref", sa.Text()),
        sa.Column("is_fork", sa.Boolean()),
        sa.Column("is_draft", sa.Boolean()),
        sa.Column("state", sa.Text()),
        sa.Column("is_merged", sa.Boolean()),
        sa.Column("merge_commit_sha", sa.Text()),
        sa.Column("labels", sa.Text()),
        sa.Column("created_at", sa.DateTime(timezone=True)),
        sa.Column("updated_at", sa.DateTime(timezone=True)),
        sa.Column("closed_at", sa.DateTime(timezone=True)),
        sa.Column("merged_at", sa.DateTime(timezone=True)),
        sa.Column("merged_by", sa.Text()),
        sa.Column("version", sa.Text()),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("opened_head", sa.Text()),
        sa.Column("opened_as_draft", sa.Boolean()),
        sa.Column("ready_head", sa.Text()),
        sa.Column("ready_at", sa.DateTime(timezone=True)),
        sa.Column("agent", sa.Text()),
        sa.Column("agent_confidence", sa.Float()),
        sa.Column("agent_signals", sa.Text()),
        sa.Column("model", sa.Text()),
        sa.Column("task_id", sa.Text()),
        sa.Column("prompt_version", sa.Text()),
        sa.Column("prompt_version_source", sa.Text()),
        sa.Column("declared", sa.Text()),
        sa.Column("paused_by", sa.Text()),
        sa.Column("paused_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("repository_id", "number", name=op.f("pk_pulls")),
    )
    op.create_index(op.f("ix_pulls_repository_id_head_sha"), "pulls", ["repository_id", "head_sha"])
    op.create_index(op.f("ix_pulls_repository_id_merge_commit_sha"), "pulls", ["repository_id", "merge_commit_sha"])
    op.create_index(op.f("ix_pulls_repository_id_task_id"), "pulls", ["repository_id", "task_id"])
    op.create_index(op.f("ix_pulls_state_updated_at"), "pulls", ["state", "updated_at"])
    op.create_table(
        "repositories",
        sa.Column("id", BIG, autoincrement=False, nullable=False),
        sa.Column("full_name", sa.Text(), nullable=False),
        sa.Column("installation_id", BIG),
        sa.Column("default_branch", sa.Text(), nullable=False),
        sa.Column("is_private", sa.Boolean(), nullable=False),
        sa.Column("is_archived", sa.Boolean(), nullable=False),
        sa.Column("is_given", sa.Boolean(), nullable=False),
        sa.Column("given_at", sa.DateTime(timezone=True)),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_repositories")),
    )
    op.create_index(op.f("ix_repositories_full_name"), "repositories", ["full_name"])
    op.create_index(op.f("ix_repositories_installation_id"), "repositories", ["installation_id"])
    op.create_table(
        "pull_heads",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("sha", sa.Text(), nullable=False),
        sa.Column("before_sha", sa.Text()),
        sa.Column("pushed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("facts", sa.Text()),
        sa.ForeignKeyConstraint(
            ["repository_id", "number"],
            ["pulls.repository_id", "pulls.number"],
            name=op.f("fk_pull_heads_repository_id_number"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("repository_id", "number", "sha", name=op.f("pk_pull_heads")),
    )
    op.create_index(op.f("ix_pull_heads_repository_id_sha"), "pull_heads", ["repository_id", "sha"])
    # ### end Alembic commands ###
