"""The Action's environment has no database, no queue and no web server: these rooms must do without."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

SERVER = {
    "alembic", "apprise", "dbos", "fastapi", "prometheus_client", "psycopg", "pydantic_settings", "sqlalchemy",
    "starlette", "uvicorn",
}  # fmt: skip
ROOMS = ("assay.github.client", "assay.github.publish", "assay.action.handover.upload", "assay.action.steps.steps",
         "assay.cli.action")  # fmt: skip
PROGRAM = """
import importlib, json, sys
for room in sys.argv[1:]:
    importlib.import_module(room)
    print(json.dumps([room, *sys.modules]))
"""


@pytest.mark.system
def test_a_shared_room_brings_no_server():
    """One after the other in one process: the first that brings one is named."""
    command = [sys.executable, "-P", "-c", PROGRAM, *ROOMS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == len(ROOMS)
    for room, *loaded in lines:
        assert {name.partition(".")[0] for name in loaded} & SERVER == set(), room
        assert [name for name in loaded if name.startswith("assay.github_app")] == [], room
