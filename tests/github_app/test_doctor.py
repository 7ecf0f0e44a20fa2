"""The doctor finds what keeps the App from working, and says how to fix it."""

from __future__ import annotations

import os
import re
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest

from assay.github.client import DeliveryFacts
from assay.github.errors import SettingsError
from assay.github_app.ops import doctor
from assay.github_app.ops.doctor import Line, State, examine
from assay.github_app.ops.permissions import EVENTS, PERMISSIONS
from assay.github_app.ops.settings import LocalRuns, Settings, read_settings
from assay.github_app.store import Store
from assay.github_app.store.database import sqlite_release
from assay.validators import InstalledTool
from tests.conftest import ROOT


@pytest.fixture
def settings(github, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """An App that is registered at the emulator, with everything in its place."""
    for name in [name for name in os.environ if name.startswith("ASSAY_")]:
        monkeypatch.delenv(name)
    for name, text in (("app.private-key.pem", github.private_key), ("app.webhook-secret", "x" * 32)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o600)
    return read_settings(
        app_id=github.app_id, github_api_url=github.url, data_dir=tmp_path, public_url="https://assay.example.com"
    )


@pytest.fixture(autouse=True)
def few_programs(monkeypatch: pytest.MonkeyPatch):
    """The programs have tests of their own, which take their time."""
    monkeypatch.setattr(doctor, "installed", tuple)


def found(settings: Settings, about: str) -> list[Line]:
    return [line for line in examine(settings) if line.about == about]


def states(settings: Settings) -> dict[str, State]:
    return {line.about: line.state for line in examine(settings)}


def test_an_app_that_is_right_is_told_so(settings: Settings):
    seen = states(settings)
    for about in ("webhook secret", "disk", "database", "jobs database", "credentials", "clock"):
        assert seen[about] is State.fine, (about, found(settings, about))


def test_whether_people_can_sign_in_is_told(settings: Settings):
    (line,) = found(settings, "signing in")
    assert (line.state, "ASSAY_CLIENT_SECRET" in (line.fix or "")) == (State.fine, True)
    (settings.data_dir / "app.client-secret").write_text("a secret\n")
    can = settings.model_copy(update={"client_id": "Iv1"})
    (line,) = found(can, "signing in")
    assert "https://assay.example.com/sign-in/callback" in line.what
    (line,) = found(can.model_copy(update={"public_url": None}), "signing in")
    assert line.state is State.doubtful


def test_a_missing_key_is_told_with_the_command_that_makes_one(settings: Settings):
    (settings.data_dir / "app.private-key.pem").unlink()
    (line,) = found(settings, "secrets")
    assert line.state is State.broken
    assert "assay app create" in line.what


def test_a_key_of_another_app_is_refused_by_github(settings: Settings):
    wrong = settings.model_copy(update={"app_id": 999999})
    (line,) = found(wrong, "GitHub")
    assert line.state is State.broken
    assert "40" in line.what
    assert "app id and private key" in (line.fix or "")


def test_a_key_that_everybody_may_read_is_doubtful(settings: Settings):
    (settings.data_dir / "app.private-key.pem").chmod(0o644)
    (line,) = found(settings, "secrets")
    assert line.state is State.doubtful
    assert line.fix == f"chmod 600 {settings.data_dir / 'app.private-key.pem'}"


def test_a_database_that_does_not_answer_is_broken(settings: Settings):
    away = settings.model_copy(update={"database_url": _secret("postgresql+psycopg://a:hush@127.0.0.1:1/assay")})
    lines = [*found(away, "database"), *found(away, "jobs database")]
    assert [line.state for line in lines] == [State.broken, State.broken]
    assert "hush" not in repr(lines)
    assert lines[0].what == "PostgreSQL does not answer at postgresql+psycopg://a:***@127.0.0.1:1/assay"


@pytest.mark.soak
def test_a_github_that_is_away_is_one_line(settings: Settings):
    away = settings.model_copy(update={"github_api_url": "http://127.0.0.1:1"})
    (line,) = found(away, "GitHub")
    assert line.state is State.broken


def test_without_a_trusted_workflow_the_line_that_trusts_assays_own_is_told(settings: Settings):
    (line,) = found(settings, "posted results")
    assert line.state is State.fine
    example = (line.fix or "").partition("ASSAY_TRUSTED_WORKFLOWS='")[2].rstrip("'")
    trusting = Settings.model_validate({**settings.model_dump(), "trusted_workflows": example})
    (line,) = found(trusting, "posted results")
    assert line.state is State.fine
    assert "validate.yml@refs/tags/v1, " in line.what
    assert line.what.endswith("their `app-url` must be https://assay.example.com")


def test_trusted_workflows_without_an_audience_are_broken(settings: Settings):
    trusted = ("acme/assay/.github/workflows/validate.yml@refs/tags/v1",)
    (line,) = found(settings.model_copy(update={"trusted_workflows": trusted, "public_url": None}), "posted results")
    assert line.state is State.broken
    assert "ASSAY_PUBLIC_URL" in (line.fix or "")


@pytest.mark.parametrize(
    ("given", "state", "said"),
    [
        ({**PERMISSIONS, "contents": "write"}, State.fine, "what it needs"),
        ({**PERMISSIONS, "checks": "read"}, State.broken, "lacking checks: write"),
        ({}, State.broken, "contents: read"),
        (None, State.broken, "contents: read"),
        ({**PERMISSIONS, "contents": "write", "administration": "write"}, State.doubtful, "administration: write"),
    ],
)
def test_permissions_are_compared_both_ways(settings: Settings, given: object, state: State, said: str):
    (line,) = doctor._permissions(given, settings, "the App asks for")
    assert (line.state, said in line.what) == (state, True)


def test_an_app_that_may_not_propose_rules_works_and_is_told_so(settings: Settings):
    note, line = doctor._permissions(dict(PERMISSIONS), settings, "the App asks for")
    assert (note.about, note.state, line.state) == ("instruction files", State.doubtful, State.fine)
    assert "ASSAY_INSTRUCTION_FILES=false" in (note.fix or "")
    without = settings.model_copy(update={"instruction_files": False})
    (line,) = doctor._permissions(dict(PERMISSIONS), without, "the App asks for")
    assert line.state is State.fine
    (line,) = doctor._permissions({**PERMISSIONS, "contents": "write"}, without, "the App asks for")
    assert (line.state, "contents: write" in line.what) == (State.doubtful, True)


def test_events_that_are_not_subscribed_to_are_named():
    (line,) = doctor._events([name for name in EVENTS if name != "merge_group"])
    assert line.state is State.broken
    assert "merge_group" in line.what
    assert [line.state for line in doctor._events(list(EVENTS))] == [State.fine]


@pytest.mark.parametrize(
    ("date", "state"),
    [
        ("Sat, 01 Jan 2000 00:00:00 GMT", State.broken),
        ("tomorrow", State.not_checked),
        ("", State.not_checked),
    ],
)
def test_a_clock_that_is_wrong_is_told(date: str, state: State):
    assert doctor._clock(date).state is state


def _secret(text: str):
    from pydantic import SecretStr

    return SecretStr(text)


@pytest.mark.parametrize(
    ("version", "state"),
    [
        ((3, 10, 13), State.broken),
        ((3, 11, 0), State.fine),
        ((3, 13, 9), State.fine),
        ((3, 14, 0), State.doubtful),
    ],
)
def test_the_interpreter_is_one_of_those_that_are_tested(version: tuple[int, int, int], state: State):
    assert doctor.interpreter(version).state is state


def test_the_tested_interpreters_are_those_the_package_names():
    package = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [
        tuple(int(number) for number in match[1].split("."))
        for one in package["classifiers"]
        if (match := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", one))
    ]
    assert (min(named), max(named)) == (doctor.OLDEST_PYTHON, doctor.NEWEST_PYTHON)
    assert package["requires-python"] == ">={}.{}".format(*doctor.OLDEST_PYTHON)


def test_a_sqlite_that_is_too_old_is_refused(settings: Settings, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sqlite_release.sqlite_problem, "__defaults__", ((3, 39, 4),))
    for about in ("database", "jobs database"):
        (line,) = found(settings, about)
        assert (line.state, "3.39.4" in line.what) == (State.broken, True)
    with pytest.raises(SettingsError, match=r"3\.39\.4"):
        Store.open(settings.store_url(), migrate=True)


@pytest.mark.parametrize(("local_runs", "state"), [("off", State.fine), ("sandboxed", State.broken)])
def test_a_sandbox_that_does_not_open_is_broken_only_if_local_runs_need_it(
    settings: Settings, local_runs: str, state: State, monkeypatch: pytest.MonkeyPatch
):
    closed = InstalledTool("bwrap", "0.12.0", "is the sandbox of local runs", "bubblewrap does not work here")
    monkeypatch.setattr(doctor, "installed", lambda: (closed,))
    (line,) = found(settings.model_copy(update={"local_runs": LocalRuns(local_runs)}), "bwrap")
    assert (line.state, "docs/app/operating.md" in (line.fix or "")) == (state, state is State.broken)


@pytest.mark.parametrize(
    ("statuses", "state", "said"),
    [
        ({"a": [202], "b": [503, 202]}, State.fine, "all 2 since 26 Nov 08:00 UTC arrived"),
        ({"a": [202], "b": [503, 0]}, State.doubtful, "1 of 2 since 26 Nov 08:00 UTC did not arrive (503, no answer)"),
        ({}, State.doubtful, "none in the last day"),
    ],
)
def test_deliveries_are_lost_only_if_no_attempt_arrived(statuses: dict[str, list[int]], state: State, said: str):
    at = datetime(2026, 11, 26, 8, 0, tzinfo=UTC)
    attempts = [
        DeliveryFacts(id=number, guid=guid, delivered_at=at + timedelta(minutes=number), status_code=code, event="push")
        for guid, codes in statuses.items()
        for number, code in enumerate(codes)
    ]
    github = Mock()
    github.deliveries.return_value = iter(attempts)
    (line,) = doctor._deliveries(github)
    assert (line.state, line.what) == (state, said)
