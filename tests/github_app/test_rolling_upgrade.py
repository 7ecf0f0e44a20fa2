"""Two versions side by side: the version before the newest migration hands over to this one, and nothing is lost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.fakes.github import FakeGitHub
from tests.github_app.chaos import Storm
from tests.github_app.processes import SERVE, WORK, AppProcess, wait_ready
from tests.ports import free_port
from tests.repositories import RealRepository

MIGRATIONS = "assay/github_app/store/migrations/versions"


@pytest.fixture
def version_before(tmp_path: Path) -> Path:
    """The code from before the newest migration, in a folder of its own."""
    added = ("log", "-1", "--diff-filter=A", "--format=%H", "--", MIGRATIONS)
    commit = subprocess.run(("git", *added), cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    archive = subprocess.run(
        ("git", "archive", f"{commit}^", "assay"), cwd=ROOT, capture_output=True, check=False
    ).stdout
    if not commit or not archive:
        pytest.skip("needs the history of this repository")
    folder = tmp_path / "before"
    folder.mkdir()
    subprocess.run(("tar", "-x", "-C", str(folder)), input=archive, check=True)
    return folder


def older(kind: str, code: Path, environment: dict[str, str], log: Path) -> AppProcess:
    """A process of the version in `code`; `kind` is `web` or `work`."""
    entry, more = (WORK, "") if kind == "work" else (SERVE, ", worker=False")
    begin = f"import sys; sys.path.insert(0, {str(code)!r})\n{entry}\nimport assay\n"
    begin += (
        f"assert assay.__file__.startswith({str(code)!r})\nfrom assay.github_app.ops.settings import read_settings\n"
    )
    return AppProcess(kind, environment, log, (sys.executable, "-c", f"{begin}go(read_settings(){more})"))


@pytest.fixture
def storm(github: FakeGitHub, repository: RealRepository, tmp_path: Path, postgres_url: str) -> Iterator[Storm]:
    made = Storm(github, repository, tmp_path, database_url=postgres_url, kinds=("web", "work", "work"))
    yield made
    made.end()


@pytest.mark.soak
@pytest.mark.postgres
@pytest.mark.timeout(900)
def test_a_rolling_upgrade_loses_no_delivery(storm: Storm, version_before: Path, tmp_path: Path):
    newer, storm.processes = (
        storm.processes,
        [
            older(kind, version_before, storm.environment, tmp_path / f"before-{number}.log")
            for number, kind in enumerate(("web", "work", "work"))
        ],
    )
    storm.begin()
    num_before = len(storm.github.deliveries)
    storm.open_pulls(8)
    storm.push_to_some(4, pause_s=0.3)
    environment = storm.environment | {"ASSAY_PORT": str(free_port())}
    web = AppProcess("web", environment, tmp_path / "web.log")
    before = list(storm.processes)
    storm.processes += [web, *newer[1:]]
    web.start()
    address = wait_ready(environment, web)
    storm.push_to_some(4, pause_s=0.3)
    for new, old in zip(newer[1:], before[1:], strict=True):
        new.start()
        storm.push_to_some(2, pause_s=0.3)
        assert old.terminate() == 0, old.said()[-2000:]
    storm.github.deliver_to(f"{address}/webhooks/github")
    storm.push_to_some(4, pause_s=0.3)
    assert before[0].terminate() == 0
    storm.github.settled(timeout_s=60)
    storm.github.wait(storm.all_validated, timeout_s=300)
    storm.wait_quiet(40)
    told = storm.check_promises()
    refused = [one for one in storm.github.deliveries[num_before:] if one.status_code not in (200, 202)]
    print(f"\n{len(storm.github.deliveries)} deliveries, {len(refused)} refused, {told}")
    assert refused == []
    assert storm.check_deliveries() > 20
