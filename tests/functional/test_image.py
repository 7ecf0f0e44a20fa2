"""The image: built from its Dockerfile without a Docker engine, started, and given one emulated pull request.

buildah builds and runs it; the base image is a stand-in of the same release, made by mmdebstrap from Debian's packages.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from tests.conftest import ROOT
from tests.fakes.github import FakeGitHub
from tests.functional.emulated_pull import validated_pull
from tests.github_app.processes import AppProcess, environment_for, wait_ready
from tests.repositories import RealRepository

_BASE = re.compile(r"^FROM (?:docker\.io/library/)?(python:(3\.\d+)-slim-(\w+))", re.MULTILINE)
_STAND_IN_PACKAGES = "python3,python3-venv,ca-certificates"
_OF_THIS_MACHINE = ("/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt")
"""Where this machine says how packages are reached; mounted while the image is built, and no part of it."""


@dataclass(frozen=True)
class Buildah:
    """buildah with a storage of its own."""

    folder: Path

    def __call__(self, *arguments: str) -> str:
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"buildah {arguments[0]}: {done.stderr[-3000:]}{done.stdout[-1000:]}"
        return done.stdout.strip()

    def command(self, *arguments: str) -> tuple[str, ...]:
        places = ("--root", str(self.folder / "store"), "--runroot", str(self.folder / "run"))
        return ("buildah", *places, "--storage-driver", "vfs", *arguments)


@pytest.fixture(scope="module")
def image() -> Iterator[tuple[Buildah, str]]:
    """buildah, and a container of the image that nothing has been started in."""
    missing = [name for name in ("buildah", "mmdebstrap") if shutil.which(name) is None]
    if missing or os.geteuid() != 0:
        pytest.skip(f"building the image takes root, buildah and mmdebstrap; missing: {', '.join(missing) or 'root'}")
    with tempfile.TemporaryDirectory(prefix="assay-image-", ignore_cleanup_errors=True) as folder:
        buildah = Buildah(Path(folder))
        _stand_in(buildah)
        mounts = [f"--volume={file}:{file}:ro" for file in _OF_THIS_MACHINE if Path(file).is_file()]
        buildah("build", "--isolation", "chroot", "--pull-never", *mounts, "--tag", "localhost/assay", str(ROOT))
        container = buildah("from", "--pull-never", "localhost/assay")
        yield buildah, container
        buildah("rm", "--all")


def _stand_in(buildah: Buildah) -> None:
    """Make the base image: the Debian release it names, whose own Python has to be the one it names."""
    (base,) = set(_BASE.findall((ROOT / "Dockerfile").read_text()))
    name, version, suite = base
    tree = buildah.folder / "base.tar"
    made = subprocess.run(
        ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={_STAND_IN_PACKAGES}", suite, str(tree)],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode != 0:
        pytest.skip(f"Debian's packages cannot be had here: {made.stderr.strip()[-300:]}")
    container = buildah("from", "scratch")
    buildah("add", container, str(tree), "/")
    tree.unlink()
    kept = {name: value for name, value in os.environ.items() if name in ("PIP_FIND_LINKS", "PIP_DEFAULT_TIMEOUT")}
    for one, value in (kept | {"SSL_CERT_FILE": _OF_THIS_MACHINE[1]}).items():
        buildah("config", "--env", f"{one}={value}", container)
    told = buildah("run", "--isolation", "chroot", container, "--", "python3", "--version")
    assert told.startswith(f"Python {version}.")
    buildah("commit", "--quiet", "--rm", container, f"localhost/{name}")


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_the_app_in_its_image_validates_a_pull_request(
    image: tuple[Buildah, str], github: FakeGitHub, repository: RealRepository, tmp_path: Path
):
    buildah, container = image
    settings = environment_for(github, tmp_path / "data", private_key_file=None, private_key=github.private_key)
    given = [
        f"--env={name}={value}"
        for name, value in settings.items()
        if name.startswith("ASSAY_") and name not in ("ASSAY_DATA_DIR", "ASSAY_HOST")
    ]
    command = buildah.command("run", "--isolation", "chroot", *given, container, "--", "assay", "serve")
    process = AppProcess("serve", settings, tmp_path / "app.log", command)
    process.start()
    try:
        conclusion = validated_pull(github, repository, wait_ready(settings, process))
        assert conclusion in ("success", "neutral"), process.said()[-4000:]
        _end(process)
    finally:
        process.close()


def _end(process: AppProcess) -> None:
    """End the App as a platform does. buildah passes no signal on, so the App gets it by the id its log tells."""
    (started,) = re.findall(r"Started server process \[(\d+)\]", process.said())
    app = psutil.Process(int(started))
    assert "serve" in app.cmdline()
    app.send_signal(signal.SIGTERM)
    process.wait(40)
    assert "Finished server process" in process.said(), process.said()[-4000:]


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_everything_in_the_image_is_compiled_and_nothing_runs_as_root(image: tuple[Buildah, str]):
    buildah, container = image
    count = "find /opt/assay/.venv /opt/assay/.venv-sast -name '*.py' -path '*-packages/*' | while read -r one; do"
    count += ' test -e "$(dirname "$one")/__pycache__/$(basename "$one" .py)".*.pyc || echo "$one"; done'
    assert buildah("run", "--isolation", "chroot", container, "--", "sh", "-c", count) == ""
    assert buildah("run", "--isolation", "chroot", container, "--", "id", "-u") == "10001"
    told = buildah("run", "--isolation", "chroot", container, "--", "sh", "-c", "ls -A /opt/assay")
    assert sorted(told.split()) == [".venv", ".venv-sast"]
