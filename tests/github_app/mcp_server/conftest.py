"""The place of work, for these tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.github_app.mcp_server.at_work import Place, filled
from tests.repositories import RealRepository


@pytest.fixture
def place(repository: RealRepository, tmp_path: Path) -> Place:
    """A repository with a change that is not committed, and an App that knows a rule it breaks."""
    filled(tmp_path / "data")
    path = repository.path
    (path / "a.py").write_text("def f():\n    return 1\n", "utf-8")
    repository.commit("first")
    (path / "a.py").write_text("def f():\n    print('here')\n    return 1\n", "utf-8")
    return Place(repository, tmp_path / "data")
