"""Images built from the Dockerfile and run as containers, without a Docker engine: buildah builds, Podman runs.

The base image is a stand-in of the same release, made by mmdebstrap from Debian's packages as `debian:…-slim` is.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT

PROGRAMS = ("buildah", "mmdebstrap", "podman", "runc")
LOCKED_DOWN = (
    "--read-only", "--tmpfs=/tmp", "--cap-drop=ALL", "--security-opt=no-new-privileges",
)  # fmt: skip
"""How compose.yaml runs the image."""
_BASE = re.compile(r"^FROM (debian:(\w+)-slim) ", re.MULTILINE)
_NOT_IN_SLIM = ("doc", "groff", "info", "linda", "lintian", "locale", "man")
_KEEP_NO_PACKAGES = 'DPkg::Post-Invoke {"rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true";};\n'
_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
_IN_BUILD = "/run/certificates.crt"
_PIP = "/etc/pip.conf"


def missing() -> str | None:
    """Why no image can be built here, if so."""
    lacking = [name for name in PROGRAMS if shutil.which(name) is None]
    if os.geteuid() != 0:
        lacking.append("root")
    return (
        f"building the image takes root and {', '.join(PROGRAMS)}; missing: {', '.join(lacking)}" if lacking else None
    )


@dataclass(frozen=True)
class Engine:
    """buildah and Podman over a storage of their own."""

    folder: Path

    def buildah(self, *arguments: str) -> str:
        return self._done(("buildah", *self._places, *arguments))

    def podman(self, *arguments: str) -> str:
        return self._done(self.podman_command(*arguments))

    def podman_command(self, *arguments: str) -> tuple[str, ...]:
        """The command line of Podman with `arguments`."""
        return (
            "podman",
            "--runtime=runc",
            "--cgroup-manager=cgroupfs",
            "--events-backend=none",
            *self._places,
            *arguments,
        )

    def run_command(self, image: str, *arguments: str, options: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The command line that runs a container as compose.yaml does, in the network of this machine."""
        limits = ("--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096", "--network=host")
        own = f"--env=SSL_CERT_FILE={_CERTIFICATES}"  # not the one it was built with
        return self.podman_command("run", "--rm", *limits, own, *LOCKED_DOWN, *options, image, *arguments)

    def printed(self, image: str, program: str, *arguments: str) -> str:
        """What a program of the image prints."""
        return self._done(self.run_command(image, *arguments, options=(f"--entrypoint={program}",)))

    def build(self, image: str, *options: str) -> None:
        """Build a target of the Dockerfile; what another one has in common is built once."""
        mounts = [f"--volume={_CERTIFICATES}:{_IN_BUILD}:ro"]
        if Path(_PIP).is_file():
            mounts.append(f"--volume={_PIP}:{_PIP}:ro")
        self.buildah(
            "build", "--isolation=chroot", "--layers", "--pull-never", *mounts, *options, f"--tag={image}", str(ROOT)
        )

    def make_base(self) -> None:
        """Make the stand-in for the base image. Skips the test where Debian's packages cannot be had."""
        ((name, suite),) = set(_BASE.findall((ROOT / "Dockerfile").read_text("utf-8")))
        tree, kept = self.folder / "base.tar", self.folder / "docker-clean"
        left_out = [f"--dpkgopt=path-exclude=/usr/share/{each}/*" for each in _NOT_IN_SLIM]
        made = subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=minbase", *left_out, suite, str(tree)],
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode != 0:
            pytest.skip(f"Debian's packages cannot be had here: {made.stderr.strip()[-300:]}")
        container = self.buildah("from", "scratch")
        self.buildah("add", "--quiet", container, str(tree), "/")
        kept.write_text(_KEEP_NO_PACKAGES)
        self.buildah("add", "--quiet", container, str(kept), "/etc/apt/apt.conf.d/docker-clean")
        tree.unlink()
        given = {key: value for key, value in os.environ.items() if key in ("PIP_FIND_LINKS", "PIP_DEFAULT_TIMEOUT")}
        for key, value in (given | {"SSL_CERT_FILE": _IN_BUILD, "PIP_CERT": _IN_BUILD}).items():
            self.buildah("config", f"--env={key}={value}", container)
        self.buildah("commit", "--quiet", "--rm", container, f"localhost/{name}")

    def size(self, image: str) -> int:
        """Bytes of an image's files, as an engine's list of images shows them."""
        return int(self.podman("image", "inspect", "--format={{.Size}}", image))

    @property
    def _places(self) -> tuple[str, ...]:
        places = (f"--root={self.folder / 'store'}", f"--runroot={self.folder / 'run'}")
        return (*places, "--storage-driver=overlay")

    def _done(self, command: tuple[str, ...]) -> str:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{' '.join(command)}: {done.stderr[-3000:]}{done.stdout[-1000:]}"
        return done.stdout.strip()
