"""Effects of SQL statements on a schema."""

from __future__ import annotations

from assay.validators.io.structured_files import Unreadable
from assay.validators.risk.migrations.migration import Operation

LIMIT_CHARACTERS = 512 * 1024


def statement_operations(sql: str) -> list[Operation]:
    """Return the effect of each statement on existing tables. Raises `Unreadable` for a text that is too long."""
    if len(sql) > LIMIT_CHARACTERS:
        raise Unreadable("longer than a migration can be")
    if not sql.strip():
        return []
    # Loaded only for SQL: few changes have any.
    from assay.validators.risk.migrations.sql_trees import operations_in

    return operations_in(sql)
