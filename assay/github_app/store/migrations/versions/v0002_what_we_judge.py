"""Tables of validation: runs, findings, holds, waivers, and published results."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "alerts",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("kind", "key", name=op.f("pk_alerts")),
    )
    op.create_table(
        "reverts",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("reverted", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "cause", "reverted", name=op.f("pk_reverts")),
    )
    op.create_table(
        "changed_lines",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("head_sha", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("side", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["repository_id", "number"],
            ["pulls.repository_id", "pulls.number"],
            name=op.f("fk_changed_lines_repository_id_number"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("repository_id", "number", "head_sha", "position", name=op.f("pk_changed_lines")),
    )
    op.create_index(op.f("ix_changed_lines_repository_id_path"), "changed_lines", ["repository_id", "path"])
    op.create_table(
        "fix_cycles",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("tier", sa.Text(), nullable=False),
        sa.Column("head_sha", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("comment_id", BIG),
        sa.Column("agent", sa.Text()),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["repository_id", "number"],
            ["pulls.repository_id", "pulls.number"],
            name=op.f("fk_fix_cycles_repository_id_number"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("repository_id", "number", "tier", "head_sha", name=op.f("pk_fix_cycles")),
    )
    op.create_table(
        "holds",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("head_sha", sa.Text(), nullable=False),
        sa.Column("turn", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("reasons", sa.Text(), nullable=False),
        sa.Column("placed_by", sa.Text()),
        sa.Column("placed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("released_by", sa.Text()),
        sa.Column("released_at", sa.DateTime(timezone=True)),
        sa.Column("release_reason", sa.Text()),
        sa.ForeignKeyConstraint(
            ["repository_id", "number"],
            ["pulls.repository_id", "pulls.number"],
            name=op.f("fk_holds_repository_id_number"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("repository_id", "number", "head_sha", "turn", name=op.f("pk_holds")),
    )
    op.create_table(
        "published",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("head_sha", sa.Text()),
        sa.Column("check_run_id", BIG),
        sa.Column("comment_id", BIG),
        sa.Column("review_ids", sa.Text(), nullable=False),
        sa.Column("label", sa.Text()),
        sa.Column("extra", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["repository_id", "number"],
            ["pulls.repository_id", "pulls.number"],
            name=op.f("fk_published_repository_id_number"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("repository_id", "number", name=op.f("pk_published")),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=False),
        sa.Column("repository_id", BIG, nullable=False),
        sa.Column("number", sa.Integer()),
        sa.Column("head_sha", sa.Text(), nullable=False),
        sa.Column("base_sha", sa.Text()),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("request_key", sa.Text()),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True)),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("wait_until", sa.DateTime(timezone=True)),
        sa.Column("executor", sa.Text()),
        sa.Column("process_group", sa.Integer()),
        sa.Column("check_run_id", BIG),
        sa.Column("error", sa.Text()),
        sa.Column("conclusion", sa.Text()),
        sa.Column("title", sa.Text()),
        sa.Column("risk_level", sa.Text()),
        sa.Column("is_hold", sa.Boolean()),
        sa.Column("config_hash", sa.Text()),
        sa.Column("durations_s", sa.Text()),
        sa.Column("cost_usd", sa.Float()),
        sa.Column("num_findings", sa.Integer()),
        sa.Column("num_blocking", sa.Integer()),
        sa.Column("report", sa.LargeBinary()),
        sa.Column("reported_at", sa.DateTime(timezone=True)),
        sa.ForeignKeyConstraint(
            ["repository_id", "number"],
            ["pulls.repository_id", "pulls.number"],
            name=op.f("fk_runs_repository_id_number"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sa.UniqueConstraint("external_id", name=op.f("uq_runs_external_id")),
        sa.UniqueConstraint("request_key", name=op.f("uq_runs_request_key")),
    )
    op.create_index(op.f("ix_runs_executor_state"), "runs", ["executor", "state"])
    op.create_index(op.f("ix_runs_repository_id_number_head_sha"), "runs", ["repository_id", "number", "head_sha"])
    op.create_index(op.f("ix_runs_state_wait_until"), "runs", ["state", "wait_until"])
    op.create_table(
        "waivers",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("finding_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("head_sha", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["repository_id", "number"],
            ["pulls.repository_id", "pulls.number"],
            name=op.f("fk_waivers_repository_id_number"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("repository_id", "number", "finding_id", name=op.f("pk_waivers")),
    )
    op.create_table(
        "findings",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("finding_id", sa.Text(), nullable=False),
        sa.Column("tier", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("line", sa.Integer()),
        sa.Column("end_line", sa.Integer()),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text()),
        sa.Column("is_introduced", sa.Boolean(), nullable=False),
        sa.Column("is_blocking", sa.Boolean(), nullable=False),
        sa.Column("confidence", sa.Float()),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_findings_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "finding_id", name=op.f("pk_findings")),
    )
    op.create_index(op.f("ix_findings_rule"), "findings", ["rule"])
    op.create_table(
        "risk_factors",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("signal", sa.Text(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("value", sa.Text()),
        sa.Column("threshold", sa.Text()),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_risk_factors_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "position", name=op.f("pk_risk_factors")),
    )
    # ### end Alembic commands ###
