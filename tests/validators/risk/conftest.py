"""One repository for all cases, and one for what a test makes up itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.validators.risk.changes import Changes


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Changes]:
    """A repository to make changes in."""
    with Changes(tmp_path_factory.mktemp("changes") / "repository") as made:
        yield made
