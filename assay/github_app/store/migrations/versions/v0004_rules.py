"""Tables of learned rules, their sources and repeats."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

_REFUSALS = {
    "sqlite": (
        """CREATE TRIGGER rule_audit_no_update BEFORE UPDATE ON rule_audit
        BEGIN SELECT RAISE(ABORT, 'rule_audit is only added to'); END""",
        """CREATE TRIGGER rule_audit_no_delete BEFORE DELETE ON rule_audit
        BEGIN SELECT RAISE(ABORT, 'rule_audit is only added to'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION rule_audit_refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'rule_audit is only added to'; END $$""",
        """CREATE TRIGGER rule_audit_refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON rule_audit
        FOR EACH STATEMENT EXECUTE FUNCTION rule_audit_refuse()""",
    ),
}
"""Triggers that make the history append-only, per database."""


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "rules",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("rule_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("canonical", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("polarity", sa.Text(), nullable=False),
        sa.Column("language", sa.Text()),
        sa.Column("scope_paths", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("is_ineffective", sa.Boolean(), nullable=False),
        sa.Column("why", sa.Text()),
        sa.Column("check", sa.Text()),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("confirmed_at", sa.DateTime(timezone=True)),
        sa.Column("confirmed_by", sa.Text()),
        sa.Column("expires_at", sa.DateTime(timezone=True)),
        sa.Column("superseded_by", sa.Text()),
        sa.PrimaryKeyConstraint("repository_id", "rule_id", name=op.f("pk_rules")),
    )
    op.create_index(op.f("ix_rules_repository_id_state"), "rules", ["repository_id", "state"])
    op.create_index(op.f("ix_rules_state_expires_at"), "rules", ["state", "expires_at"])
    _make_sources()
    _make_matches()
    _make_handouts()
    _make_audit()
    for statement in _REFUSALS[op.get_bind().dialect.name]:
        op.execute(sa.text(statement))


def _make_sources() -> None:
    op.create_table(
        "rule_sources",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("comment_kind", sa.Text(), nullable=False),
        sa.Column("comment_id", BIG, autoincrement=False, nullable=False),
        sa.Column("rule_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("thread", sa.Text(), nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.Column("reviewer_id", BIG),
        sa.Column("permission", sa.Text(), nullable=False),
        sa.Column("counts", sa.Boolean(), nullable=False),
        sa.Column("score", sa.Float()),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        _of_a_rule("rule_sources"),
        sa.PrimaryKeyConstraint("repository_id", "comment_kind", "comment_id", name=op.f("pk_rule_sources")),
    )
    op.create_index(op.f("ix_rule_sources_repository_id_rule_id"), "rule_sources", ["repository_id", "rule_id"])
    op.create_index(op.f("ix_rule_sources_repository_id_number"), "rule_sources", ["repository_id", "number"])


def _make_matches() -> None:
    op.create_table(
        "rule_matches",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("thread", sa.Text(), nullable=False),
        sa.Column("rule_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("comment_kind", sa.Text(), nullable=False),
        sa.Column("comment_id", BIG, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("num_pulls_before", sa.Integer(), nullable=False),
        sa.Column("score", sa.Float()),
        sa.Column("author", sa.Text()),
        sa.Column("agent", sa.Text()),
        sa.Column("prompt_version", sa.Text()),
        sa.Column("is_after_handout", sa.Boolean(), nullable=False),
        sa.Column("reply_id", BIG),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True)),
        _of_a_rule("rule_matches"),
        sa.PrimaryKeyConstraint("repository_id", "thread", "rule_id", name=op.f("pk_rule_matches")),
    )
    op.create_index(op.f("ix_rule_matches_repository_id_number"), "rule_matches", ["repository_id", "number"])
    op.create_index(op.f("ix_rule_matches_repository_id_at"), "rule_matches", ["repository_id", "at"])


def _make_handouts() -> None:
    op.create_table(
        "rule_handouts",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("rule_id", sa.Text(), nullable=False),
        sa.Column("reader", sa.Text(), nullable=False),
        sa.Column("how", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Text()),
        sa.Column("number", sa.Integer()),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        _of_a_rule("rule_handouts"),
        sa.PrimaryKeyConstraint("repository_id", "rule_id", "reader", "how", name=op.f("pk_rule_handouts")),
    )
    op.create_index(op.f("ix_rule_handouts_repository_id_task_id"), "rule_handouts", ["repository_id", "task_id"])
    op.create_index(op.f("ix_rule_handouts_repository_id_number"), "rule_handouts", ["repository_id", "number"])


def _make_audit() -> None:
    op.create_table(
        "rule_audit",
        sa.Column("id", BIG, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("repository_id", BIG, nullable=False),
        sa.Column("rule_id", sa.Text(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("by", sa.Text()),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("comment", sa.Text()),
        sa.Column("data", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rule_audit")),
        sa.UniqueConstraint("key", name=op.f("uq_rule_audit_key")),
    )
    op.create_index(op.f("ix_rule_audit_repository_id_rule_id"), "rule_audit", ["repository_id", "rule_id"])
    op.create_index(op.f("ix_rule_audit_repository_id_comment"), "rule_audit", ["repository_id", "comment"])


def _of_a_rule(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["repository_id", "rule_id"],
        ["rules.repository_id", "rules.rule_id"],
        name=op.f(f"fk_{table}_repository_id_rule_id"),
        ondelete="CASCADE",
    )
