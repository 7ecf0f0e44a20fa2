"""The interface, served on each kind of database."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.github_app.store import Store
from tests.github_app.api.serving import Served, served
from tests.github_app.remembering import store

__all__ = ["store"]


@pytest.fixture
def api(small_store: Store, tmp_path: Path) -> Served:
    """On SQLite."""
    return served(small_store, tmp_path)


@pytest.fixture
def api_on_both(store: Store, tmp_path: Path) -> Served:
    """On SQLite, then on PostgreSQL."""
    return served(store, tmp_path)
