"""SQL migrations, by their path: Flyway, Prisma, goose, dbmate, golang-migrate, Supabase, plain folders."""

from __future__ import annotations

import re

from assay.validators.risk.migrations.migration import Migration
from assay.validators.risk.migrations.sql_statements import statement_operations

_PLACE = re.compile(
    r"(^|/)(migrations?|migrate|db/changelog|changesets|alembic|flyway|liquibase|schema[-_]?changes)/|(^|/)V[\d._]+__[^/]*$",
    re.IGNORECASE,
)
_BACKWARDS = re.compile(
    r"\.down\.sql$|(^|/)U[\d._]+__[^/]*$|(^|/)(down|revert|rollback|undo)/|[._-](down|rollback|undo|revert)\.sql$",
    re.IGNORECASE,
)
_DOWN_FROM_HERE = re.compile(
    r"^\s*--\s*(\+goose\s+Down|\+migrate\s+Down|migrate:down|//@UNDO|rollback\b).*$", re.IGNORECASE | re.MULTILINE
)
_UP_FROM_HERE = re.compile(r"^\s*--\s*(\+goose\s+Up|\+migrate\s+Up|migrate:up)\b.*$", re.IGNORECASE | re.MULTILINE)


def _is_migration(path: str) -> bool:
    return path.lower().endswith(".sql") and _PLACE.search(path) is not None and _BACKWARDS.search(path) is None


def _forwards(text: str) -> str:
    """Return the applied part, with its line numbers kept."""
    down = _DOWN_FROM_HERE.search(text)
    if down is None:
        return text
    up = _UP_FROM_HERE.search(text, down.end())
    rest = text[up.start() :] if up else ""
    blank = "\n" * text.count("\n", down.start(), up.start() if up else len(text))
    return text[: down.start()] + blank + rest


SQL = Migration("sql", lambda path, _: _is_migration(path), lambda text, _: statement_operations(_forwards(text)))
