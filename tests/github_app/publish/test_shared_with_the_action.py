"""The Action's environment has no database, no queue and no web server: these rooms must do without."""

from __future__ import annotations

import subprocess
import sys

import pytest

SERVER = {
    "alembic", "apprise", "dbos", "fastapi", "prometheus_client", "psycopg", "pydantic_settings", "sqlalchemy",
    "starlette", "uvicorn",
}  # fmt: skip
OURS = ("assay.github_app.settings", "assay.github_app.store")


@pytest.mark.parametrize("room", ["github", "publish", "action.settling", "action.run_report"])
def test_a_shared_room_brings_no_server(room: str):
    program = f"import sys, assay.github_app.{room}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert {name.partition(".")[0] for name in loaded} & SERVER == set()
    assert [name for name in loaded if name.startswith(OURS)] == []
