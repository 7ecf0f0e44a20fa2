"""Starting the App by hand: what is wrong is one line, and what is right says where to go."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.app.command import create_command
from assay.cli.app.serve import greeting, serve_command, worker_command
from assay.cli.main import run
from assay.github.errors import SettingsError
from assay.github_app.ops.settings import read_settings
from assay.github_app.web.dashboard import LoginLinks


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("ASSAY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path))


def test_the_greeting_leads_to_the_pages(tmp_path: Path):
    (tmp_path / "app.webhook-secret").write_text("a secret of some length")
    said = greeting(read_settings(port=8099))
    assert "http://127.0.0.1:8099/webhooks/github" in said
    token = said.split("token=")[1]
    assert LoginLinks("a secret of some length").accepts(token)
    assert "a secret of some length" not in said


@pytest.mark.parametrize("command", [serve_command, worker_command], ids=lambda command: command.name)
def test_without_an_app_it_says_how_to_make_one(command):
    done = CliRunner().invoke(command, [], standalone_mode=False)
    assert isinstance(done.exception, SettingsError)
    assert "assay app create" in str(done.exception)


def test_an_app_is_made_where_the_others_look_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "app.private-key.pem").touch()
    done = CliRunner().invoke(create_command, ["--no-browser", "--timeout", "1"], standalone_mode=False)
    assert isinstance(done.exception, SettingsError)
    assert done.exception.code == "settings.already-registered"
    assert not (tmp_path / "assay-data").exists()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["serve"], ("ASSAY_APP_ID", "ASSAY_PRIVATE_KEY", "ASSAY_WEBHOOK_SECRET")),
        (["serve", "--no-worker"], ("ASSAY_APP_ID", "ASSAY_PRIVATE_KEY", "ASSAY_WEBHOOK_SECRET")),
        (["worker"], ("ASSAY_APP_ID", "ASSAY_PRIVATE_KEY")),
    ],
)
def test_all_that_is_missing_is_named_at_once_and_nothing_is_made(
    words: list[str], named: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert run(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    every = ("ASSAY_APP_ID", "ASSAY_PRIVATE_KEY", "ASSAY_WEBHOOK_SECRET")
    assert tuple(name for name in every if f"{name} is not set" in line) == named
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [["serve", "--port", "70000"], ["serve", "--what"], ["worker", "x"]])
def test_wrong_words_are_a_matter_of_usage(words: list[str], capsys: pytest.CaptureFixture[str]):
    assert run(words) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
