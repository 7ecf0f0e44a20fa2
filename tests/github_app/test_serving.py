"""The App as it is run: `serve` as a process of its own, against a GitHub, from a webhook to what stands there."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import httpx2
import pytest

from tests.codes import code_of
from tests.fakes.github import FakeGitHub
from tests.github_app.processes import AppProcess, environment_for, wait_ready
from tests.repositories import RealRepository


@pytest.fixture
def serving(github: FakeGitHub, tmp_path: Path) -> Iterator[AppProcess]:
    """A web server with a worker that hears of everything."""
    environment = environment_for(github, tmp_path / "data")
    process = AppProcess("serve", environment, tmp_path / "app.log")
    process.start()
    github.deliver_to(f"{wait_ready(environment, process)}/webhooks/github")
    yield process
    process.close()


@pytest.mark.soak
def test_a_pull_request_is_validated_labelled_and_validated_again_when_it_changes(
    github: FakeGitHub, repository: RealRepository, serving: AppProcess
):
    github.create_repository("shop")
    repository.commit("Start", {"app.py": "def total(x):\n    return x\n"})
    github.push(repository, "main")
    repository.branch("change")
    first = repository.commit("Change", {"app.py": "def total(x):\n    return x + 1\n"})
    github.push(repository, "change")
    number = github.open_pull("change", by="ada", title="A change", body="")

    def concluded(head: str) -> list[dict[str, object]]:
        return [run for run in github.check_runs(head, name="Assay") if run["status"] == "completed"]

    (run,) = github.wait(lambda: concluded(first), timeout_s=60)
    assert run["conclusion"] in ("success", "neutral"), run
    github.wait(lambda: [label for label in github.labels(number) if label.startswith("risk:")])
    second = repository.commit("Again", {"app.py": "def total(x):\n    return x + 2\n"})
    github.push(repository, "change")
    github.wait(lambda: concluded(second), timeout_s=60)
    assert len(github.check_runs(first, name="Assay")) == len(github.check_runs(second, name="Assay")) == 1
    github.wait(lambda: 'assay_runs_total{outcome="completed"} 2.0' in _figures(serving))
    assert 'assay_github_requests_total{method="POST",status="201"}' in _figures(serving)
    assert "assay_validation_seconds_count 2.0" in _figures(serving)
    assert serving.terminate() == 0
    assert github.private_key.splitlines()[3] not in serving.said()
    assert github.webhook_secret not in serving.said()
    assert "from a running asyncio event loop" not in serving.said()


@pytest.mark.system
def test_a_port_that_is_taken_ends_it_before_anything_is_begun(github: FakeGitHub, tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        environment = environment_for(github, tmp_path / "data", port=taken.getsockname()[1])
        command = [str(Path(sys.executable).with_name("assay")), "serve"]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2, ended.stderr
    assert code_of(ended.stderr.splitlines()[-1]) == "settings.port-in-use"
    assert not (tmp_path / "data" / "assay.sqlite").exists()


@pytest.mark.system
def test_a_worker_answers_on_its_own_port_and_on_no_other(github: FakeGitHub, tmp_path: Path):
    environment = environment_for(github, tmp_path / "data")
    own = {**environment, "ASSAY_WORKER_PORT": environment["ASSAY_PORT"]}
    process = AppProcess("work", own, tmp_path / "worker.log")
    process.start()
    try:
        address = wait_ready(own, process)
        github.wait(lambda: "assay_workers 1.0" in _figures(process))
        paths = ("/healthz", "/readyz", "/", "/webhooks/github", "/api/v1/metrics")
        assert [httpx2.get(f"{address}{path}").status_code for path in paths] == [200, 200, 404, 404, 404]
        assert process.terminate() == 0
    finally:
        process.close()


@pytest.mark.soak
def test_a_data_directory_that_cannot_be_made_is_one_line(github: FakeGitHub, tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    environment = environment_for(github, tmp_path / "data") | {"ASSAY_DATA_DIR": str(tmp_path / "file" / "data")}
    environment["ASSAY_PRIVATE_KEY_FILE"] = str(tmp_path / "data" / "app.private-key.pem")
    command = [str(Path(sys.executable).with_name("assay")), "worker"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2, ended.stderr
    assert "ASSAY_DATA_DIR" in ended.stderr.splitlines()[-1]


def _figures(serving: AppProcess) -> str:
    with urlopen(f"http://127.0.0.1:{serving.port}/metrics", timeout=10) as answer:
        shown: str = answer.read().decode()
    return shown
