"""Environment of alembic: everything runs in the transaction of `migrating.migrate`."""

from __future__ import annotations

from alembic import context

from assay.github_app.store.database.columns import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    transactional_ddl=True,
    compare_type=True,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
