"""What these tests may ask for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.github_app.action.jobs import environment
from tests.github_app.action.workflow import WRITING, Workflow, workflow
from tests.github_app.open_pull import app

__all__ = ["app", "workflow"]


@pytest.fixture
def env_of(workflow: Workflow, tmp_path: Path) -> Callable[..., dict[str, str]]:
    """The environment of a step; `base` and `head` are of the pull request unless others are given."""

    def made(permissions: dict[str, str] | None = WRITING, **more: str) -> dict[str, str]:
        github = workflow.github
        there = {
            "API_URL": github.url,
            "SERVER_URL": github.url,
            "REPOSITORY": workflow.full_name,
            "REPOSITORY_ID": str(github.repository_id()),
            "HEAD_REPOSITORY_ID": str(github.repository_id()),
            "PULL_NUMBER": str(workflow.number),
            "BASE_SHA": workflow.base,
            "HEAD_SHA": workflow.head,
            "HEAD_REF": "change",
        }
        if permissions is not None:
            there["TOKEN"] = github.job_token(permissions)
        return environment(tmp_path, **{**there, **more})

    return made
