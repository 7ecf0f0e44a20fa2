"""The units, run by systemd in a container and set up as docs/app/deploying.md says."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.fakes.containers import Engine
from tests.fakes.github import FakeGitHub
from tests.functional.emulated_pull import changed, run_of, validated_pull
from tests.functional.test_image import COMMANDS
from tests.github_app.processes import AppProcess, environment_for, wait_ready
from tests.repositories import RealRepository

IMAGE = "localhost/assay-systemd"
FILE = ROOT / "tests" / "functional" / "systemd_image" / "Dockerfile"
_SECTION = re.compile(r"^## systemd\n(.*?)^## ", re.DOTALL | re.MULTILINE)
INSTALLING, ASKING = re.findall(
    r"```sh\n(.*?)```", _SECTION.findall((ROOT / "docs/app/deploying.md").read_text("utf-8"))[0], re.DOTALL
)
pytestmark = [pytest.mark.soak, pytest.mark.timeout(1200)]


class Machine:
    """A container that boots with systemd."""

    def __init__(self, docker: Engine, settings: dict[str, str], log: Path) -> None:
        self._docker, self._name = docker, f"assay-systemd-{os.getpid()}"
        self.settings = settings
        options = ("--privileged", "--cgroupns=private", "--network=host", "--tmpfs=/run", "--tmpfs=/tmp:exec")
        command = (*docker.command, "run", "--rm", f"--name={self._name}", *options, IMAGE)
        self.process = AppProcess("systemd", settings | docker.environment, log, command)

    def do(self, *arguments: str) -> str:
        return self._docker.do("exec", self._name, *arguments)

    def systemctl(self, *arguments: str) -> str:
        return self.do("systemctl", *arguments)

    def put(self, here: Path, there: str, *, private: bool = False) -> None:
        """Copy a file into the machine, as one of root."""
        self.do("mkdir", "--parents", str(Path(there).parent))
        self._docker.do("cp", str(here), f"{self._name}:{there}")
        self.do("chown", "0:0", there)
        self.do("chmod", "600" if private else "644", there)

    def ready(self) -> str:
        return wait_ready(self.settings, self.process)

    def journal(self) -> str:
        return self.do("journalctl", "--unit=assay", "--output=cat", "--no-pager")

    def stop(self) -> None:
        if self.process.is_alive:
            self._docker.do("stop", self._name)
            self.process.wait(60)


@pytest.fixture
def machine(docker: Engine, github: FakeGitHub, tmp_path: Path) -> Iterator[Machine]:
    """A machine with the App installed, its settings written, and no unit started."""
    docker.build(IMAGE, f"--file={FILE}")
    settings = environment_for(github, tmp_path / "data", private_key_file=None, data_dir=None, webhook_secret=None)
    machine = Machine(docker, settings, tmp_path / "machine.log")
    machine.process.start()
    try:
        github.wait(lambda: is_booted(machine), timeout_s=60)
        given = "".join(f"{name}={value}\n" for name, value in settings.items() if name.startswith("ASSAY_"))
        files = {
            "settings.env": given,
            "app.private-key.pem": github.private_key,
            "app.webhook-secret": github.webhook_secret,
            "app.client-secret": github.client_secret,
        }
        for name, text in files.items():
            (tmp_path / name).write_text(text)
            machine.put(tmp_path / name, f"/etc/assay/{name}", private=True)
        for unit in (ROOT / "deploy" / "systemd").iterdir():
            machine.put(unit, f"/opt/assay/deploy/systemd/{unit.name}")
        yield machine
    finally:
        machine.stop()
        machine.process.close()


def is_booted(machine: Machine) -> bool:
    assert machine.process.is_alive, machine.process.said()
    try:
        return "active" in machine.systemctl("is-active", "dbus.socket")
    except AssertionError:
        return False


def test_a_unit_validates_survives_a_kill_and_opens_a_sandbox_when_told_to(
    machine: Machine, github: FakeGitHub, repository: RealRepository, tmp_path: Path
):
    for line in INSTALLING.splitlines():
        if line.startswith(("useradd ", "cp ", "systemctl ")):
            machine.do("sh", "-c", line)
    conclusion = validated_pull(github, repository, machine.ready(), more=COMMANDS)
    assert conclusion in ("success", "neutral"), machine.journal()[-4000:]
    machine.do("sh", "-e", "-c", ASKING)

    heads = [changed(github, repository, f"before-{number}") for number in range(3)]
    machine.systemctl("kill", "--signal=KILL", "assay")
    assert {run_of(github, head)["conclusion"] for head in heads} <= {"success", "neutral"}
    assert "NRestarts=1" in machine.systemctl("show", "assay", "--property=NRestarts")

    assert "the repository's own commands were not run" in run_of(github, heads[0])["output"]["summary"]
    machine.put(ROOT / "deploy/systemd/local-runs.conf", "/etc/systemd/system/assay.service.d/local-runs.conf")
    machine.do("sh", "-c", "echo ASSAY_LOCAL_RUNS=sandboxed >>/etc/assay/settings.env")
    machine.systemctl("daemon-reload")
    machine.systemctl("restart", "assay")
    machine.ready()
    opened = run_of(github, changed(github, repository, "opened"))
    assert "bubblewrap, without network" in opened["output"]["text"], machine.journal()[-4000:]
    assert opened["conclusion"] == "success", opened["output"]

    machine.systemctl("stop", "assay")
    shown = machine.systemctl("show", "assay", "--property=Result", "--property=ExecMainStatus")
    assert set(shown.split()) == {"Result=success", "ExecMainStatus=0"}
    assert '"message": "worker' in machine.journal()
