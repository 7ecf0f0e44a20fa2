"""Several agents in one table: their runs averaged, beside floors and ceiling, to be published."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cmarkgfm
import jsonschema
import pytest

from assay.cli.main import run
from assay.cli.schema import schema_text
from assay.memory_eval import ExamUsageError, RankingOrder, rank_reports, ranking_html, ranking_markdown, ranking_text
from assay.memory_eval.render.json import render
from assay.memory_eval.report.measures import merged_measures
from assay.memory_eval.report.merge import merge_reports
from tests.memory_eval.reports import HOSTILE, report, result

REFERENCES = {
    "empty": {"answer_score": 0.03, "fact_recall": 0.0},
    "tail": {"answer_score": 0.1, "fact_recall": 0.3},
    "perfect": {"answer_score": 0.35, "fact_recall": 1.0},
}

REPEATED = (("one", 1), ("two", 3))
"""Agents, and the first of the two exams that each had."""


def made(agent: str, seed: int, held: float | None, score: float | None = 0.5, **others: Any):
    """A report of two questions, whose agent answers both with `score`."""
    measured = {
        "search_p50_s": seed / 100,
        "search_p95_s": seed / 50,
        "learn_p50_s": 0.002,
        "learn_p95_s": 0.004,
        "store_bytes": 2048 * seed,
    }
    return report(
        [result("a", score), result("b", score)],
        agent=agent,
        seed=seed,
        fact_recall=held,
        measured=measured | {"num_correct": 1, "tokens_in": 10 * seed, "tokens_out": 1, "cost_usd": 0.01 * seed},
        memory={"references": REFERENCES, "evidence_references": {"random": {"recall_at": {"10": 0.04}, "mrr": 0.01}}},
        **others,
    )


def test_the_best_comes_first_and_runs_of_one_agent_are_one_row():
    reports = [
        made("low", 1, 1.0, 0.2),
        made("high", 1, 0.4),
        made("high", 2, 0.8, score=1.0),
        made("unknown", 1, 0.9, None),
    ]
    ranking = rank_reports(reports)
    assert [(row.agent, row.num_runs, row.fact_recall) for row in ranking.rows] == [
        ("high", 2, pytest.approx(0.6)),
        ("low", 1, 1.0),
        ("unknown", 1, 0.9),
    ]
    high = ranking.rows[0]
    assert high.answer_score == 0.75
    assert high.measures is not None
    assert high.measures["search_p50_s"] == pytest.approx(0.015)
    assert high.measures["store_bytes"] == 3072
    assert high.measures["tokens_per_correct"] == (10 + 20 + 2) / 2
    assert high.measures["cost_per_correct_usd"] == pytest.approx(0.015)
    references = [
        (row.agent, row.answer_score, row.fact_recall, row.evidence_recall_at_10) for row in ranking.references
    ]
    assert references == [
        ("empty store", 0.03, 0.0, None),
        ("random turns", None, None, 0.04),
        ("last quarter of the dialogue", 0.1, 0.3, None),
        ("perfect store", 0.35, 1.0, None),
    ]
    assert any("different exams" in note for note in ranking.notes)


def test_a_merged_report_is_ranked_by_the_exams_it_was_merged_from():
    one, two = (merge_reports([made(agent, seed, 0.5), made(agent, seed + 1, 0.5)]) for agent, seed in REPEATED)
    apart = replace(two, measured={**two.measured, "seeds": {"each": [{"seed": "ab12"}]}})
    same = rank_reports([one, replace(one, agent="twin")])
    assert same.exams == ("seed 1", "seed 2")
    assert not any("different exams" in note for note in same.notes)
    assert rank_reports([one, two]).exams == ("seed 1", "seed 2", "seed 3", "seed 4")
    assert rank_reports([one, apart]).exams == ("seed 1", "seed 2", "an exam without a seed")
    assert any("different exams" in note for note in rank_reports([one, two]).notes)
    assert rank_reports([replace(apart, seed=7)]).exams == ("seed 7",)


def test_the_references_of_each_merged_report_count():
    one, two = (merge_reports([made(agent, seed, 0.5), made(agent, seed + 1, 0.5)]) for agent, seed in REPEATED)
    higher = replace(two, memory={**(two.memory or {}), "references": {"tail": {"fact_recall": 0.5}}})
    tail = next(row for row in rank_reports([one, higher]).references if row.agent == "last quarter of the dialogue")
    assert tail.fact_recall == pytest.approx(0.4)


def test_the_figure_to_rank_by_is_chosen():
    reports = [
        made("kept", 1, 0.9, 0.1, evidence_recall_at={"10": 0.5}),
        made("found", 1, 0.1, 0.2, evidence_recall_at={"10": 0.6}),
        made("right", 1, 0.2, 0.9),
    ]
    orders: dict[RankingOrder, list[str]] = {
        "fact_recall": ["kept", "right", "found"],
        "evidence_recall_at_10": ["found", "kept", "right"],
        "answer_score": ["right", "found", "kept"],
    }
    for by, names in orders.items():
        assert [row.agent for row in rank_reports(reports, by).rows] == names


def test_systems_of_one_adapter_are_not_mixed():
    one, two = (made("mem0", seed, 0.5, system=f"mem0ai 2.{seed}") for seed in (1, 2))
    assert [row.system for row in rank_reports([one, two]).rows] == ["mem0ai 2.1", "mem0ai 2.2"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"valid": False, "why_invalid": "it died"}, "an invalid run has no rank: it died"),
        ({"num_turns": 7}, "num_turns is 100, 7"),
        ({"grading": "judge"}, "grading is deterministic, judge"),
        ({"comparable": True}, "not comparable"),
        ({"agent": "one"}, "two reports of seed 1"),
    ],
)
def test_what_cannot_be_ranked_is_refused(change: dict[str, Any], said: str):
    with pytest.raises(ExamUsageError, match=said):
        rank_reports([made("one", 1, 0.5), replace(made("two", 1, 0.5), **change)])


def test_nothing_measured_has_no_column():
    text = ranking_text(rank_reports([report([result("a", 1.0)], agent="http")]))
    assert "Answer score" in text
    assert "Facts held" not in text
    assert "Search" not in text


def test_no_format_lets_a_stranger_write_markup():
    ranking = rank_reports([made(HOSTILE, 1, 0.5, system=HOSTILE, reader=HOSTILE)])
    page = cmarkgfm.github_flavored_markdown_to_html(ranking_markdown(ranking))
    for text in (page, ranking_html(ranking)):
        assert "<script" not in text
        assert "<a " not in text
    for text in (page, ranking_html(ranking), ranking_text(ranking)):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "<code>@octocat</code>" in page


def test_the_command_writes_every_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    files = []
    for name, score in (("one", 0.25), ("two", 0.75)):
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(render(made(name, 1, 1 - score, score)), "utf-8")
    outputs = [tmp_path / f"ranking{suffix}" for suffix in (".json", ".md", ".html", ".txt")]
    options = [part for path in outputs for part in ("-o", str(path))]
    assert run(["memory", "rank", *map(str, files), *options]) == 0
    data = json.loads(outputs[0].read_text("utf-8"))
    jsonschema.Draft202012Validator(json.loads(schema_text("memory-ranking"))).validate(data)
    assert [row["agent"] for row in data["rows"]] == ["two", "one"]
    markdown = outputs[1].read_text("utf-8")
    assert "| 1 | `two` | 75.0% |" in markdown
    assert "| 2 ms / 4 ms | 10 ms / 20 ms | 2 KiB |" in markdown
    assert all(outputs[2].read_text("utf-8").count(f"<td>{name}</td>") == 3 for name in ("one", "two"))
    assert run(["memory", "rank", *map(str, files)]) == 0
    assert "perfect store" in capsys.readouterr().out
    assert run(["memory", "rank", *map(str, files), "--by", "recall", "-o", str(outputs[0])]) == 0
    assert [row["agent"] for row in json.loads(outputs[0].read_text("utf-8"))["rows"]] == ["one", "two"]
    assert run(["memory", "rank", *map(str, files), "--by", "memory-score"]) == 2
    files[0].write_text("{}")
    assert run(["memory", "rank", *map(str, files)]) == 2


def test_merged_counts_are_added_and_times_averaged():
    merged = merged_measures(
        [{"tokens_in": 3, "num_correct": 1, "ece": 0.1}, {"tokens_in": None, "num_correct": 1, "ece": 0.3}]
    )
    assert merged["tokens_in"] == 3
    assert merged["ece"] == pytest.approx(0.2)
    assert merged["tokens_per_correct"] == 1.5
    assert merged["cost_per_correct_usd"] is None
    assert "answer_p50_s" not in merged
