"""The bench of a model computes its figures right: on scripted models whose figures are known beforehand."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.llm import batches
from tests.fakes.model import Asked, FakeModel, Says, Step
from tests.repeats import fitting
from tests.repeats.model_bench import Rates, main, rates
from tests.repeats.streams import FITTED, name_of

PROJECT = FITTED[0]
TENANT = "Pass the tenant to every query."
LASTING = [f"Please always pass the tenant to query number {at}." for at in range(6)]
HERE = [f"Please rename line {at} to total." for at in range(3)]
NOTHING = ["Thanks, this query looks good!"]
JOINS = {**dict.fromkeys(LASTING[:4], "y"), **dict.fromkeys(HERE, "n"), LASTING[4]: "c"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Streams of ten comments, with labels: 6 of 10 hold a rule, 4 of 8 pairs are joins."""
    monkeypatch.setattr(fitting, "LABELS", tmp_path)
    for project in FITTED:
        bodies = [*LASTING, *HERE, *NOTHING] if project == PROJECT else []
        lines = [json.dumps({"body": body, "author": "bo", "pull": at}) for at, body in enumerate(bodies)]
        (tmp_path / f"{project.replace('/', '_')}.jsonl").write_text("".join(f"{line}\n" for line in lines))
    labels = {**dict.fromkeys(LASTING, "r"), **dict.fromkeys(HERE, "o"), **dict.fromkeys(NOTHING, "n")}
    advice = [[PROJECT, name_of(body), label] for body, label in labels.items()]
    joins = [
        [PROJECT, TENANT, "" if at % 2 else "x", name_of(body), label] for at, (body, label) in enumerate(JOINS.items())
    ]
    write(tmp_path / "advice.csv", [["project", "comment", "label"], *advice])
    # Comments of a stream that is not at hand are left out.
    elsewhere = ["acme/shop", TENANT, "", "0123456789ab", "y"]
    write(tmp_path / "rules.csv", [["project", "rule", "source", "comment", "label"], *joins, elsewhere])
    return tmp_path


def write(file: Path, lines: list[list[str]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(lines)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    monkeypatch.setattr(batches, "POLL_S", 0.0)
    with FakeModel() as fake:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
        yield fake


def says(kind: str, number: int = 0, quotation: str = "", rule: str = "") -> Says:
    return Says({"kind": kind, "number": number, "quotation": quotation, "rule": rule, "polarity": "do"})


def oracle(asked: Asked) -> Step:
    """The model that answers as the labels say."""
    body = next(one for one in (*LASTING, *HERE, *NOTHING) if one in asked.prompt)
    if "(none yet)" in asked.prompt:
        return says("new_rule", quotation=body, rule="pass the tenant") if body in LASTING else says("none")
    if JOINS[body] == "y":
        return says("known_rule", 1, body)
    return says("contrary", 1, body, "pass the tenant") if JOINS[body] == "c" else says("none")


def always(step: Step) -> Callable[[Asked], Step]:
    return lambda _: step


def eager(asked: Asked) -> Step:
    """The model that takes everything."""
    body = next(one for one in (*LASTING, *HERE, *NOTHING) if one in asked.prompt)
    if "(none yet)" in asked.prompt:
        return says("new_rule", quotation=body, rule=body.removeprefix("Please "))
    return says("known_rule", 1, body)


def run(folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, str]:
    """The printed lines by what stands before them, such as `gate model`."""
    assert main([str(folder), *options]) == 0
    found: dict[str, str] = {}
    part = ""
    for line in capsys.readouterr().out.splitlines():
        if line.startswith("  "):
            name, _, figures = line.strip().partition(" ")
            found[f"{part} {name}"] = re.sub(r"\s+", " ", figures).strip()
        else:
            part, _, rest = line.partition(": ")
            found[part] = rest
    return found


def test_a_perfect_model_has_all_and_nothing_else(folder, server, capsys):
    server.answers = oracle
    found = run(folder, capsys)
    assert found["gate"] == "10 comments, 6 of them should be taken"
    assert found["gate model"] == "precision 100.0% (61.0% to 100.0%, 6 of 6) recall 100.0% (61.0% to 100.0%, 6 of 6)"
    assert found["joins model"].startswith("precision 100.0% (51.0% to 100.0%, 4 of 4) recall 100.0%")
    assert found["joins of a replay"] == "4 comments, 2 of them should be taken"
    assert found["contrary advice taken"].startswith("model 0, ")
    assert found["no answer"] == "0"
    assert found["claude-haiku-5-5"].startswith("18 calls, 1800 tokens in, 360 out, 0% of the answers reused, $0.0004")


def test_the_shipped_comparison_is_measured_in_the_same_run(folder, server, capsys):
    server.answers = always(says("none"))
    found = run(folder, capsys)
    assert re.fullmatch(r"precision .* \(.* of \d+\) recall .* of 6\)", found["gate shipped"])
    assert re.fullmatch(r"precision .* \(.* of \d+\) recall .* of 4\)", found["joins shipped"])


def test_a_model_that_always_says_no_finds_nothing(folder, server, capsys):
    server.answers = always(says("none"))
    found = run(folder, capsys)
    assert found["gate model"] == "precision - (0 of 0) recall 0.0% (0.0% to 39.0%, 0 of 6)"
    assert found["joins model"] == "precision - (0 of 0) recall 0.0% (0.0% to 49.0%, 0 of 4)"
    assert found["no answer"] == "0"


def test_a_model_that_takes_everything_is_right_as_often_as_the_labels_are_yes(folder, server, capsys):
    server.answers = eager
    found = run(folder, capsys)
    assert found["gate model"].startswith("precision 60.0%")
    assert found["gate model"].endswith("recall 100.0% (61.0% to 100.0%, 6 of 6)")
    assert found["joins model"].startswith("precision 50.0% (21.5% to 78.5%, 4 of 8)")
    assert found["contrary advice taken"].startswith("model 1, ")


def test_what_is_malformed_is_no_answer(folder, server, capsys):
    server.answers = always(Says("Sure! Here is the rule."))
    found = run(folder, capsys)
    assert found["no answer"] == "18 (18 unfit)"
    assert "recall 0.0%" in found["gate model"]
    assert "recall 0.0%" in found["joins model"]


def test_the_same_sample_is_asked_once_with_kept_answers(folder, server, capsys, tmp_path):
    server.answers = oracle
    options = ("--most", "4", "--answers", str(tmp_path / "answers.jsonl"))
    first = run(folder, capsys, *options)
    assert first["gate"].startswith("4 comments")
    assert len(server.asked) == 8
    again = run(folder, capsys, *options)
    assert len(server.asked) == 8
    assert again["claude-haiku-5-5"].startswith("0 calls, 0 tokens in, 0 out, 100% of the answers reused, $0.0000")
    assert again["gate model"] == first["gate model"]


def test_batches_give_the_same_figures_at_half_the_price(folder, server, capsys, tmp_path):
    server.answers = oracle
    found = run(folder, capsys, "--batch", "--answers", str(tmp_path / "answers.jsonl"))
    assert found["joins model"].startswith("precision 100.0% (51.0% to 100.0%, 4 of 4) recall 100.0%")
    assert found["claude-haiku-5-5"].startswith("18 calls, 1800 tokens in, 360 out, 0% of the answers reused, $0.0002")


def test_a_spent_budget_is_counted(folder, server, capsys):
    server.answers = oracle
    assert run(folder, capsys, "--budget", "0")["no answer"] == "18 (18 budget)"
    assert server.asked == []


def test_without_a_key_one_line_says_so(folder, monkeypatch, capsys):
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    assert main([str(folder)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "ANTHROPIC_API_KEY" in err


def test_rates_of_nothing_are_none():
    assert rates([], []) == Rates(0, 0, 0, 0)
    assert (rates([], []).precision, rates([], []).recall) == (None, None)
    assert rates([True, True, False, False], [True, False, True, False]) == Rates(4, 2, 2, 1)
