"""compose.yaml with Docker, started as its first lines say, but for a PostgreSQL made of Debian's packages."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.conftest import ROOT
from tests.fakes.containers import FILTER, PROFILE, Engine
from tests.fakes.contract import judge
from tests.fakes.github import FakeGitHub
from tests.fakes.github_server import GitHubServer
from tests.functional.emulated_pull import changed, run_of, validated_pull
from tests.functional.test_image import COMMANDS
from tests.ports import free_port
from tests.repositories import RealRepository

POSTGRES = ROOT / "tests" / "functional" / "postgres_image"
DATABASE = "postgres:17-alpine"
OVERRIDE = re.compile(r"```yaml\n(services:\n.*?)```", re.DOTALL)
"""The opening for local runs in docs/app/operating.md."""
pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]


@pytest.fixture
def github(docker: Engine, tmp_path: Path) -> Iterator[FakeGitHub]:
    """A GitHub at an address of this machine that containers reach."""
    docker.do("network", "create", "bed")
    server = GitHubServer(
        judge, address=docker.do("network", "inspect", "--format={{(index .IPAM.Config 0).Gateway}}", "bed")
    )
    fake = FakeGitHub(server, tmp_path / "github")
    yield fake
    violations = fake.violations
    fake.close()
    server.close()
    docker.do("network", "rm", "bed")
    assert violations == []


class Deployment:
    """A folder with compose.yaml, `.env` and `secrets`, and the commands in it."""

    def __init__(self, docker: Engine, github: FakeGitHub, folder: Path) -> None:
        self._docker, self._folder, self._port = docker, folder, free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        secrets = {
            "private-key.pem": github.private_key,
            "webhook-secret": github.webhook_secret,
            "client-secret": github.client_secret,
        }
        (folder / "secrets").mkdir(parents=True)
        for name, text in secrets.items():
            file = folder / "secrets" / f"app.{name}"
            file.write_text(text)
            file.chmod(0o600)
            os.chown(file, 10001, -1)
        env = {
            "ASSAY_DB_PASSWORD": os.urandom(24).hex(),
            "ASSAY_PUBLIC_URL": self.url,
            "ASSAY_APP_ID": github.app_id,
            "ASSAY_CLIENT_ID": github.client_id,
        }
        (folder / ".env").write_text("".join(f"{name}={value}\n" for name, value in env.items()))
        text = (ROOT / "compose.yaml").read_text("utf-8").replace("127.0.0.1:8080:", f"127.0.0.1:{self._port}:")
        added = f"x-settings: &settings\n  ASSAY_GITHUB_URL: {github.url}\n  ASSAY_GITHUB_API_URL: {github.url}\n"
        (folder / "compose.yaml").write_text(text.replace("x-settings: &settings\n", added))

    def do(self, *arguments: str) -> str:
        """Run `docker compose`."""
        return self._docker.do("compose", f"--project-directory={self._folder}", *arguments)

    def up(self) -> None:
        """Start it, and wait until the health checks are content."""
        self.do("up", "--detach")
        self._until(lambda: [one["Health"] for one in self.containers()] == ["healthy", "healthy", "", ""])
        with urlopen(f"{self.url}/readyz", timeout=5) as answer:
            assert answer.status == 200

    def containers(self) -> list[dict[str, Any]]:
        """What `docker compose ps` lists, by service."""
        found = [json.loads(line) for line in self.do("ps", "--all", "--format=json").splitlines()]
        return sorted(found, key=lambda one: str(one["Service"]))

    def open_for_local_runs(self) -> None:
        """Do what the documents say."""
        (text,) = OVERRIDE.findall((ROOT / "docs/app/operating.md").read_text("utf-8"))
        (self._folder / "compose.override.yaml").write_text(text.replace(PROFILE, FILTER))

    def _until(self, is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 180
        while not is_so():
            assert time.monotonic() < deadline, self.do("ps", "--all") + self.do("logs", "--tail=20")
            time.sleep(1)


@pytest.fixture
def deployed(docker: Engine, github: FakeGitHub, tmp_path: Path) -> Iterator[Deployment]:
    if subprocess.run((*docker.command, "compose", "version"), capture_output=True, check=False).returncode != 0:
        pytest.skip("the plugin `docker compose` is not installed")
    docker.build("assay")
    docker.build("assay-web", "--target=web")
    docker.build(DATABASE, folder=POSTGRES)
    deployment = Deployment(docker, github, tmp_path / "assay")
    yield deployment
    deployment.do("down", "--volumes")
    shutil.rmtree(tmp_path / "assay")


def test_web_server_and_two_workers_lose_nothing_over_a_stop_and_run_commands_once_opened(
    deployed: Deployment, github: FakeGitHub, repository: RealRepository
):
    deployed.up()
    assert validated_pull(github, repository, deployed.url, more=COMMANDS) in ("success", "neutral")
    told = json.loads(deployed.do("exec", "-T", "worker", "assay", "doctor", "--format=json"))
    assert "PostgreSQL answers" in json.dumps(told)
    with pytest.raises(AssertionError, match="Read-only file system"):
        deployed.do("exec", "-T", "web", "touch", "/opt/assay/file")

    heads = [changed(github, repository, f"before-{number}") for number in range(3)]
    deployed.do("stop")
    assert {one["ExitCode"] for one in deployed.containers()} == {0}
    deployed.do("down")
    deployed.up()
    assert {run_of(github, head)["conclusion"] for head in heads} <= {"success", "neutral"}

    closed = run_of(github, heads[0])["output"]
    assert "the repository's own commands were not run" in closed["summary"]
    deployed.open_for_local_runs()
    deployed.up()
    opened = run_of(github, changed(github, repository, "opened"))
    assert "bubblewrap, without network" in opened["output"]["text"], opened["output"]
    assert opened["conclusion"] == "success", opened["output"]
