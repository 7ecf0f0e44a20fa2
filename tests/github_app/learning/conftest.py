"""Stores for these tests."""

from __future__ import annotations

from tests.github_app.remembering import (
    empty_postgres,
    empty_sqlite,
    small_store,
    sqlite_url,
    store,
    store_url,
    tabled_postgres_url,
)

__all__ = [
    "empty_postgres",
    "empty_sqlite",
    "small_store",
    "sqlite_url",
    "store",
    "store_url",
    "tabled_postgres_url",
]
