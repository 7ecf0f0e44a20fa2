"""What the App is doing can be looked at, and what it gave up on released."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from assay.cli.app.jobs import jobs_command
from assay.github_app.runtime.queues import Queues
from assay.github_app.store import RunState
from tests.github_app.remembering import store_at, take

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An App that has one worker, one delivery to do and one it gave up on."""
    monkeypatch.setenv("ASSAY_APP_ID", "7")
    monkeypatch.setenv("COLUMNS", "200")
    with store_at(f"sqlite:///{tmp_path / 'assay.sqlite'}") as store:
        for name in ("waits", "failed"):
            store.deliveries.receive(name, "pull_request", "opened", "[red]octo/shop", 7, 1, b"{}", NOW)
        take(store, 1, NOW)
        store.deliveries.park("failed", "GitHub refused to create the check run (403)", NOW)
        store.leases.renew("worker-1", "here", 11, NOW)
        run, _ = store.runs.begin(11, 7, "a" * 40, "opened", NOW)
        store.runs.advance(run.id, RunState.failed, NOW, error="no memory")
    (tmp_path / "app.private-key.pem").write_text(private_key())
    return tmp_path


@cache
def private_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()


def run(*arguments: object):
    return CliRunner().invoke(jobs_command, [str(argument) for argument in arguments], standalone_mode=False)


def test_what_was_given_up_is_listed_with_its_reason(data_dir: Path):
    done = run("list", "--data-dir", data_dir)
    for said in (
        "worker-1",
        "Dead-letter queue (2)",
        "pull_request of [red]octo/shop",
        "(403)",
        "11#7 at aaaaaaaaaaaa",
        "no memory",
    ):
        assert said in " ".join(done.output.split()), done.output


def test_the_same_for_programs(data_dir: Path):
    seen = json.loads(run("list", "--format", "json", "--data-dir", data_dir).output)
    assert {(row["what"], row["why"]) for row in seen["DeadLetter"]} == {
        ("delivery", "GitHub refused to create the check run (403)"),
        ("run", "no memory"),
    }
    assert seen["Deliveries"]["parked"] == 1
    assert seen["Runs"] == []


def parked_at(data_dir: Path) -> dict[str, str]:
    seen = json.loads(run("list", "--format", "json", "--data-dir", data_dir).output)
    return {row["what"]: row["id"] for row in seen["DeadLetter"]}


@pytest.mark.parametrize("kind", ["delivery", "run"])
def test_what_is_parked_is_released_by_its_id(data_dir: Path, kind: str):
    before = parked_at(data_dir)
    done = run("retry", "--data-dir", data_dir, before.pop(kind))
    assert (done.return_value, done.output) == (0, "retried: 1\n")
    assert parked_at(data_dir) == before


def test_all_of_it_is_released_at_once(data_dir: Path):
    assert run("retry", "--data-dir", data_dir, "--all").output == "retried: 2\n"
    assert parked_at(data_dir) == {}


def test_what_is_not_parked_is_told(data_dir: Path):
    done = run("retry", "--data-dir", data_dir, "failed", "waits", "nothing")
    assert done.return_value == 1
    assert "'waits'" in done.output
    assert "'nothing'" in done.output


def test_nothing_is_made_where_no_app_is(tmp_path: Path):
    done = run("list", "--data-dir", tmp_path)
    assert "--data-dir" in str(done.exception)
    assert list(tmp_path.iterdir()) == []


def test_what_a_restored_database_lacks_is_requested(data_dir: Path):
    since = datetime.now(UTC) - timedelta(hours=5)
    done = run("recover", "--since", f"{since:%Y-%m-%dT%H:%M}", "--data-dir", data_dir)
    assert f"{since:%H:%M} UTC" in done.output
    with closing(Queues(f"sqlite:///{data_dir / 'jobs.sqlite'}")) as queues:
        (job,) = queues.unended()
    assert (job.name, job.queue) == ("recover", "chores")


@pytest.mark.parametrize("hours", [-1, 73])
def test_githubs_list_goes_back_three_days(data_dir: Path, hours: int):
    since = datetime.now(UTC) - timedelta(hours=hours)
    done = run("recover", "--since", f"{since:%Y-%m-%dT%H:%M}", "--data-dir", data_dir)
    assert isinstance(done.exception, click.UsageError)
