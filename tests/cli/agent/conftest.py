"""The place of work, for these tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI

from assay.github_app.web.api import make_api
from tests.cli.agent.at_work import Place, fill
from tests.github_app.remembering import store_at
from tests.github_app.stand_ins import settings_in
from tests.github_app.web import running
from tests.repositories import RealRepository


@pytest.fixture
def place(repository: RealRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """A repository with a change that is not committed, and an App that knows a rule it breaks."""
    for name in ("ASSAY_URL", "ASSAY_TOKEN", "ASSAY_TASK_ID"):
        monkeypatch.delenv(name, raising=False)
    path = repository.path
    (path / "a.py").write_text("def f():\n    return 1\n", "utf-8")
    repository.commit("first")
    (path / "a.py").write_text("def f():\n    print('here')\n    return 1\n", "utf-8")
    app = FastAPI()
    with store_at(f"sqlite:///{tmp_path / 'app' / 'assay.sqlite'}") as store:
        fill(store)
        app.include_router(make_api(settings_in(tmp_path / "app"), store))
        with running(app) as port:
            yield Place(repository, store, f"http://127.0.0.1:{port}")
