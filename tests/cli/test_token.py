"""`assay token`: made once, listed without secrets, revoked."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assay.cli.app.token import SHOWN_ONCE, token_command
from assay.github.events.model import RepositoryFacts
from assay.github_app.store import Scope, Store
from tests.github_app.remembering import store_at

SHOP = RepositoryFacts(5, "acme/shop")
AT = datetime.now(UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The data of an App that knows one repository."""
    data = tmp_path / "data"
    with store_at(f"sqlite:///{data / 'assay.sqlite'}") as store:
        store.repositories.put(SHOP, 1, AT)
    return data


def invoke(command, *words: str) -> Result:
    return CliRunner().invoke(command, list(words), standalone_mode=False, catch_exceptions=True)


def make_token(folder: Path, *scopes: str) -> str:
    words = [word for scope in scopes for word in ("--scope", scope)]
    done = invoke(token_command, "create", "--data-dir", str(folder), "--repo", "acme/shop", *words, "ci of shop")
    assert done.exception is None, done.output
    return done.stdout.strip()


def stored(folder: Path) -> Store:
    return store_at(f"sqlite:///{folder / 'assay.sqlite'}")


def test_a_token_is_printed_once_and_alone(folder: Path):
    done = invoke(token_command, "create", "--data-dir", str(folder), "--repo", "acme/shop", "--days", "7", "ci")
    assert done.stdout.startswith("assay_")
    assert len(done.stdout.splitlines()) == 1
    assert SHOWN_ONCE in done.stderr
    with stored(folder) as store:
        (row,) = store.tokens.all()
        assert store.tokens.known(done.stdout.strip()) == row
    assert row.scopes == {Scope.tasks, Scope.feedback, Scope.traces, Scope.rules_read}
    assert (row.expires_at - row.created_at).days == 7


def test_tokens_are_listed_without_their_secrets_and_revoked_by_id(folder: Path):
    secret = make_token(folder, "metrics:read")
    listed = json.loads(invoke(token_command, "list", "--data-dir", str(folder), "--format", "json").stdout)
    assert [(one["name"], one["state"], one["scopes"]) for one in listed] == [("ci of shop", "good", ["metrics:read"])]
    assert listed[0]["repositories"] == ["acme/shop"]
    table = invoke(token_command, "list", "--data-dir", str(folder))
    assert "ci of shop" in table.stdout
    assert secret not in table.stdout + json.dumps(listed)
    gone = invoke(token_command, "revoke", "--data-dir", str(folder), listed[0]["id"], "nobody")
    assert gone.return_value == 1
    assert "'nobody'" in gone.stderr
    again = json.loads(invoke(token_command, "list", "--data-dir", str(folder), "--format", "json").stdout)
    assert again[0]["state"] == "revoked"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--repo", "acme/nowhere", "x"], "unknown repository"),
        (["--repo", "acme/shop", "--days", "5000", "x"], "1<=x<=366"),
        (["--repo", "acme/shop", "--scope", "everything", "x"], "'everything' is not one of"),
        (["--repo", "acme/shop", "two\nlines"], "NAME"),
        (["x"], "Missing parameter: repositories"),
    ],
)
def test_a_token_of_nothing_is_not_made(folder: Path, words: list[str], said: str):
    done = invoke(token_command, "create", "--data-dir", str(folder), *words)
    assert said in str(done.exception)
    with stored(folder) as store:
        assert store.tokens.all() == ()
