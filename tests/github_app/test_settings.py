"""The operator's settings: where they come from, what is refused, what is never shown."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from assay.github.errors import SettingsError
from assay.github_app.ops.settings import Settings, read_settings
from tests.conftest import ROOT

PAGE = (ROOT / "docs/app/settings.md").read_text("utf-8")


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An environment without settings, and a data directory of its own."""
    for name in [name for name in os.environ if name.startswith("ASSAY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_is_documented_with_its_default(name: str):
    field = Settings.model_fields[name]
    default = "" if field.default in (None, ()) else f"`{field.default}`"
    assert f"| `ASSAY_{name.upper()}` | {default} | {field.description} |" in PAGE


def test_the_page_names_no_setting_that_is_gone():
    named = set(re.findall(r"^\| `ASSAY_([A-Z_]+)`", PAGE, re.MULTILINE))
    assert {name.lower() for name in named} == set(Settings.model_fields)


def test_the_environment_wins_over_the_file(nothing_set: Path, monkeypatch: pytest.MonkeyPatch):
    (nothing_set / "assay.toml").write_text("app_id = 3\nport = 9000\n")
    monkeypatch.setenv("ASSAY_PORT", "9001")
    settings = read_settings()
    assert (settings.app_id, settings.port) == (3, 9001)


def test_the_file_is_looked_for_in_the_data_directory_that_was_given(nothing_set: Path, tmp_path: Path):
    (nothing_set / "assay.toml").write_text("app_id = 3\n")
    other = tmp_path / "other"
    other.mkdir()
    assert read_settings(data_dir=other).app_id is None
    (other / "assay.toml").write_text("app_id = 4\n")
    assert read_settings(data_dir=other).app_id == 4


def test_trusted_workflows_are_a_list_in_the_file_and_words_in_the_environment(
    nothing_set: Path, monkeypatch: pytest.MonkeyPatch
):
    one, other = "octo/ci/.github/workflows/assay.yml@refs/heads/main", "octo/x/.github/workflows/a.yaml@refs/tags/v1"
    (nothing_set / "assay.toml").write_text(f'trusted_workflows = ["{one}"]\n')
    assert read_settings().trusted_workflows == (one,)
    monkeypatch.setenv("ASSAY_TRUSTED_WORKFLOWS", f"{one} {other}")
    assert read_settings().trusted_workflows == (one, other)


def test_what_is_given_wins_over_all(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ASSAY_PORT", "9001")
    assert read_settings(port=9002).port == 9002


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("ASSAY_PORT", "many", "ASSAY_PORT"),
        ("ASSAY_PORT", "70000", "ASSAY_PORT"),
        ("ASSAY_LOCAL_RUNS", "yes", "ASSAY_LOCAL_RUNS"),
        ("ASSAY_GITHUB_API_URL", "ftp://github.com", "ASSAY_GITHUB_API_URL: must be an http"),
        ("ASSAY_PUBLIC_URL", "https://u:p@assay.example.com", "ASSAY_PUBLIC_URL: must be an http"),
        ("ASSAY_LOG_LEVEL", "loud", "ASSAY_LOG_LEVEL"),
        ("ASSAY_APPID", "7", "unknown variable ASSAY_APPID; did you mean ASSAY_APP_ID"),
        ("ASSAY_TRUSTED_WORKFLOWS", "octo/x", "ASSAY_TRUSTED_WORKFLOWS: 'octo/x' is not of the form"),
        ("ASSAY_TRUSTED_WORKFLOWS", "o/x/.github/workflows/a.yml@main", "REF is refs/tags/"),
        ("ASSAY_SETTINGS_FILE", "/nowhere/at/all.toml", "/nowhere/at/all.toml"),
    ],
)
def test_a_wrong_value_is_one_line_that_names_it(name: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=re.escape(said)) as caught:
        read_settings()
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("text", ["ap_id = 3\n", "app_id = \n", "app_id = 'x'\n", "\x00"])
def test_a_wrong_file_is_one_line_too(text: str, nothing_set: Path):
    (nothing_set / "assay.toml").write_text(text)
    with pytest.raises(SettingsError) as caught:
        read_settings()
    assert "\n" not in str(caught.value)


def test_a_variable_of_another_command_is_not_a_misspelt_one(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ASSAY_DATASETS_URL", "https://example.com/datasets.json")
    assert read_settings().port == 8080


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("prot", "unknown key prot in the settings file; did you mean port?"),
        ("ASSAY_PORT", "unknown key ASSAY_PORT in the settings file; did you mean port?"),
        ("zzz", "unknown key zzz in the settings file"),
    ],
)
def test_an_unknown_key_of_the_file_is_named_as_written(key: str, said: str, nothing_set: Path):
    (nothing_set / "assay.toml").write_text(f"{key} = 3\n")
    with pytest.raises(SettingsError, match=f"{re.escape(said)}$"):
        read_settings()


def test_secrets_come_from_their_variable_a_file_or_the_data_directory(
    nothing_set: Path, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(SettingsError, match=r"settings\.missing: ASSAY_WEBHOOK_SECRET"):
        read_settings().secret()
    (nothing_set / "app.webhook-secret").write_text("from the data directory\n")
    assert read_settings().secret() == "from the data directory"
    (nothing_set / "other").write_text("from a file\n")
    monkeypatch.setenv("ASSAY_WEBHOOK_SECRET_FILE", str(nothing_set / "other"))
    assert read_settings().secret() == "from a file"
    monkeypatch.setenv("ASSAY_WEBHOOK_SECRET", "from the variable")
    with pytest.raises(SettingsError, match="both set"):
        read_settings()
    monkeypatch.delenv("ASSAY_WEBHOOK_SECRET_FILE")
    assert read_settings().secret() == "from the variable"


def test_a_secret_that_others_may_write_is_refused(nothing_set: Path):
    secret = nothing_set / "app.webhook-secret"
    secret.write_text("x")
    secret.chmod(0o666)
    with pytest.raises(SettingsError, match="chmod 600"):
        read_settings().secret()


def test_no_secret_is_shown(monkeypatch: pytest.MonkeyPatch):
    for name in ("PRIVATE_KEY", "WEBHOOK_SECRET", "CLIENT_SECRET", "DATABASE_URL", "ALERT_URLS"):
        monkeypatch.setenv(f"ASSAY_{name}", "hush-hush")
    settings = read_settings()
    assert "hush" not in f"{settings!r} {settings} {settings.model_dump()}"
    monkeypatch.setenv("ASSAY_ALERT_URLS", "hush-hush")
    monkeypatch.setenv("ASSAY_PORT", "x")
    with pytest.raises(SettingsError) as caught:
        read_settings()
    assert "hush" not in str(caught.value)


def test_jobs_live_beside_the_tables_on_postgresql_and_apart_on_sqlite(
    nothing_set: Path, monkeypatch: pytest.MonkeyPatch
):
    settings = read_settings()
    assert settings.store_url() == f"sqlite:///{nothing_set}/assay.sqlite"
    assert settings.jobs_url() == f"sqlite:///{nothing_set}/jobs.sqlite"
    monkeypatch.setenv("ASSAY_DATABASE_URL", "postgresql+psycopg://assay@db/assay")
    assert read_settings().jobs_url() == read_settings().store_url() == "postgresql+psycopg://assay@db/assay"
