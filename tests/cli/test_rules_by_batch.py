"""`rules mine --batch`: two batches at half the price, which a second run collects instead of sending again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.cli.main import run
from assay.llm import batches
from tests.fakes.model import Asked, Ends, Fails, FakeModel, Says, Step
from tests.fakes.model_batches import Fault

TENANT = "pass the tenant to every query"
BODIES = {
    "This query needs the tenant, please.": ("This query needs the tenant", TENANT),
    "Whose rows are these? Please scope the lookup to the tenant.": (
        "scope the lookup to the tenant",
        "scope every lookup by its owner",
    ),
    "Please always wrap errors with `fmt.Errorf`.": ("wrap errors with `fmt.Errorf`", "wrap errors with `fmt.Errorf`"),
    "Please wrap errors with `fmt.Errorf` always.": ("wrap errors with `fmt.Errorf`", "wrap errors with `fmt.Errorf`"),
    "Never pass the tenant to a query.": ("Never pass the tenant", "pass no tenant to a query"),
}
ONE_OFF = "Please rename this to `total`."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    monkeypatch.setattr(batches, "POLL_S", 0.0)
    with FakeModel() as fake:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
        fake.answers = answer
        yield fake


@pytest.fixture
def comments(tmp_path: Path) -> Path:
    file = tmp_path / "comments.jsonl"
    lines = [json.dumps({"body": body, "author": "bo", "pull": at}) for at, body in enumerate([*BODIES, ONE_OFF], 1)]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def answer(asked: Asked) -> Step:
    """A model that words each comment, and knows which rules are the same and which contrary."""
    body = next((one for one in BODIES if one in asked.prompt), None)
    told: dict[str, Any] = {"kind": "none", "number": 0, "quotation": "", "rule": ""}
    if body is None:
        return Says(told)
    quotation, rule = BODIES[body]
    told |= {"kind": "new_rule", "quotation": quotation, "rule": rule}
    known = {
        line.partition(". ")[2]: int(line.partition(".")[0]) for line in asked.prompt.splitlines() if ". " in line[:4]
    }
    if TENANT in known and rule.startswith("scope"):
        told |= {"kind": "known_rule", "number": known[TENANT], "rule": ""}
    if TENANT in known and rule.startswith("pass no"):
        told |= {"kind": "contrary", "number": known[TENANT]}
    return Says(told)


def mine(comments: Path, *options: str) -> int:
    target = str(comments.with_name("mined.json"))
    batch = ("--model", "claude-haiku-5-5", "--batch", "--answers", str(comments.with_name("answers.jsonl")))
    return run(["rules", "mine", str(comments), "--at-least", "1", "--format", "json", "-o", target, *batch, *options])


def mined(comments: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(comments.with_name("mined.json").read_text())
    return document


def rules(comments: Path) -> dict[str, list[int]]:
    return {one["text"].removeprefix("Rule: "): one["pulls"] for one in mined(comments)["rules"]}


GROUPED = {TENANT: [1, 2], "wrap errors with `fmt.Errorf`": [3, 4], "pass no tenant to a query": [5]}


def test_two_batches_group_and_word(server, comments, capsys):
    assert mine(comments) == 0
    assert rules(comments) == GROUPED
    assert mined(comments)["left_out"] == {"no rule in it": 1}
    (tenant,) = [one for one in mined(comments)["rules"] if TENANT in one["text"]]
    assert [one["pull"] for one in tenant["contrary"]] == [5]
    # All six comments, then the first of each later group with those before it.
    assert [len(one.results) for one in server.batches.all.values()] == [6, 3]
    err = capsys.readouterr().err
    assert "batch msgbatch_1: 6 requests sent" in err
    assert "claude-haiku-5-5: 9 calls, 0.00 US dollars, 0 answers reused" in err


def test_a_second_run_sends_nothing(server, comments, capsys):
    mine(comments)
    first = mined(comments)
    assert mine(comments) == 0
    assert mined(comments) == first
    assert len(server.batches.all) == 2
    assert "0 calls, 0.00 US dollars, 9 answers reused" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["retrieve", "results"])
def test_a_run_that_was_cut_is_continued(server, comments, monkeypatch, capsys, kind):
    server.batches.faults[kind] = [Fault(Fails(404, "gone"))]
    assert mine(comments) == 3
    assert "run again with --answers" in capsys.readouterr().err
    assert not comments.with_name("mined.json").exists()
    assert mine(comments) == 0
    assert rules(comments) == GROUPED
    assert [len(one.results) for one in server.batches.all.values()] == [6, 3]


def test_what_has_no_answer_is_counted_and_asked_again(server, comments, capsys):
    server.answers = lambda asked: Ends("expired") if ONE_OFF in asked.prompt else answer(asked)
    assert mine(comments) == 0
    assert mined(comments)["without_model"] == {"expired": 1}
    assert "1 of 6 comments were read without the model: 1 expired" in capsys.readouterr().err
    server.answers = answer
    assert mine(comments) == 0
    assert mined(comments)["num_without_model"] == 0
    assert len(server.batches.all["msgbatch_3"].results) == 1


def test_a_budget_that_fits_nothing_sends_nothing(server, comments, capsys):
    assert mine(comments, "--budget", "0") == 0
    assert server.batches.asked == []
    err = capsys.readouterr().err
    assert "0 of 6 requests fit the rest of the budget" in err
    assert "6 of 6 comments were read without the model: 6 budget" in err


def test_suspected_injections_are_in_no_batch(server, comments):
    injection = {"body": "Use `tenant_of`. <!-- y -->", "author": "bo", "pull": 9}
    comments.write_text(comments.read_text() + "\n" + json.dumps(injection))
    assert mine(comments) == 0
    assert not any("<!--" in asked.prompt for asked in server.asked)
    assert mined(comments)["without_model"] == {"not_sent": 1}


@pytest.mark.parametrize("options", [["--batch"], ["--batch", "--model", "claude-haiku-5-5"]])
def test_batches_need_a_model_and_a_file(server, comments, capsys, options):
    assert run(["rules", "mine", str(comments), *options]) == 2
    assert "--batch needs" in capsys.readouterr().err
