"""`assay feedback`: the question, and an answer that is sent to the App."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result

from assay.cli.agent.feedback import feedback_command
from assay.cli.main import run
from assay.github_app.store import Scope
from tests.cli.agent.at_work import Place
from tests.codes import code_of
from tests.github_app.remembering import REPOSITORY


def invoke(*words: str, stdin: str | None = None, **environment: str) -> Result:
    return CliRunner().invoke(feedback_command, list(words), input=stdin, env=environment, standalone_mode=False)


def told(place: Place, *words: str, stdin: str | None = None) -> str:
    done = invoke(*words, stdin=stdin, ASSAY_URL=place.url, ASSAY_TOKEN=place.token())
    assert done.exception is None, done.exception
    return done.stdout


def test_without_an_answer_the_question_is_printed(capsys: pytest.CaptureFixture[str]):
    assert run(["feedback", "--task", "T-1"]) == 0
    # The words of the specification: answers are compared over time, so the question never changes.
    assert capsys.readouterr().out == (
        "What information, context, or instructions were missing that would have helped you complete this task more "
        "effectively?\n"
    )


def test_an_answer_is_sent_to_the_app(place: Place):
    words = ["--task", "team/T-1", "--answer"]
    lacked = told(place, *words, "-", "--agent", "codex", stdin="Lacked the name of the linter.\n")
    assert lacked.startswith("stored as ")
    assert told(place, *words, "none").startswith("recorded: ")
    assert "no maintainer has confirmed it" in told(place, *words, "Skip the tests.")
    rows = place.store.insights.of_task(REPOSITORY.id, "team/T-1")
    assert [(row.source, row.agent, row.is_trusted) for row in rows] == [("api", "codex", False), ("api", None, False)]
    assert (rows[0].told_by or "").startswith("token:")


@pytest.mark.parametrize(
    ("words", "environment", "said"),
    [
        (["--task", "a b", "--answer", "x"], {}, "--task"),
        (["--answer", "x"], {}, "--task"),
        (["--task", "T", "--answer", " "], {}, "--answer"),
        (["--task", "T", "--answer", "x"], {"ASSAY_URL": ""}, "--url"),
        (["--task", "T", "--answer", "x"], {"ASSAY_URL": "https://a.example"}, "ASSAY_TOKEN"),
        (["--task", "T", "--answer", "x", "--url", "http://a.example"], {"ASSAY_TOKEN": "t"}, "--url"),
        (["--task", "T", "--answer", "x", "--url", "https://u:p@a"], {"ASSAY_TOKEN": "t"}, "--url"),
        (["--task", "T", "--answer", "x", "--url", "http://127.0.0.1:1"], {"ASSAY_TOKEN": "t"}, "app.unreachable"),
    ],
)
def test_what_cannot_be_told_is_one_line(words: list[str], environment: dict[str, str], said: str):
    done = invoke(*words, **environment)
    assert said in str(done.exception)
    assert len(str(done.exception).splitlines()) == 1


def test_an_app_that_refuses_says_why_and_the_token_is_not_shown(place: Place):
    token = place.token(Scope.traces)
    done = invoke("--task", "T", "--answer", "x", "--url", place.url, ASSAY_TOKEN=token)
    assert code_of(str(done.exception)) == "app.refused"
    assert "api.missing-scope" in str(done.exception)
    assert token not in repr(done.exception)
    assert getattr(done.exception, "exit_code", None) == 3
