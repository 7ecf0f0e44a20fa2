"""Two examinations side by side: only what both were asked counts, and chance is not called progress."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import cmarkgfm
import jsonschema
import pytest
from rich.console import Console
from rich.table import Table

from assay.cli.schema import schema_text
from assay.memory_eval import EvalReport, EvalRunner, ExamUsageError, WorldUnreadable, compare_reports, read_report
from assay.memory_eval.adapters.baseline_agent import Retrieving
from assay.memory_eval.render.rendering import rendered
from assay.memory_eval.report.compare import NO_DIFFERENCE
from assay.memory_eval.report.merge import merge_reports
from assay.statistics import difference_of_means
from tests.memory_eval.reports import hostile, report, result, scored


def test_the_same_answers_show_no_difference():
    same = scored({f"q{number}": number % 2 / 1 for number in range(40)})
    found = compare_reports(same, same)
    assert found.verdict == NO_DIFFERENCE
    assert found.overall.change == 0
    assert (found.num_worse, found.num_better, found.num_same) == (0, 0, 40)


def test_a_clear_loss_is_worse_and_names_the_questions():
    before = scored({f"q{number}": 1.0 for number in range(30)})
    after = scored({f"q{number}": float(number >= 12) for number in range(30)})
    found = compare_reports(before, after)
    assert found.verdict == "worse"
    assert found.overall.change == pytest.approx(-0.4)
    assert found.overall.interval is not None
    assert found.overall.interval.high < 0
    assert found.overall.p_value is not None
    assert found.overall.p_value < 0.01
    assert found.num_worse == 12
    assert [one["question_id"] for one in found.worse] == [f"q{number}" for number in range(10)]
    assert compare_reports(after, before).verdict == "better"


def test_one_lucky_question_is_no_progress():
    before = scored({f"q{number}": number % 2 / 1 for number in range(30)})
    after = scored({f"q{number}": 1.0 if number == 0 else number % 2 / 1 for number in range(30)})
    assert compare_reports(before, after).verdict == NO_DIFFERENCE


def test_only_questions_both_were_asked_count_and_one_that_was_not_graded_counts_0():
    before = scored({"a": 1.0, "b": 0.0, "only before": 1.0, "c": None, "d": None})
    after = scored({"a": 0.0, "b": 0.0, "only after": 0.0, "c": 1.0, "d": None})
    found = compare_reports(before, after)
    assert found.overall.num_pairs == 3
    assert (found.overall.before, found.overall.after) == (1 / 3, 1 / 3)
    assert found.num_unpaired == 4
    assert "4 results have no graded partner" in found.notes[0]


def test_the_same_id_with_another_question_is_no_pair():
    before = report([result("a", 1.0, question="one?"), result("b", 1.0)])
    after = report([result("a", 0.0, question="another?"), result("b", 1.0)])
    assert compare_reports(before, after).overall.num_pairs == 1


def test_reports_that_share_nothing_are_not_compared():
    with pytest.raises(ExamUsageError, match=r"memory\.not-comparable"):
        compare_reports(scored({"a": 1.0}), scored({"b": 1.0}))


def test_what_makes_two_reports_unlike_is_noted():
    before = scored({"a": 1.0}, world_version="1")
    after = scored({"a": 1.0}, world_version="2", grading="judge", valid=False, why_invalid="it died")
    notes = " ".join(compare_reports(before, after).notes)
    for wanted in ("world_version differs: 1 and 2", "grading differs", "the second is not a valid run"):
        assert wanted in notes


def test_each_category_is_compared_by_itself():
    before = report([result("a", 1.0, "one"), result("b", 0.0, "two")])
    after = report([result("a", 0.0, "one"), result("b", 1.0, "two")])
    assert [(one.name, one.change) for one in compare_reports(before, after).categories] == [
        ("one", -1.0),
        ("two", 1.0),
    ]


def test_a_comparison_keeps_its_schema_and_strangers_words_stay_words():
    found = compare_reports(hostile(), hostile())
    jsonschema.Draft202012Validator(json.loads(schema_text("memory-comparison"))).validate(
        json.loads(rendered(found, "json"))
    )
    page = cmarkgfm.github_flavored_markdown_to_html(rendered(found, "markdown"))
    assert "<script" not in page
    assert "<a " not in page


# ------------------------------------------------------------------ files


def written(path: Path, one: EvalReport) -> Path:
    path.write_text(rendered(one, "json"), "utf-8")
    return path


def test_a_report_comes_back_from_its_file_as_it_was(tmp_path: Path):
    one = report([result("a", 0.5, confidence=0.25, sources=("turn 3",)), result("b", None)], notes=("x",))
    back = read_report(written(tmp_path / "r.json", one))
    assert list(back.results) == list(one.results)
    assert back.overall_score == one.overall_score
    assert list(back.category_breakdown) == list(one.category_breakdown)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[1]", "not a report of a memory evaluation"),
        ('{"schema_version": "9.0"}', "a report of version '9.0'"),
        ('{"schema_version": "1.0"}', "num_turns: Field required"),
        ('{"schema_version": "1.0", "overall_score": NaN}', "not JSON: NaN"),
    ],
)
def test_a_file_that_is_no_report_is_one_line(tmp_path: Path, text: str, said: str):
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(WorldUnreadable) as caught:
        read_report(path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_a_score_of_1348_per_cent_is_refused(tmp_path: Path):
    path = written(tmp_path / "r.json", scored({"a": 1.0}))
    path.write_text(path.read_text().replace('"score": 1.0', '"score": 13.48'))
    with pytest.raises(WorldUnreadable, match=r"results\.0\.score: Input should be less than or equal to 1"):
        read_report(path)


def test_pairs_are_counted_as_worse_better_or_the_same():
    before = scored({"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.5, "e": 0.5, "f": 0.5, "g": 0.5})
    after = scored({"a": 0.0, "b": 1.0, "c": 0.4, "d": 0.5, "e": 0.5, "f": 0.5, "g": 0.5})
    found = compare_reports(before, after)
    assert (found.num_worse, found.num_better, found.num_same) == (1, 2, 4)
    assert [(one["after"], one["before"]) for one in found.better] == [(1.0, 0.0), (0.4, 0.0)]


# ------------------------------------------------------------------ secret exams, which share no question


def secret(seed: int, scores: list[float], held: str = "") -> EvalReport:
    results = [result(f"q{number}", score, question=f"{seed}?{number}") for number, score in enumerate(scores)]
    memory = {"held": held, "facts_digest": str(seed), "source": "entries"} if held else None
    return replace(report(results), seed=seed, comparable=True, memory=memory)


def several(shares: list[float], names: str, held: list[float] | None = None) -> EvalReport:
    """A merged report of secret exams with these shares of right answers, and of facts held."""
    facts = held or [0.0] * len(shares)
    return merge_reports(
        [
            secret(
                int(name, 16),
                [float(one < 40 * share) for one in range(40)],
                "1" * int(100 * kept) + "0" * int(100 - 100 * kept),
            )
            for name, share, kept in zip(names, shares, facts, strict=True)
        ]
    )


def test_secret_exams_are_compared_exam_against_exam():
    before, after = several([0.8, 0.75, 0.85, 0.8], "abcd"), several([0.5, 0.55, 0.45, 0.5], "ef12")
    found = compare_reports(before, after)
    assert (found.verdict, found.paired, found.overall.num_pairs) == ("worse", False, 0)
    assert (found.num_before, found.num_after) == (160, 160)
    assert found.overall.change == pytest.approx(-0.3)
    assert found.overall.p_value is not None
    assert found.overall.p_value < 0.001
    assert compare_reports(after, before).verdict == "better"
    assert compare_reports(before, several([0.8, 0.78, 0.82, 0.8], "ef12")).verdict == NO_DIFFERENCE
    for written in (rendered(found, "markdown"), rendered(found, "json")):
        assert "160" in written


def test_a_memory_that_lost_facts_is_worse_although_its_answers_are_as_before():
    before = several([0.5, 0.5, 0.55, 0.45], "abcd", [0.99, 0.98, 1.0, 0.99])
    after = several([0.5, 0.5, 0.55, 0.45], "ef12", [0.94, 0.93, 0.95, 0.94])
    found = compare_reports(before, after)
    assert (found.verdict, found.is_worse) == (NO_DIFFERENCE, True)
    assert found.recall is not None
    assert found.recall.change == pytest.approx(-0.05)
    assert found.facts is None


@pytest.mark.parametrize("alone", [0, 1])
def test_one_secret_exam_cannot_tell_a_hard_world_from_a_bad_memory(alone: int):
    sides = [several([0.8, 0.75], "ab"), several([0.5, 0.55], "ef")]
    sides[alone] = merge_reports([secret(12, [1.0] * 40)])
    with pytest.raises(ExamUsageError, match=r"memory\.not-comparable"):
        compare_reports(sides[0], sides[1])


def test_the_same_merged_exams_are_still_paired():
    found = compare_reports(several([0.5, 0.6], "ab", [0.9, 0.9]), several([0.5, 0.6], "ab", [0.8, 0.9]))
    assert found.paired
    assert found.facts is not None
    assert (found.facts.num_facts, found.facts.num_lost) == (200, 10)


@pytest.mark.bench
def test_unpaired_exams_raise_few_false_alarms_and_find_large_losses():
    """Print the table of docs/action/memory.md: BM25 on 40 worlds, 4,000 draws of exams for each side."""
    runs = [
        EvalRunner(num_turns=300, num_questions=60, seed=seed, grading="deterministic").run(Retrieving("bm25"))
        for seed in range(1, 41)
    ]
    scores = [run.overall_score or 0.0 for run in runs]
    draws = Random(1)
    table = Table("exams on each side", "false alarm", "5 points lost", "10 points lost", "15 points lost")
    for num in (2, 4, 8):
        shares = []
        for lost in (0.0, 0.05, 0.10, 0.15):
            drawn = [draws.sample(scores, 2 * num) for _ in range(4000)]
            found = [difference_of_means(one[:num], [score - lost for score in one[num:]])[0] for one in drawn]
            shares.append(sum(one is not None and one.high < 0 for one in found) / len(found))
        table.add_row(str(num), *(f"{share:.1%}" for share in shares))
        assert shares[0] < 0.035
        assert num < 4 or shares[2] > 0.85
    Console(width=100).print(table)
