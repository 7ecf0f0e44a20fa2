"""Images built from the Dockerfile and run as containers, by Podman or Docker over a storage of their own.

The base image is a stand-in of the same release, made by mmdebstrap from Debian's packages as `debian:…-slim` is.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT

PROGRAMS = {"podman": ("mmdebstrap", "podman", "runc"), "docker": ("mmdebstrap", "docker", "dockerd", "iptables")}
LOCKED_DOWN = (
    "--read-only", "--tmpfs=/tmp", "--cap-drop=ALL", "--security-opt=no-new-privileges",
)  # fmt: skip
"""How compose.yaml runs the image."""
PROFILE = "/usr/share/containers/seccomp.json"
"""The filter of system calls of Podman, which Docker can use too."""
FILTER = PROFILE if Path(PROFILE).is_file() else "unconfined"
OPENED = {
    "podman": ("--security-opt=unmask=ALL", "--security-opt=apparmor=unconfined"),
    "docker": (
        "--tmpfs=/tmp:exec",
        "--security-opt=systempaths=unconfined",
        f"--security-opt=seccomp={FILTER}",
        "--security-opt=apparmor=unconfined",
    ),
}
"""What docs/app/operating.md says each has to open for local runs."""
_BASE = re.compile(r"^FROM (debian:(\w+)-slim) ", re.MULTILINE)
_NOT_IN_SLIM = ("doc", "groff", "info", "linda", "lintian", "locale", "man")
_KEEP_NO_PACKAGES = 'DPkg::Post-Invoke {"rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true";};\n'
_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
_IN_BASE = "/usr/local/share/certificates-of-the-tests.crt"
_PIP = "/etc/pip.conf"
_NETWORKS = "10.213.0.0/16"


def needs(engine: str) -> None:
    """Skip the test where an engine cannot be had."""
    lacking = [name for name in PROGRAMS[engine] if shutil.which(name) is None]
    if os.geteuid() != 0:
        lacking.append("root")
    if lacking:
        pytest.skip(f"{engine} needs root and {', '.join(PROGRAMS[engine])}; missing: {', '.join(lacking)}")


def make_base(folder: Path) -> Path:
    """Make the file system of the stand-in for the base image. Skips the test where Debian's packages cannot be had."""
    ((_, suite),) = set(_BASE.findall((ROOT / "Dockerfile").read_text("utf-8")))
    tree, kept = folder / "base.tar", folder / "docker-clean"
    kept.write_text(_KEEP_NO_PACKAGES)
    # How this machine reaches the package indexes, which the builds need too.
    given = {str(kept): "/etc/apt/apt.conf.d/docker-clean", _CERTIFICATES: _IN_BASE, _PIP: _PIP}
    hooks = [f"--customize-hook=upload {here} {there}" for here, there in given.items() if Path(here).is_file()]
    left_out = [f"--dpkgopt=path-exclude=/usr/share/{each}/*" for each in _NOT_IN_SLIM]
    command = ["mmdebstrap", "--quiet", "--variant=minbase", *left_out, *hooks, suite, str(tree)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        pytest.skip(f"Debian's packages cannot be had here: {made.stderr.strip()[-300:]}")
    return tree


@dataclass(frozen=True)
class Engine:
    """One engine: its name, its command with global options, and the options of its builds."""

    name: str
    command: tuple[str, ...]
    environment: dict[str, str]
    building: tuple[str, ...]

    def do(self, *arguments: str, timeout_s: float = 1200) -> str:
        """Run the engine's command; what it prints."""
        done = subprocess.run(
            (*self.command, *arguments),
            env=os.environ | self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout_s,
        )
        assert done.returncode == 0, f"{' '.join(arguments)}: {done.stderr[-3000:]}{done.stdout[-1000:]}"
        return done.stdout.strip()

    def import_base(self, tree: Path) -> None:
        """Make an image named as the base of the Dockerfile from its file system."""
        ((name, _),) = set(_BASE.findall((ROOT / "Dockerfile").read_text("utf-8")))
        given = {key: value for key, value in os.environ.items() if key in ("PIP_FIND_LINKS", "PIP_DEFAULT_TIMEOUT")}
        given |= {"SSL_CERT_FILE": _IN_BASE, "PIP_CERT": _IN_BASE}
        changes = [f"--change=ENV {key}={value}" for key, value in given.items()]
        self.do("import", *changes, str(tree), name if self.name == "docker" else f"localhost/{name}")

    def build(self, image: str, *options: str, folder: Path = ROOT) -> None:
        """Build a target of a Dockerfile; what another one has in common is built once."""
        self.do("build", *self.building, *options, f"--tag={image}", str(folder))

    def run_command(self, image: str, *arguments: str, options: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The command line that runs a container as compose.yaml does, in the network of this machine."""
        limits = ("--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096", "--network=host")
        own = f"--env=SSL_CERT_FILE={_CERTIFICATES}"  # not the one it was built with
        return (*self.command, "run", "--rm", *limits, own, *LOCKED_DOWN, *options, image, *arguments)

    def printed(self, image: str, program: str, *arguments: str) -> str:
        """What a program of the image prints."""
        command = self.run_command(image, *arguments, options=(f"--entrypoint={program}",))
        return self.do(*command[len(self.command) :])

    def size(self, image: str) -> int:
        """Bytes of an image's files, as an engine's list of images shows them."""
        return int(self.do("image", "inspect", "--format={{.Size}}", image))


@contextmanager
def podman(folder: Path, base: Path) -> Iterator[Engine]:
    """Podman with runc."""
    places = (f"--root={folder / 'store'}", f"--runroot={folder / 'run'}", "--storage-driver=overlay")
    options = ("--runtime=runc", "--cgroup-manager=cgroupfs", "--events-backend=none")
    engine = Engine("podman", ("podman", *options, *places), {}, ("--isolation=chroot", "--layers", "--pull=never"))
    engine.import_base(base)
    try:
        yield engine
    finally:
        _unmount(folder)


@contextmanager
def docker(folder: Path, base: Path) -> Iterator[Engine]:
    """A daemon that leaves others on this machine alone: to the firewall it adds one rule, about its own networks.

    Without that rule, the containers of a network do not reach each other where another Docker forbids forwarding.
    """
    address = f"unix://{folder / 'docker.sock'}"
    places = (f"--data-root={folder / 'store'}", f"--exec-root={folder / 'run'}", f"--pidfile={folder / 'pid'}")
    networks = ("--bridge=none", "--iptables=false", f"--default-address-pool=base={_NETWORKS},size=24")
    # Where another Docker has started a containerd, this daemon uses it too.
    own = f"assay-{os.getpid()}"
    spaces = (f"--containerd-namespace={own}", f"--containerd-plugins-namespace={own}-plugins")
    options = (*networks, *spaces, "--storage-driver=overlay2", f"--host={address}")
    rule = ("FORWARD", "--source", _NETWORKS, "--destination", _NETWORKS, "--jump", "ACCEPT")
    engine = Engine("docker", ("docker", f"--host={address}"), {"DOCKER_HOST": address}, ("--network=host",))
    log = folder / "log"
    with log.open("wb") as said, subprocess.Popen(("dockerd", *places, *options), stdout=said, stderr=said) as daemon:
        try:
            _wait_for(engine, daemon, log)
            subprocess.run(("iptables", "--insert", *rule), check=True)
            engine.import_base(base)
            yield engine
        finally:
            daemon.terminate()
            daemon.wait(60)
            subprocess.run(("iptables", "--delete", *rule), check=False)
            _unmount(folder)


def _unmount(folder: Path) -> None:
    """Unmount what an engine leaves mounted below its folder, so that the folder can be deleted."""
    mounted = [line.split(" ")[1] for line in Path("/proc/self/mounts").read_text("utf-8").splitlines()]
    for path in sorted((one for one in mounted if one.startswith(f"{folder}/")), reverse=True):
        subprocess.run(("umount", "--lazy", path), check=False)


def _wait_for(engine: Engine, daemon: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and daemon.poll() is None:
        if subprocess.run((*engine.command, "info"), capture_output=True, check=False).returncode == 0:
            return
        time.sleep(0.2)
    pytest.skip(f"dockerd does not start here: {log.read_text('utf-8', 'replace')[-500:]}")
