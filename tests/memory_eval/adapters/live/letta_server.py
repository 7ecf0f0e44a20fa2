"""A real Letta server on this machine, without a network or a model: embeddings come from `embedding_server`.

Letta 0.11.7 is the last release of the server on PyPI. With SQLite it creates a column whose default is the text
"now()", and then cannot read it back; the schema is repaired before the server is used.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT
from tests.ports import free_port

PACKAGES = ("letta==0.11.7", "sqlite-vec", "mcp>=1.20,<1.24", "pydantic<2.12")
MOST_SECONDS = 180


@contextlib.contextmanager
def letta_server(python: str, home: Path) -> Iterator[str]:
    """Run a server by an interpreter that has `PACKAGES`; yield its address."""
    ports = [free_port(), free_port()]
    embedding = [sys.executable, "-m", "tests.memory_eval.adapters.live.embedding_server", str(ports[0])]
    environment = {
        **os.environ,
        "PYTHONPATH": "",
        "HOME": str(home),
        "LMSTUDIO_BASE_URL": f"http://127.0.0.1:{ports[0]}",
    }
    command = [str(Path(python).with_name("letta")), "server", "--port", str(ports[1])]
    url = f"http://localhost:{ports[1]}"
    with _running(embedding, {**os.environ, "PYTHONPATH": str(ROOT)}, home):
        with _running(command, environment, home):
            _wait_for(url)
        database = sqlite3.connect(home / ".letta/sqlite.db")
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_master SET sql = replace(sql, '''now()''', 'CURRENT_TIMESTAMP')")
        database.commit()
        database.close()
        with _running(command, environment, home):
            _wait_for(url)
            yield url


@contextlib.contextmanager
def _running(command: list[str], environment: dict[str, str], folder: Path) -> Iterator[None]:
    with (folder / f"{Path(command[0]).name}.log").open("a") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            yield
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()
            process.wait()


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + MOST_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/v1/health/", timeout=5) as reply:
            if reply.status == 200:
                return
        time.sleep(0.5)
    raise AssertionError("the Letta server did not start")
