"""The memory figures of whole runs: of snapshots, and of agents that retrieve."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from assay.cli.main import run
from assay.cli.schema import schema_text
from assay.memory_eval import (
    AgentOptions,
    EvalReport,
    EvalRunner,
    agent_from,
    compare_reports,
    merge_reports,
    read_exam,
    read_report,
)
from assay.memory_eval.holding.examining import NO_RETRIEVE
from assay.memory_eval.render.rendering import FORMATS, rendered
from assay.memory_eval.report.compare import NO_DIFFERENCE
from tests.memory_eval.holding.stores import complete, honest, world

RUNNER = EvalRunner(num_turns=300, num_questions=20, seed=7, skip_learning=True)


def snapshot(path: Path, texts: list[str]) -> EvalReport:
    path.write_text("\n".join(json.dumps({"text": text}) for text in texts), "utf-8")
    agent = agent_from("snapshot", AgentOptions(load_memory=path))
    return RUNNER.run(agent)


def current() -> list[str]:
    known = world(7)
    return [one.text for one, fact in zip(complete(known), known.told.facts, strict=True) if fact.status == "current"]


def store_with_ends(folder: Path, kind: str, rows: list[tuple[str, str | None]]) -> AgentOptions:
    """A store whose rows have a text and the day they hold to."""
    if kind == "export":
        edges = [
            {
                "uuid": f"e{place}",
                "fact": text,
                "valid_at": "2019-01-01T00:00:00Z",
                "invalid_at": end,
                "expired_at": None,
            }
            for place, (text, end) in enumerate(rows)
        ]
        (folder / "graph.jsonl").write_text("\n".join(map(json.dumps, edges)), "utf-8")
        return AgentOptions(load_memory=folder / "graph.jsonl")
    with closing(sqlite3.connect(folder / "facts.db")) as database:
        database.execute("create table facts (body text, ends text)")
        database.executemany("insert into facts values (?, ?)", rows)
        database.commit()
    (folder / "map.yml").write_text("table: facts\ntext: body\nvalid_to: ends\n", "utf-8")
    return AgentOptions(load_memory=folder / "facts.db", mapping=folder / "map.yml")


@pytest.mark.parametrize("kind", ["sqlite", "export"])
@pytest.mark.parametrize("year", [2002, 2092, None], ids=["past", "future", "without days"])
def test_an_entry_has_ended_by_the_last_turns_day_whatever_the_clock_says(tmp_path: Path, year: int | None, kind: str):
    told = [
        ("the budget of Project Atlas is $2,450,000", "budget", 2450000, "03-01"),
        ("the budget of Project Atlas is $2,100,000", "budget", 2100000, "06-01"),
        ("the team of Project Atlas is Research", "team", "Research", "06-02"),
    ]
    exam = tmp_path / "exam"
    exam.mkdir()
    turns = [
        {"content": text, "facts": [{"entity": "Project Atlas", "attribute": name, "value": value,
                                     "valid_from": f"{year}-{day}" if year else None}]}
        for text, name, value, day in told
    ]  # fmt: skip
    asked = {"id": "b", "text": "What is the budget of Project Atlas now?", "expected_answer": "$2,100,000",
             "answer": {"type": "number", "value": 2100000, "unit": "USD"}, "relevant_turns": [2]}  # fmt: skip
    (exam / "turns.jsonl").write_text("\n".join(map(json.dumps, turns)), "utf-8")
    (exam / "questions.jsonl").write_text(json.dumps(asked), "utf-8")
    ends = [f"{year}-06-01", f"{year}-06-03", None] if year else ["2092-06-01", None, None]
    rows = [(f"{text[0].upper()}{text[1:]}.", end) for (text, *_), end in zip(told, ends, strict=True)]
    agent = agent_from("snapshot", store_with_ends(tmp_path, kind, rows))
    report = EvalRunner(world=read_exam(exam), skip_learning=True).run(agent)
    assert report.memory is not None
    assert (report.overall_score, report.memory_row("current")["value"], report.memory["num_entries"]) == (1, 1, 2)


class Retrieving:
    """Keeps what it is given; finds the texts that share most words with a question."""

    def __init__(self, texts: list[str] | None = None) -> None:
        self.texts = texts or []

    def learn(self, content: str) -> None:
        self.texts.append(content)

    def answer(self, question: str) -> str:
        return str(self.retrieve(question, 1)[0]["text"])

    def retrieve(self, question: str, k: int) -> list[dict[str, Any]]:
        words = set(question.lower().replace("?", "").split())
        scored = [(len(words & set(text.lower().replace(".", "").split())), text) for text in self.texts]
        return [{"text": text, "score": score} for score, text in sorted(scored, reverse=True)[:k]]


@pytest.fixture(scope="module")
def perfect(tmp_path_factory: pytest.TempPathFactory) -> EvalReport:
    return snapshot(tmp_path_factory.mktemp("perfect") / "memory.jsonl", current())


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> EvalReport:
    return snapshot(tmp_path_factory.mktemp("half") / "memory.jsonl", current()[::2])


def test_a_perfect_snapshot_has_the_figures_of_the_ceiling_and_answers_like_it(perfect: EvalReport):
    assert perfect.memory is not None
    assert perfect.memory["source"] == "entries"
    assert perfect.reader == "assay-extract v2"
    answers = perfect.memory["answers"]
    assert answers["floor"] < (perfect.overall_score or 0) <= answers["ceiling"] < 0.7
    for name in ("current", "clean", "forgot"):
        assert (perfect.memory_row(name)["value"], perfect.memory_row(name)["ceiling"]) == (1, 1)
    kept = perfect.memory_row("kept")
    assert kept["floor"] < 0.5 < 0.8 < kept["value"] < kept["ceiling"] == 1


def test_half_of_it_is_worse_beyond_doubt(perfect: EvalReport, half: EvalReport):
    assert half.memory is not None
    assert half.kept == pytest.approx((perfect.kept or 0) / 2, abs=0.03)
    found = compare_reports(perfect, half)
    assert found.facts is not None
    assert (found.facts.verdict, found.facts.num_gained) == ("worse", 0)
    assert found.facts.p_value < 1e-9
    assert found.is_worse
    same = compare_reports(half, half).facts
    assert same is not None
    assert (same.verdict, same.p_value) == (NO_DIFFERENCE, 1)


def test_facts_of_another_world_are_not_paired(perfect: EvalReport, half: EvalReport):
    other = replace(half, memory={**(half.memory or {}), "facts_digest": "another"})
    assert compare_reports(perfect, other).facts is None
    assert compare_reports(perfect, replace(half, memory=None)).facts is None


def test_an_agent_that_retrieves_is_measured_by_what_it_finds():
    known = world(7)
    report = RUNNER.run(Retrieving([one.text for one in honest(known)]))
    assert report.notes == []
    assert report.memory is not None
    assert report.memory["source"] == "retrieve"
    assert report.memory_row("found")["value"] > 0.2
    assert (report.reader, report.kept) == ("", None)
    assert "Not run for the answers: floor (--baseline nothing), ceiling" in rendered(report, "terminal")


def test_an_agent_without_retrieve_has_no_memory_figures():
    report = RUNNER.run(agent_from("baseline:transcript"))
    assert (report.kept, report.notes) == (0, [])  # nothing was learned
    plain = RUNNER.run(type("Plain", (), {"learn": lambda *_: None, "answer": lambda *_: "no"})())
    assert (plain.kept, plain.memory) == (None, None)
    assert plain.notes == [NO_RETRIEVE]
    assert "Not run for the answers: floor (--baseline nothing), ceiling" in rendered(plain, "terminal")
    beside = [{"name": "baseline:nothing", "overall_score": 0.03}]
    assert "Not run for the answers: ceiling" in rendered(replace(plain, baselines=beside), "terminal")


def test_a_retriever_that_breaks_does_not_spoil_the_run():
    class Breaks(Retrieving):
        def retrieve(self, question: str, k: int) -> list[dict[str, Any]]:
            raise OSError("index lost")

        def answer(self, question: str) -> str:
            return "no"

    report = RUNNER.run(Breaks())
    assert report.valid
    assert report.memory is None
    assert any("index lost" in note for note in report.notes)


def test_every_format_shows_the_figures(perfect: EvalReport, tmp_path: Path):
    for name in FORMATS:
        text = rendered(perfect, name)
        assert "kept" in text.lower(), name
        assert "ceiling" in text.lower(), name
        assert "assay-extract v2" in text, name
        assert "memory_score" not in text
    document = json.loads(rendered(perfect, "json"))
    jsonschema.Draft202012Validator(json.loads(schema_text("memory-report"))).validate(document)
    path = tmp_path / "report.json"
    path.write_text(json.dumps(document), "utf-8")
    assert read_report(path).kept == perfect.kept


def test_a_forged_share_is_refused(perfect: EvalReport, tmp_path: Path):
    path = tmp_path / "report.json"
    document = json.loads(rendered(perfect, "json"))
    document["memory"]["clean"]["high"] = 1.5
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(Exception, match="not between 0 and 1"):
        read_report(path)


def test_merged_reports_have_the_mean(perfect: EvalReport, half: EvalReport):
    merged = merge_reports([perfect, replace(half, seed=8)])
    assert merged.kept == pytest.approx(((perfect.kept or 0) + (half.kept or 0)) / 2)
    assert merged.memory is not None
    assert perfect.memory is not None
    assert merged.memory["answers"] == perfect.memory["answers"]
    assert merged.memory_row("kept")["n"] == 2 * perfect.memory_row("kept")["n"]
    for name in FORMATS:
        assert rendered(merged, name)
    found = compare_reports(merge_reports([perfect]), merge_reports([half])).facts
    assert found is not None
    assert found.verdict == "worse"


def test_without_memory_figures_of_every_seed_there_are_none(perfect: EvalReport, half: EvalReport):
    merged = merge_reports([perfect, replace(half, seed=8, memory=None)])
    assert merged.memory is None


def test_the_command_compares_facts(perfect: EvalReport, half: EvalReport, tmp_path: Path, capsys):
    for name, report in (("a", perfect), ("b", half)):
        (tmp_path / f"{name}.json").write_text(rendered(report, "json"), "utf-8")
    assert run(["memory", "compare", str(tmp_path / "a.json"), str(tmp_path / "b.json"), "--fail-on-worse"]) == 1
    assert "McNemar" in capsys.readouterr().out
