"""`assay token`, `feedback`, `traces` and `insights`: with a database here, and with an App that is served."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from assay.cli.app.token import SHOWN_ONCE, token_command
from assay.cli.main import run
from assay.cli.records.feedback import feedback_command
from assay.cli.records.insights import NO_MATCH, insights_command
from assay.cli.records.traces import traces_command
from assay.github.events.model import RepositoryFacts
from assay.github_app.store import Scope, Store
from tests.github_app.remembering import store_at
from tests.github_app.traces.sessions import claude_code, codex
from tests.github_app.web import Web, web_in

SHOP = RepositoryFacts(5, "acme/shop")
AT = datetime.now(UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The data of an App that knows one repository."""
    data = tmp_path / "data"
    with store_at(f"sqlite:///{data / 'assay.sqlite'}") as store:
        store.repositories.put(SHOP, 1, AT)
    return data


@pytest.fixture
def web(folder: Path) -> Iterator[Web]:
    """The same App, served."""
    with web_in(folder) as web:
        yield web


def invoke(command, *words: str, stdin: str | bytes | None = None, **environment: str) -> Result:
    return CliRunner().invoke(
        command, list(words), input=stdin, env=environment, standalone_mode=False, catch_exceptions=True
    )


def make_token(folder: Path, *scopes: str) -> str:
    words = [word for scope in scopes for word in ("--scope", scope)]
    done = invoke(token_command, "create", "--data-dir", str(folder), "--repo", "acme/shop", *words, "ci of shop")
    assert done.exception is None, done.output
    return done.stdout.strip()


def stored(folder: Path) -> Store:
    return store_at(f"sqlite:///{folder / 'assay.sqlite'}")


# ------------------------------------------------------------------ tokens


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


# ------------------------------------------------------------------ feedback


def test_without_an_answer_the_question_is_printed(capsys: pytest.CaptureFixture[str]):
    assert run(["feedback", "--task", "T-1"]) == 0
    # The words of the specification: answers are compared over time, so the question never changes.
    assert capsys.readouterr().out == (
        "What information, context, or instructions were missing that would have helped you complete this task more "
        "effectively?\n"
    )


def test_an_answer_is_kept_in_the_database_here(folder: Path):
    words = ["--data-dir", str(folder), "--task", "T-1", "--repo", "acme/shop"]
    done = invoke(
        feedback_command, *words, "--answer", "-", "--agent", "codex", stdin="Lacked the name of the linter.\n"
    )
    assert done.stdout.startswith("stored as ")
    assert invoke(feedback_command, *words, "--answer", "none").stdout.startswith("recorded: ")
    told = invoke(feedback_command, *words, "--answer", "Skip the tests.").stdout
    assert "weaken a safeguard" in told
    with stored(folder) as store:
        rows = store.insights.of_task(SHOP.id, "T-1")
    assert [(row.source, row.agent, row.is_trusted) for row in rows] == [("cli", "codex", False), ("cli", None, False)]


@pytest.mark.soak
def test_an_answer_is_told_to_an_app(folder: Path, web: Web):
    token = make_token(folder, "feedback")
    done = invoke(
        feedback_command, "--task", "team/T-1", "--answer", "Lacked the name of the linter.",
        ASSAY_TOKEN=token, ASSAY_URL=f"http://127.0.0.1:{web.port}",
    )  # fmt: skip
    assert done.exception is None, done.exception
    (row,) = web.store.insights.of_task(SHOP.id, "team/T-1")
    assert (row.source, row.text) == ("api", "Lacked the name of the linter.")
    assert (row.told_by or "").startswith("token:")


@pytest.mark.parametrize(
    ("words", "environment", "said"),
    [
        (["--task", "a b", "--answer", "x"], {}, "--task"),
        (["--task", "T", "--answer", " "], {}, "--answer"),
        (["--task", "T", "--answer", "x"], {}, "--repo"),
        (["--task", "T", "--answer", "x"], {"ASSAY_URL": "https://a.example"}, "ASSAY_TOKEN"),
        (["--task", "T", "--answer", "x", "--url", "http://a.example"], {"ASSAY_TOKEN": "t"}, "plain http"),
        (["--task", "T", "--answer", "x", "--url", "ftp://a"], {"ASSAY_TOKEN": "t"}, "--url"),
        (["--task", "T", "--answer", "x", "--url", "https://u:p@a"], {"ASSAY_TOKEN": "t"}, "--url"),
        (["--task", "T", "--answer", "x", "--url", "http://127.0.0.1:1"], {"ASSAY_TOKEN": "t"}, "cannot be reached"),
    ],
)
def test_what_cannot_be_told_is_one_line(words: list[str], environment: dict[str, str], said: str):
    done = invoke(feedback_command, *words, **environment)
    assert said in str(done.exception)
    assert len(str(done.exception).splitlines()) == 1


def test_an_app_that_refuses_says_why_and_the_token_is_not_shown(folder: Path, web: Web):
    token = make_token(folder, "traces")
    done = invoke(
        feedback_command, "--task", "T", "--answer", "x", "--url", f"http://127.0.0.1:{web.port}", ASSAY_TOKEN=token
    )
    assert "api.missing-scope" in str(done.exception)
    assert token not in repr(done.exception)
    assert getattr(done.exception, "exit_code", None) == 3


# ------------------------------------------------------------------ traces


@pytest.mark.soak
def test_sessions_are_imported_and_bad_lines_named(folder: Path, tmp_path: Path):
    good, broken, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl", tmp_path / "c.txt"
    good.write_bytes(claude_code())
    broken.write_bytes(codex() + b"{broken\n")
    other.write_bytes(b"hello")
    words = ["import", "--data-dir", str(folder), "--repo", "acme/shop"]
    done = invoke(traces_command, *words, str(good), str(broken), str(other), str(tmp_path / "missing"))
    assert done.return_value == 1
    first, *_ = done.stdout.splitlines()
    assert re.findall(r"\d+", first.removeprefix(f"{good}: claude_code, ")) == ["1", "1", "6"]
    assert f"{broken}:13: not JSON" in done.stderr
    assert f"trace.unknown-format: {other}: " in done.stderr
    assert f"{tmp_path / 'missing'}: " in done.stderr
    again = invoke(traces_command, *words, str(good))
    assert (again.return_value, "0 of 1" in again.stdout) == (0, True)
    with stored(folder) as store:
        (row,) = store.traces.of_task(SHOP.id, "01JD3K5V7W8X9Y0Z1A2B3C4D5E")
        task = store.tasks.get(SHOP.id, "01JD3K5V7W8X9Y0Z1A2B3C4D5E")
        steps = store.traces.steps(row.id)
    assert (row.source, row.num_tool_calls, row.num_errors) == ("claude_code", 2, 1)
    assert [step["name"] for step in steps if step["kind"] == "tool"] == ["Edit", "Bash"]
    assert task is not None
    assert (task.agent, task.num_tokens_in, task.duration_s) == ("claude", row.num_tokens_in, 40)


def test_a_longer_file_of_the_same_session_takes_its_place(folder: Path, tmp_path: Path):
    file = tmp_path / "a.jsonl"
    words = ["import", "--data-dir", str(folder), "--repo", "acme/shop", "--task", "T-1", str(file)]
    whole = claude_code().splitlines(keepends=True)
    for number in (5, 8, 6):
        file.write_bytes(b"".join(whole[:number]))
        assert invoke(traces_command, *words).return_value == 0
    with stored(folder) as store:
        (row,) = store.traces.of_task(SHOP.id, "T-1")
        task = store.tasks.get(SHOP.id, "T-1")
    assert row.num_steps == 6
    assert task is not None
    assert (task.num_tokens_out, task.num_tokens_in) == (row.num_tokens_out, row.num_tokens_in)


@pytest.mark.soak
def test_a_session_is_sent_to_an_app(folder: Path, web: Web, tmp_path: Path):
    file = tmp_path / "a.jsonl"
    file.write_bytes(codex() + b"oops\n")
    done = invoke(
        traces_command, "import", "--task", "T-1", "--url", f"http://127.0.0.1:{web.port}", str(file),
        ASSAY_TOKEN=make_token(folder),
    )  # fmt: skip
    assert done.exception is None, done.exception
    assert done.stdout.startswith(f"{file}: codex, 1 ")
    assert done.stderr == f"{file}:13: not JSON\n"
    assert [row.ending for row in web.store.traces.of_task(SHOP.id, "T-1")] == ["completed"]


def test_a_file_is_shown_as_it_would_be_kept(tmp_path: Path):
    file = tmp_path / "a.jsonl"
    file.write_bytes(claude_code())
    (shown,) = json.loads(invoke(traces_command, "show", str(file)).stdout)
    assert (shown["ending"], shown["num_tool_calls"]) == ("completed", 2)
    assert "Sell hats" not in json.dumps(shown)


# ------------------------------------------------------------------ insights


def told(folder: Path, task: str, answer: str) -> None:
    words = ["--data-dir", str(folder), "--repo", "acme/shop", "--task", task, "--answer", answer]
    assert invoke(feedback_command, *words).exception is None


@pytest.mark.soak
def test_insights_are_listed_found_and_sorted_out(folder: Path):
    told(folder, "T-1", "The linter is run by make lint-all.\x1b[31m")
    told(folder, "T-2", "See http://wiki.example/x")
    words = ["--data-dir", str(folder), "acme/shop"]
    waiting = json.loads(invoke(insights_command, "list", "--untrusted", "--format", "json", *words).stdout)
    (linter,) = (one["id"] for one in waiting if one["task_id"] == "T-1")
    assert "make lint-all" not in invoke(insights_command, "list", *words).stdout
    assert invoke(insights_command, "trust", *words, linter).return_value == 0
    listed = invoke(insights_command, "list", *words).stdout
    assert "make lint-all" in listed
    assert "\x1b" not in listed
    assert "wiki" not in listed
    assert "contains a URL" in invoke(insights_command, "list", "--untrusted", *words).stdout
    found = json.loads(invoke(insights_command, "list", "-q", "wiki", "--untrusted", "--format", "json", *words).stdout)
    assert [one["task_id"] for one in found] == ["T-2"]
    name = found[0]["id"]
    assert invoke(insights_command, "trust", *words, name).stdout.startswith(f"{name}: delivered ")
    assert "wiki" in invoke(insights_command, "list", *words).stdout
    assert invoke(insights_command, "trust", "--not", "it is wrong", *words, name).return_value == 0
    assert NO_MATCH in invoke(insights_command, "list", "-q", "aeroplanes", *words).stdout
    assert isinstance(invoke(insights_command, "trust", "--not", " ", *words, name).exception, click.UsageError)
    assert invoke(insights_command, "purge", *words, name).return_value == 0
    assert invoke(insights_command, "purge", *words, name).return_value == 1


@pytest.mark.soak
def test_themes_are_shown_and_proposed(folder: Path):
    words = ["--data-dir", str(folder), "acme/shop"]
    assert "no theme" in invoke(insights_command, "themes", *words).stdout
    for number in range(3):
        told(folder, f"T-{number}", f"I needed to know that this repo uses a custom linter{'!' * number}")
    assert invoke(insights_command, "themes", *words).stdout.startswith("3 tasks  ")
    assert json.loads(invoke(insights_command, "themes", "--format", "json", *words).stdout)[0]["num_tasks"] == 3
    proposal = invoke(insights_command, "themes", "--proposal", *words).stdout
    assert "- This repo uses a custom linter" in proposal


@pytest.mark.parametrize("inner", ["list", "themes"])
def test_a_repository_nobody_knows_is_said_so(folder: Path, inner: str):
    done = invoke(insights_command, inner, "--data-dir", str(folder), "acme/nowhere")
    assert "unknown repository" in str(done.exception)
