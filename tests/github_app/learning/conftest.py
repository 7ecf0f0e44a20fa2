"""Stores for these tests, and a repository that learns."""

from __future__ import annotations

import pytest

from assay.github_app.store import Store
from tests.github_app.remembering import store

__all__ = ["store"]


@pytest.fixture
def village(small_store: Store) -> object:
    """People who comment, and a store on SQLite."""
    from tests.github_app.learning.village import Village

    return Village(small_store)


@pytest.fixture
def everywhere(store: Store) -> object:
    """The same on each kind of database."""
    from tests.github_app.learning.village import Village

    return Village(store)
