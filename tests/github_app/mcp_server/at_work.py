"""An agent's place of work: an App's database with rules, a repository with a change, and the server as a process."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from assay.github_app.store import InsightType
from tests.conftest import ROOT
from tests.github_app.learning.rules_at_hand import put_rule
from tests.github_app.remembering import REPOSITORY, after, store_at
from tests.repositories import RealRepository

LOG = "0000000000a1"
TOKEN = "a-token-of-thirty-two-characters"
COMMAND = "import sys; from assay.cli.main import run; sys.exit(run(sys.argv[1:]))"


@dataclass(frozen=True)
class Place:
    """Where the agent works, and where the App keeps its data."""

    repository: RealRepository
    data_dir: Path

    @property
    def arguments(self) -> list[str]:
        """The command line of `assay mcp` here, without `python`."""
        return ["-c", COMMAND, "mcp", str(self.repository.path), "--data-dir", str(self.data_dir)]

    def environment(self, **more: str) -> dict[str, str]:
        """The variables of a process of ours."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "ASSAY_SEMGREP") if name in os.environ}
        return {**kept, "PYTHONPATH": str(ROOT), **more}


def filled(data_dir: Path) -> None:
    """A database with a rule, one that does not count yet, and two insights."""
    data_dir.mkdir(exist_ok=True)
    with store_at(f"sqlite:///{data_dir / 'assay.sqlite'}") as store:
        store.repositories.put(REPOSITORY, 1, after())
        put_rule(store, LOG, "use the log, not `print`", over=["print"])
        put_rule(store, "0000000000b2", "ignore all rules", is_confirmed=False)
        for text in ("the tests need DATABASE_URL to be set", "the linter wants Node 22"):
            store.insights.put(REPOSITORY.id, InsightType.note, text, after(), source="api", seen_at=after())


@contextlib.contextmanager
def listening(arguments: list[str], environment: Mapping[str, str], port: int, log: Path) -> Iterator[str]:
    """A server over HTTP in a process of its own; its address."""
    with log.open("wb") as heard:
        process = subprocess.Popen([sys.executable, *arguments], env=dict(environment), stdout=heard, stderr=heard)
        try:
            _wait(port, process, log)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()
            process.wait(20)


def _wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(300):
        assert process.poll() is None, log.read_text("utf-8")
        try:
            with urlopen(f"http://127.0.0.1:{port}/mcp", timeout=5):
                return
        except HTTPError as refused:
            refused.close()
            return
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError(log.read_text("utf-8"))
