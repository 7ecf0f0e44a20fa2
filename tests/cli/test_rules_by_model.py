"""`rules mine` and `rules compare` with a model: one call per comment, kept answers, and what it costs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.cli.main import run
from tests.fakes.model import Fails, FakeModel, Says

WORDED = "pass the tenant to every query"


def said(kind: str, quotation: str, rule: str = "", number: int = 0) -> Says:
    return Says({"kind": kind, "number": number, "quotation": quotation, "rule": rule})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    with FakeModel() as fake:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
        yield fake


@pytest.fixture
def comments(tmp_path: Path) -> Path:
    file = tmp_path / "comments.jsonl"
    told = [
        (1, "This query needs the tenant, please."),
        (2, "Whose rows are these? Please scope the lookup to the tenant."),
        (3, "Please rename this to `total`."),
    ]
    lines = [json.dumps({"body": body, "author": "bo", "pull": pull}) for pull, body in told]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


MINED = [
    said("new_rule", "This query needs the tenant", WORDED),
    said("known_rule", "scope the lookup to the tenant", number=1),
    said("none", ""),
]


def mine(comments: Path, *options: str) -> tuple[int, list[dict[str, object]]]:
    target = comments.with_name("mined.json")
    code = run(["rules", "mine", str(comments), "--format", "json", "-o", str(target), *options])
    return code, json.loads(target.read_text())["rules"] if target.exists() else []


def test_the_model_groups_and_words_in_one_call_per_comment(server, comments, capsys):
    server.script = list(MINED)
    code, rules = mine(comments, "--model", "claude-haiku-5-5", "--at-least", "2")
    assert code == 0
    assert [(rule["text"], rule["pulls"]) for rule in rules] == [(f"Rule: {WORDED}", [1, 2])]
    assert len(server.asked) == 3
    assert f"1. {WORDED}" in server.asked[1].prompt
    assert "claude-haiku-5-5: 3 calls, 0." in capsys.readouterr().err


def test_kept_answers_are_asked_for_once(server, comments, tmp_path, capsys):
    server.script = list(MINED)
    answers = tmp_path / "answers.jsonl"
    first = mine(comments, "--model", "claude-haiku-5-5", "--answers", str(answers))
    answers.write_bytes(answers.read_bytes() + b'{"key": "half')
    assert mine(comments, "--model", "claude-haiku-5-5", "--answers", str(answers)) == first
    assert len(server.asked) == 3
    assert "0 calls, 0.00 US dollars, 3 answers reused" in capsys.readouterr().err


def test_without_an_answer_the_words_decide_and_both_outputs_say_so(server, comments, capsys):
    server.answers = lambda _: Fails(400, "no", {"x-should-retry": "false"})
    by_model = mine(comments, "--model", "claude-haiku-5-5")
    assert "assay: 3 of 3 comments were read without the model: 3 unfit" in capsys.readouterr().err
    document = json.loads(comments.with_name("mined.json").read_text())
    assert (document["num_without_model"], document["without_model"]) == (3, {"unfit": 3})
    assert by_model == mine(comments)


REASONS = [
    (Says("", stop_reason="refusal"), "refused"),
    (Says('{"kind": ', stop_reason="max_tokens"), "truncated"),
    (Says("Sure! Here is the JSON: {}"), "unfit"),
    (said("new_rule", "words that nobody wrote", WORDED), "unfit"),
    (Fails(400, "prompt is too long"), "unfit"),
    (Fails(401, "invalid x-api-key"), "rejected"),
]


@pytest.mark.parametrize(("step", "why"), REASONS)
def test_each_reason_is_counted(server, comments, step, why):
    server.script = [step]
    server.answers = lambda _: MINED[-1]
    assert mine(comments, "--model", "claude-haiku-5-5")[0] == 0
    document = json.loads(comments.with_name("mined.json").read_text())
    assert (document["num_without_model"], document["without_model"]) == (1, {why: 1})


def test_a_spent_budget_and_a_suspected_injection_are_counted(server, comments, capsys):
    injection = {"body": "Use `tenant_of`. <!-- x -->", "author": "bo", "pull": 4}
    comments.write_text(comments.read_text() + "\n" + json.dumps(injection))
    assert mine(comments, "--model", "claude-haiku-5-5", "--budget", "0")[0] == 0
    assert server.asked == []
    assert "4 of 4 comments were read without the model: 3 budget, 1 not_sent" in capsys.readouterr().err


def test_all_answers_leave_nothing_to_report(server, comments, capsys):
    server.script = list(MINED)
    assert mine(comments, "--model", "claude-haiku-5-5")[0] == 0
    assert json.loads(comments.with_name("mined.json").read_text())["num_without_model"] == 0
    assert "without the model" not in capsys.readouterr().err


def test_a_server_that_rejects_is_soon_not_asked_any_more(server, comments, capsys):
    lines = [json.dumps({"body": f"Please pass the tenant {at}.", "author": "bo", "pull": at}) for at in range(20)]
    comments.write_text("\n".join(lines), encoding="utf-8")
    server.answers = lambda _: Fails(401, "invalid x-api-key")
    assert mine(comments, "--model", "claude-haiku-5-5")[0] == 0
    assert len(server.asked) == 3
    assert "20 of 20 comments were read without the model: 20 rejected" in capsys.readouterr().err


def test_a_model_without_a_price_is_refused_because_its_budget_cannot_be_kept(server, comments, capsys):
    assert mine(comments, "--model", "claude-of-tomorrow")[0] == 2
    assert "--budget" in capsys.readouterr().err
    assert server.asked == []


def test_answers_need_a_model(comments, tmp_path):
    assert mine(comments, "--answers", str(tmp_path / "a.jsonl"))[0] == 2


def test_a_file_of_answers_that_cannot_be_written_is_told_before_anything_is_paid_for(server, comments, tmp_path):
    assert mine(comments, "--model", "claude-haiku-5-5", "--answers", str(tmp_path / "missing" / "a.jsonl"))[0] == 2
    assert server.asked == []


def test_without_a_key_one_line_says_so(comments, monkeypatch, capsys):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert mine(comments, "--model", "claude-haiku-5-5")[0] == 2
    assert "Traceback" not in capsys.readouterr().err
