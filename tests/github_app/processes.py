"""The App as real processes, to be killed: a web server with or without a worker, and workers alone."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import urlopen

from tests.conftest import ROOT
from tests.ports import free_port

if TYPE_CHECKING:
    from tests.fakes.github import FakeGitHub

SERVE = "from assay.github_app.server.worker import serve as go"
WORK = "from assay.github_app.server.worker import work as go"


class AppProcess:
    """One process of the App. `kind` is `serve`, `web` (without a worker) or `work`; `command` starts another one."""

    def __init__(
        self, kind: str, environment: dict[str, str], log: Path, command: tuple[str, ...] | None = None
    ) -> None:
        self.kind = kind
        self._command = command
        self._environment = environment
        self.log = log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def port(self) -> int:
        return int(self._environment["ASSAY_PORT"])

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        more = ", worker=False" if self.kind == "web" else ""
        entry = WORK if self.kind == "work" else SERVE
        # As the command line does it: while all is loaded, nothing is looked through for rubbish.
        begin = (
            f"import gc\ngc.disable()\n{entry}\nfrom assay.github_app.ops.settings import read_settings\ngc.enable()"
        )
        code = f"{begin}\ngo(read_settings(){more})"
        with self.log.open("ab") as log:
            command = self._command or (sys.executable, "-c", code)
            folder = ROOT if self._command is None else self.log.parent
            self._process = subprocess.Popen(command, env=self._environment, cwd=folder, stdout=log, stderr=log)

    def fill_disk(self, is_full: bool) -> None:
        """As if nothing more fitted on the disk, for this process alone: no file of it grows any more."""
        most = 4096 if is_full else resource.RLIM_INFINITY
        _, hard = resource.prlimit(self.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (most, hard))

    def kill(self) -> None:
        """As the kernel does when memory is short: at any line, without a word."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def terminate(self, timeout_s: float = 40) -> int:
        """As a platform does: SIGTERM, and time to end. The exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self.wait(timeout_s)

    def wait(self, timeout_s: float) -> int:
        """The exit code, once it ends."""
        assert self._process is not None
        return self._process.wait(timeout_s)

    def close(self) -> None:
        if self.is_alive:
            self.kill()

    def said(self) -> str:
        return self.log.read_text("utf-8", "replace") if self.log.exists() else ""


def environment_for(github: FakeGitHub, folder: Path, **settings: object) -> dict[str, str]:
    """The environment of an App that works for this GitHub, with its data in `folder`."""
    key = folder / "app.private-key.pem"
    folder.mkdir(parents=True, exist_ok=True)
    key.write_text(github.private_key)
    key.chmod(0o600)
    given = {
        "app_id": github.app_id,
        "private_key_file": key,
        "webhook_secret": github.webhook_secret,
        "github_api_url": github.url,
        "github_url": github.url,
        "data_dir": folder,
        "port": free_port(),
        "lease_s": 3,
        "write_pause_s": 0,
        "sweep_s": 5,
        **settings,
    }
    plain = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    return plain | {f"ASSAY_{name.upper()}": str(value) for name, value in given.items() if value is not None}


def wait_ready(environment: dict[str, str], process: AppProcess, timeout_s: float = 90) -> str:
    """The address of a web server, once it is ready."""
    address = f"http://127.0.0.1:{environment['ASSAY_PORT']}"
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        assert process.is_alive, process.said()[-4000:]
        try:
            with urlopen(f"{address}/readyz", timeout=2) as answer:
                if answer.status == 200:
                    return address
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"not ready: {process.said()[-4000:]}")
