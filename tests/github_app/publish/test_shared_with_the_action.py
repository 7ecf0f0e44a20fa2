"""The Action's environment has no database, no queue and no web server: these rooms must do without."""

from __future__ import annotations

import subprocess
import sys

import pytest

SERVER = {
    "alembic", "apprise", "dbos", "fastapi", "prometheus_client", "psycopg", "pydantic_settings", "sqlalchemy",
    "starlette", "uvicorn",
}  # fmt: skip
OURS = tuple(
    f"assay.github_app.{name}" for name in "settings store context observability oidc results sources worker".split()
)


@pytest.mark.parametrize(
    "room",
    ["github_app.github", "github_app.publish", "github_app.action.posting", "github_app.action.steps", "cli.action"],
)
def test_a_shared_room_brings_no_server(room: str):
    program = f"import sys, assay.{room}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert {name.partition(".")[0] for name in loaded} & SERVER == set()
    assert [name for name in loaded if name.startswith(OURS)] == []
