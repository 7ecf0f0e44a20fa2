"""`assay sync` reads a repository's past as the App or with a token, says what it did, and can be called again."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from assay.cli.app.sync import sync_command
from assay.github.errors import GithubRefused, RateLimited, SettingsError
from assay.github_app.outcomes.metrics.measures import measures
from assay.github_app.outcomes.metrics.metrics import MetricRow, metrics
from assay.github_app.store import Store
from assay.validators import Learning, ValidationConfig, report_as
from tests.fakes.github import FakeGitHub
from tests.functional.repository_life import Life, case
from tests.github_app.publish.reports import fine
from tests.repositories import RealRepository


@pytest.fixture
def data_dir(github: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to read into, with somebody's token."""
    monkeypatch.setenv("ASSAY_GITHUB_API_URL", github.url)
    monkeypatch.setenv("GITHUB_TOKEN", github.person("mary"))
    return tmp_path / "data"


@pytest.fixture
def lived(github: FakeGitHub, tmp_path: Path) -> None:
    """A repository in which two pull requests were made, and nobody listened."""
    life = Life(github, RealRepository(tmp_path / "work"), case())
    life.begin()
    life.live_through(1)
    life.live_through(2)


@pytest.fixture
def as_app(lived: None, data_dir: Path, github: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an App that is installed there."""
    data_dir.mkdir()
    (data_dir / "app.private-key.pem").write_text(github.private_key)
    (data_dir / "app.private-key.pem").chmod(0o600)
    monkeypatch.setenv("ASSAY_APP_ID", str(github.app_id))
    monkeypatch.delenv("GITHUB_TOKEN")
    return data_dir


def run(data_dir: Path, *arguments: object):
    given = ["acme/shop", "--since", "2026-02-01", "--data-dir", data_dir, *arguments]
    return CliRunner().invoke(sync_command, [str(argument) for argument in given], standalone_mode=False)


def merge_rate(data_dir: Path) -> MetricRow:
    with Store.open(f"sqlite:///{data_dir / 'assay.sqlite'}") as store:
        (found,) = metrics(measures(store), names=["merge_rate"])
    return found


@pytest.mark.usefixtures("lived")
def test_with_a_token_there_are_figures_on_the_first_day(data_dir: Path):
    done = run(data_dir)
    assert (done.return_value, done.exception) == (0, None)
    assert done.output.startswith("acme/shop: read 2 pull requests; 0 had not changed since the last time.\n")
    assert (merge_rate(data_dir).value, merge_rate(data_dir).n) == (1.0, 2)
    assert run(data_dir).output.startswith("acme/shop: read 0 pull requests; 2 had not changed")
    assert run(data_dir, "--refresh").output.startswith("acme/shop: read 2 pull requests; 0")


@pytest.mark.soak
def test_as_the_app_trouble_is_told_and_waited_for(as_app: Path, github: FakeGitHub, monkeypatch: pytest.MonkeyPatch):
    page = r"GET /repos/acme/shop/pulls/2$"
    github.front.fault(page, 404)
    done = run(as_app)
    assert done.return_value == 1
    assert "acme/shop#2 could not be read" in done.output
    assert merge_rate(as_app).n == 1

    github.front.fault(page, "exhausted", retry_after=600)
    assert isinstance(run(as_app, "--no-wait").exception, RateLimited)

    waited: list[datetime] = []
    monkeypatch.setattr("assay.cli.app.sync._wait_until", waited.append)
    monkeypatch.setattr("assay.github.client.pacing.Pace.block", lambda *_: None)
    github.front.fault(page, "exhausted", retry_after=600)
    done = run(as_app)
    assert done.return_value == 0
    assert waited[0] > datetime.now(UTC)
    assert "waiting until" in done.output
    assert "read 1 pull requests; 1 had not changed" in done.output
    assert merge_rate(as_app).n == 2
    permissions = {level for one in github.requests for level in one.permissions.values()}
    assert permissions == {"read"}, "history is read and nothing else"


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (["acme", "--since", "2026-02-01"], click.UsageError, "not of the form OWNER/NAME"),
        (["../..", "--since", "2026-02-01"], GithubRefused, "its name is not owner/name"),
        (["acme/shop", "--since", "yesterday"], click.UsageError, "does not match"),
        (["acme/shop"], click.UsageError, "Missing parameter: since"),
        (["acme/none", "--since", "2026-02-01"], GithubRefused, "404"),
    ],
)
def test_a_wrong_word_is_one_line(data_dir: Path, arguments: list[str], error: type[Exception], said: str):
    done = CliRunner().invoke(sync_command, [*arguments, "--data-dir", str(data_dir)], standalone_mode=False)
    assert isinstance(done.exception, error)
    assert said in str(done.exception)


def test_without_credentials_it_says_which_would_do(data_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("GITHUB_TOKEN")
    done = run(data_dir)
    assert isinstance(done.exception, SettingsError)
    assert "GITHUB_TOKEN" in str(done.exception)
    assert not data_dir.exists()


@pytest.mark.usefixtures("lived")
@pytest.mark.parametrize("enabled", [True, False])
def test_rules_are_learned_under_the_settings_of_the_repository(data_dir: Path, enabled: bool):
    assert run(data_dir, "--no-learn").return_value == 0
    with Store.open(f"sqlite:///{data_dir / 'assay.sqlite'}") as store:
        row = store.repositories.named("acme/shop")
        assert row is not None
        begun, _ = store.runs.begin(row.id, 1, "a" * 40, "test", datetime.now(UTC))
        learning = Learning(enabled=enabled)
        settings = {"configuration": ValidationConfig(learning=learning).model_dump(mode="json", by_alias=True)}
        report = dataclasses.replace(fine(), settings=settings)
        store.runs.save_report(
            begun.id, report_as(report, "json").encode(), conclusion="success", title="", risk_level="low",
            is_hold=False, findings=(), factors=(), config_hash=None, durations_s={}, at=datetime.now(UTC),
        )  # fmt: skip
        assert run(data_dir).return_value == 0
        lasts = {rule.expires_at - rule.created_at for rule in store.rules.of(row.id) if rule.expires_at}
        assert lasts == ({timedelta(days=30)} if enabled else set())
