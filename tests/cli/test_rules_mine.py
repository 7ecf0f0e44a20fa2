"""`assay rules mine`: of a file and of a repository on GitHub, as a table and as JSON, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from cmarkgfm import github_flavored_markdown_to_html

from assay.cli.main import run as assay
from assay.cli.rules.mine import mine_command
from assay.cli.rules.style_guide import style_guide
from assay.github_app.learning.extract.mining import NO_RULE, OF_AUTHOR, Candidate
from assay.github_app.learning.extract.past_comments import PastComment
from assay.github_app.learning.rules.exchanging import import_rules
from assay.github_app.rule_matching import stated
from assay.github_app.store import RuleState
from tests.fakes.github import FakeGitHub
from tests.github_app.remembering import store_at
from tests.repositories import RealRepository

TIMEOUT = "Please include a regression test for this crash."


def line(pull: int, body: str = TIMEOUT, author: str = "ada", **more: Any) -> dict[str, Any]:
    return {"body": body, "author": author, "pull": pull, "created_at": f"2026-01-0{pull}T00:00:00Z"} | more


def past(folder: Path, *lines: dict[str, Any]) -> str:
    file = folder / "past.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return str(file)


def run(*arguments: str, environment: dict[str, str] | None = None) -> Result:
    given = {"COLUMNS": "180"} | (environment or {})
    return CliRunner().invoke(mine_command, arguments, env=given, standalone_mode=False)


def document(*arguments: str, environment: dict[str, str] | None = None) -> dict[str, Any]:
    done = run(*arguments, "--format", "json", environment=environment)
    assert done.exception is None, done.exception
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_file_as_a_table(tmp_path: Path):
    done = run(
        past(tmp_path, line(1), line(3, "could you include a regression test for this?", "bo"), line(2, "Thanks!"))
    )
    assert done.exception is None, done.exception
    for told in ("3 comments read; 1 no rule in it", "regression", "ada, bo", "2026-01-03", "#1", "#3"):
        assert told in done.stdout, done.stdout


def test_a_file_as_a_style_guide_has_each_rule_with_its_examples(tmp_path: Path):
    url = "https://github.com/acme/shop/pull/1#discussion_r1"
    asked = "Include a regression test for the crash."
    lines = [
        line(1, f"Please {asked.lower()}", url=url, path="app.rs"),
        line(2, asked, "bo", path="app.rs"),
        line(3, "Thanks!"),
    ]
    done = run(past(tmp_path, *lines), "--format", "markdown")
    assert done.exception is None, done.exception
    assert "## Add a regression test with each bug fix.\n\nAsked for on 2 pull requests, by 2" in done.stdout
    assert "Applies to `*.rs`.\n" in done.stdout
    assert f"- #2 on `app.rs`: {asked}\n- [#1]({url}) on `app.rs`: Please {asked.lower()}\n" in done.stdout
    assert done.stdout.count("## ") == 1


def test_no_comment_is_more_than_text_in_a_style_guide():
    body = "<b onclick=x>Use</b> [y](https://b.example)\n# because <i>it hangs</i> <!--"
    comment = PastComment(
        body=body, author="ada", pull=1, path="a`b|<i>.rs", url="https://a.example/)![x](https://b.c/p"
    )
    guide = style_guide([Candidate(replace(stated(body), text=body), (comment,), body, (comment,))])
    html = github_flavored_markdown_to_html(guide)
    assert [html.count(tag) for tag in ("<h1>", "<h2>", "<li>", "<a href=")] == [1, 1, 2, 2]
    assert not any(tag in html for tag in ("<img", "<i>", "<b", "<!--"))


def test_nothing_is_drawn_where_nobody_looks(tmp_path: Path):
    assert run(past(tmp_path, line(1), line(2))).stderr == ""


def test_a_file_as_json_with_every_comment(tmp_path: Path):
    url = "https://github.com/acme/shop/pull/1#discussion_r1"
    told = document(past(tmp_path, line(1, url=url, path="app.py"), line(2)))
    (candidate,) = told["rules"]
    assert (told["num_comments"], told["left_out"]) == (2, {})
    assert (candidate["pulls"], candidate["reviewers"], candidate["num_comments"]) == ([1, 2], ["ada"], 2)
    assert (candidate["first_at"], candidate["last_at"]) == ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")
    assert candidate["comments"][0] == {
        "url": url,
        "author": "ada",
        "pull": 1,
        "path": "app.py",
        "created_at": "2026-01-01T00:00:00Z",
        "body": TIMEOUT,
    }


def test_the_app_takes_what_was_mined_as_rules_that_wait(tmp_path: Path):
    file = past(tmp_path, line(1, TIMEOUT + " \u202e"), line(2, TIMEOUT + "\n\n\x07"))
    found = json.dumps(document(file)).encode()
    with store_at(f"sqlite:///{tmp_path / 'assay.sqlite'}") as store:
        (rule_id,) = import_rules(store, 11, found, datetime(2026, 2, 1, tzinfo=UTC), by="olivia").new
        row = store.rules.get(11, rule_id)
    assert row is not None
    assert (row.state, "regression" in row.text.lower()) == (RuleState.pending, True)


def test_what_was_said_on_too_few_pull_requests_is_left_out(tmp_path: Path):
    file = past(tmp_path, line(1), line(2))
    assert document(file, "--at-least", "3")["rules"] == []
    assert "on 3 or more pull requests" in run(file, "--at-least", "3").stdout
    assert document(file, "--since", "2026-01-02", "--at-least", "1")["num_comments"] == 1


def test_words_of_strangers_bring_no_markup_and_no_escape_sequences_to_the_terminal(tmp_path: Path):
    body = "Please add a `[red]timeout[/red]` \x1b[31mto this request"
    done = run(past(tmp_path, line(1, body, "\x1b]0;x"), line(2, body, "\x1b]0;x")))
    assert done.exception is None, done.exception
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("broken", "told"),
    [("{", "line 2: it is not JSON"), ('{"author": "ada", "pull": 1}', "line 2: body")],
    ids=["no JSON", "no body"],
)
def test_a_bad_line_ends_it_with_its_number(tmp_path: Path, capsys: pytest.CaptureFixture[str], broken: str, told: str):
    file = tmp_path / "past.jsonl"
    file.write_text(json.dumps(line(1)) + "\n" + broken + "\n")
    assert assay(["rules", "mine", str(file)]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.jsonl"], "neither a file nor OWNER/REPO"),
        (["acme/../shop"], "neither a file nor OWNER/REPO"),
        (["acme/shop"], "set GITHUB_TOKEN"),
        (["acme/shop", "-o", "there.json"], "-o needs --format json"),
    ],
    ids=["no file", "no name", "no token", "a table in a file"],
)
def test_what_cannot_be_is_told_in_a_line(capsys: pytest.CaptureFixture[str], arguments: list[str], told: str):
    assert assay(["rules", "mine", *arguments]) == 2
    assert told in capsys.readouterr().err


def test_a_repository_on_github_is_read(github: FakeGitHub, repository: RealRepository):
    shop = _reviewed(github, repository)
    token = github.job_token({"pull-requests": "read"})
    told = document(shop, environment={"GITHUB_TOKEN": token, "GITHUB_API_URL": github.url})
    (candidate,) = told["rules"]
    assert (candidate["num_pulls"], candidate["reviewers"]) == (2, ["bea"])
    assert told["left_out"] == {OF_AUTHOR: 1, NO_RULE: 1}
    assert all(comment["url"].startswith("http") for comment in candidate["comments"])


def test_a_token_that_may_not_read_is_told_and_never_shown(
    github: FakeGitHub, repository: RealRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    shop, token = _reviewed(github, repository), github.job_token({"contents": "read"})
    monkeypatch.setenv("GITHUB_TOKEN", token)
    monkeypatch.setenv("GITHUB_API_URL", github.url)
    assert assay(["rules", "mine", shop]) == 3
    told = capsys.readouterr().err
    assert "github.missing-permission" in told
    assert token not in told


def _reviewed(github: FakeGitHub, repository: RealRepository) -> str:
    """Two pull requests of ada's; bea asks for the same on both, ada says it of her own work, somebody is content."""
    github.create_repository("shop")
    repository.commit("Start", {"app.py": "x = 1\n"})
    github.push(repository, "main")
    github.person("bea", role="write")
    notes = [
        [("bea", TIMEOUT)],
        [("bea", "Could you include a regression test for this?"), ("ada", TIMEOUT), ("bea", "Nice!")],
    ]
    for number, said in enumerate(notes):
        repository.branch(f"change-{number}", "main")
        repository.commit("Change", {"app.py": f"x = {number + 2}\n"})
        github.push(repository, f"change-{number}")
        pull = github.open_pull(f"change-{number}", by="ada")
        for login, body in said:
            github.review(pull, notes=[{"path": "app.py", "line": 1, "body": body}], by=login)
    return "acme/shop"
