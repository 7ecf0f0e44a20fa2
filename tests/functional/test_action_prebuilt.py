"""The Action with the prebuilt packages of a release, run by act: both jobs need nothing else.

The archives are built from the locks for this machine, and served by a release's address on it.
"""

from __future__ import annotations

import functools
import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.fakes.act import Act
from tests.fakes.github import FakeGitHub
from tests.functional.action_bed import BROKEN, Shop, report_of
from tests.repositories import RealRepository

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]
SCRIPTS = ROOT / ".github/action"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Address and lock of this machine's archives."""
    folder = tmp_path_factory.mktemp("release")
    machine = subprocess.check_output(
        [sys.executable, "-c", "import archive; print(archive.machine())"], cwd=SCRIPTS, text=True
    )
    wanted = f"{machine.strip()}-{sys.implementation.cache_tag}"
    lock = folder / "archives.lock"
    subprocess.run([sys.executable, SCRIPTS / "build_archives.py", folder / "files", lock, wanted], check=True)
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder / "files"))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", lock
    server.shutdown()
    server.server_close()


def test_both_jobs_stand_on_the_archives_alone(
    archives: tuple[str, Path], github: FakeGitHub, repository: RealRepository, tmp_path: Path
):
    address, lock = archives
    shop = Shop(github, repository, Act(github, tmp_path / "act", installed=False))
    (shop.act.action / "requirements/archives.lock").write_bytes(lock.read_bytes())
    shop.begin()
    # Neither a package index nor the rest of the world is reached.
    run = shop.validate(shop.pull(BROKEN), env={"ASSAY_ARCHIVES": address}, timeout_s=300)
    assert run.results() == {"assay": "failure"}, run.log[-5000:]
    assert run.log.count("assay: prebuilt packages, ") == 2
    assert "installed from" not in run.log
    report = report_of(run)
    assert [one["outcome"] for one in report["tiers"]["tools"]["runs"] if one["name"] == "tests"] == ["failed"]
    missing = [
        one
        for one in report["not_checked"]
        if "extra" in one["why"] or "ModuleNotFoundError" in one["why"] or one["why"].startswith("rule ")
    ]
    assert missing == [], "a program or package is not in the archives"
