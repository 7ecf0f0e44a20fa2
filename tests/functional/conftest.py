"""The installed command, run as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import containers
from tests.fakes.github import FakeGitHub
from tests.functional.action_bed import Shop, at
from tests.repositories import RealRepository

ASSAY = Path(sys.executable).with_name("assay")


@dataclass(frozen=True)
class Said:
    """What the command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        """Standard output as the JSON report it is."""
        found: dict[str, Any] = json.loads(self.out)
        return found

    def one_clear_line(self) -> str:
        """The line of standard error, after making sure it is the only one and no traceback."""
        assert "Traceback" not in self.err, self.err
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("assay: ")
        return lines[0].removeprefix("assay: ")


Assay = Callable[..., Said]


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    """Run `assay` with arguments in a folder; caches go to a folder of the test's own."""
    cache = tmp_path / "cache"

    def run(*arguments: str, cwd: Path, timeout_s: float = 120, **env: str) -> Said:
        done = subprocess.run(
            [str(ASSAY), *arguments],
            cwd=cwd,
            env={**os.environ, "XDG_CACHE_HOME": str(cache), "COLUMNS": "100", **env},
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=timeout_s,
            check=False,
        )
        assert b"Traceback (most recent call last)" not in done.stderr, done.stderr.decode()
        return Said(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def assay_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Assay:
    """The same within this process, for what ends before anything is validated: most of such a run is its start."""
    from assay.cli.main import run as run_here

    def run(*arguments: str, cwd: Path, timeout_s: float = 120, **env: str) -> Said:
        monkeypatch.chdir(cwd)
        for name, value in {"XDG_CACHE_HOME": str(tmp_path / "cache"), "COLUMNS": "100", **env}.items():
            monkeypatch.setenv(name, value)
        capfd.readouterr()
        code = run_here(list(arguments))
        return Said(code, *capfd.readouterr())

    return run


@pytest.fixture
def shop(github: FakeGitHub, repository: RealRepository, tmp_path: Path) -> Shop:
    """A repository that the Action validates, with the documentation's workflows on its default branch."""
    shop = at(tmp_path, github, repository)
    shop.begin()
    return shop


@pytest.fixture(scope="session")
def on_disk() -> Iterator[Path]:
    """A folder for images: they are too large for memory."""
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="assay-image-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def debian(on_disk: Path) -> Path:
    """The file system of the base image's stand-in, made once."""
    return containers.make_base(on_disk)


@pytest.fixture(scope="session")
def podman(on_disk: Path, request: pytest.FixtureRequest) -> Iterator[containers.Engine]:
    containers.needs("podman")
    with containers.podman(on_disk / "podman", request.getfixturevalue("debian")) as engine:
        yield engine


@pytest.fixture(scope="session")
def docker(on_disk: Path, request: pytest.FixtureRequest) -> Iterator[containers.Engine]:
    containers.needs("docker")
    (on_disk / "docker").mkdir()
    with containers.docker(on_disk / "docker", request.getfixturevalue("debian")) as engine:
        yield engine
