"""What the App is doing can be looked at, and what it gave up on released."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.jobs import jobs_command
from assay.github_app.store import Store

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """An App that has one worker, one delivery to do and one it gave up on."""
    with Store.open(f"sqlite:///{tmp_path / 'assay.sqlite'}") as store:
        for name in ("waits", "failed"):
            store.deliveries.receive(name, "pull_request", "opened", "[red]octo/shop", 7, 1, b"{}", NOW)
        store.deliveries.take(1, NOW)
        store.deliveries.park("failed", "GitHub refused to create the check run (403)", NOW)
        store.leases.renew("worker-1", "here", 11, NOW)
    return tmp_path


def run(*arguments: object):
    return CliRunner().invoke(jobs_command, [str(argument) for argument in arguments], standalone_mode=False)


def test_what_was_given_up_is_listed_with_its_reason(data_dir: Path):
    done = run("list", "--data-dir", data_dir)
    for said in ("worker-1", "Parked (1)", "pull_request.opened", "[red]octo/shop#7", "(403)"):
        assert said in " ".join(done.output.split()), done.output


def test_the_same_for_programs(data_dir: Path):
    seen = json.loads(run("list", "--format", "json", "--data-dir", data_dir).output)
    assert [row["delivery"] for row in seen["Parked"]] == ["failed"]
    assert seen["Deliveries"]["parked"] == 1
    assert seen["Runs"] == []


@pytest.mark.parametrize("which", [["failed"], ["--all"]])
def test_a_parked_delivery_is_released(data_dir: Path, which: list[str]):
    done = run("release", "--data-dir", data_dir, *which)
    assert (done.return_value, done.output) == (0, "released: 1\n")
    assert json.loads(run("list", "--format", "json", "--data-dir", data_dir).output)["Parked"] == []


def test_what_is_not_parked_is_told(data_dir: Path):
    done = run("release", "--data-dir", data_dir, "failed", "waits", "nothing")
    assert done.return_value == 1
    assert "not parked: 'waits'" in done.output
    assert "not parked: 'nothing'" in done.output


def test_nothing_is_made_where_no_app_is(tmp_path: Path):
    done = run("list", "--data-dir", tmp_path)
    assert "there is no App here" in str(done.exception)
    assert list(tmp_path.iterdir()) == []
