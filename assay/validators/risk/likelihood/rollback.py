"""Rollback flags: properties of changes that are reverted more often than others, whatever their size."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay.validators.changes.change import shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.manifest_table import is_lock
from assay.validators.report.likelihood import RollbackFlag
from assay.validators.risk.likelihood.past import FileHistory

_MIGRATION = re.compile(r"(?:^|/)(?:migrations?|migrate|alembic|db/schema)(?:/|\.)", re.IGNORECASE)


def rollback_flags(touched: Iterable[tuple[str, Nature]], history: FileHistory) -> tuple[RollbackFlag, ...]:
    """Return the flags of a change by its files and by the history of its source files."""
    flags = []
    settings = sorted(
        path for path, nature in touched if nature is Nature.config or is_lock(path) or _MIGRATION.search(path)
    )
    if settings:
        more = f" and {len(settings) - 1} more" if len(settings) > 1 else ""
        flags.append(
            RollbackFlag("settings", f"changes configuration, dependencies or migrations ({shown(settings[0])}{more})")
        )
    if history.is_new_author:
        flags.append(RollbackFlag("new_author", "its author changed none of these files in the past year"))
    if history.was_reverted:
        flags.append(RollbackFlag("reverted_before", "a change to one of these files was reverted in the past year"))
    return tuple(flags)
