"""Rows in every table of the store, made from its columns: one pull request, one task, and what belongs to them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, Float, Integer, Table, insert

from assay.github_app.store import Store
from assay.github_app.store.database.columns import METADATA, Json, UtcTime

REPOSITORY_ID = 5
SPECIAL: dict[str, dict[str, Any]] = {
    "alerts": {"kind": "sarif"},
    "api_tokens": {"repository_ids": [5], "scopes": []},
    "changed_lines": {"side": "head"},
    "checks": {"status": "completed", "pull_numbers": [], "title": "Passed"},
    "comments": {"kind": "line"},
    "deliveries": {"state": "done", "payload": b""},
    "experiments": {"variants": []},
    "insight_vectors": {"vector": b"\0" * 4},
    "installations": {"id": 42, "state": "active"},
    "memory_runs": {"name": "nightly"},
    "outcomes": {"kind": "merged"},
    "prompt_versions": {"source": "api"},
    "pulls": {"state": "closed", "task_id": None},
    "repositories": {"id": REPOSITORY_ID, "installation_id": 42, "is_given": True, "history_since": None},
    "review_findings": {"outcome": None, "decided_by": None},
    "rules": {"state": "expired", "joined_into": None},
    "rule_audit": {"what": "learned"},
    "runs": {"state": "completed", "report": b"x"},
    "synced_pulls": {"reading": 1},
    "task_events": {"kind": "pr_opened"},
    "tasks": {"status": "COMPLETED", "branch_state": None},
    "traces": {"steps": b"x"},
    "waivers": {"kind": "fp"},
}
"""What a column holds that its type does not say."""
APART = ("repositories", "installations", "validation_turns")
"""Tables with one row for all."""


def fill(store: Store, tag: str, number: int, at: datetime, *, without: frozenset[str] = frozenset()) -> None:
    """Put one row named `tag` into every table, about the pull request `number`, at this time."""
    with store._database.write() as connection:
        for table in METADATA.sorted_tables:
            if table.name in without or (table.name in APART and number != 1):
                continue
            values = {column.name: _value(table, column, tag, number, at) for column in table.columns}
            connection.execute(insert(table).values(**values))


def tags(store: Store, known: Mapping[int, str]) -> dict[str, set[str]]:
    """Return which of the filled rows each table still has: `known` maps numbers to their tags."""
    found: dict[str, set[str]] = {}
    with store._database.read() as connection:
        for table in METADATA.sorted_tables:
            if table.name in APART:
                continue
            rows = connection.execute(table.select()).mappings().all()
            found[table.name] = {_tag(table, dict(row), known) for row in rows}
    return found


def _tag(table: Table, row: Mapping[str, Any], known: Mapping[int, str]) -> str:
    texts = {str(value).partition("/")[0] for value in row.values()}
    return next((tag for number, tag in known.items() if tag in texts or row.get("number") == number), "?")


def _value(table: Table, column: Column[Any], tag: str, number: int, at: datetime) -> Any:
    special = SPECIAL.get(table.name, {})
    named = {"repository_id": REPOSITORY_ID, "number": number, "reader": f"{tag}/reader", "how": f"{tag}/reader"}
    named |= dict.fromkeys(("sha", "head_sha"), tag.ljust(40, "0"))
    if column.name in special or column.name in named:
        return (named | special)[column.name]
    kinds: tuple[tuple[type, Any], ...] = (
        (UtcTime, at),
        (Boolean, False),
        (Float, 0.5),
        (Integer, number),
        (Json, {}),
    )
    return next((value for kind, value in kinds if isinstance(column.type, kind)), tag)
