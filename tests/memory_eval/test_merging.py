"""Several seeds as one examination."""

from __future__ import annotations

import pytest

from assay.memory_eval import ExamUsageError, merge_reports, rendered
from tests.memory_eval.reports import report, result, scored


def seed(number: int, scores: dict[str, float | None], **others):
    return scored(scores, seed=number, **others)


def test_the_mean_the_spread_and_an_interval_over_all_questions():
    half: dict[str, float | None] = {"a": 1.0, "b": 0.0, "c": 1.0, "d": 0.0}
    merged = merge_reports([seed(7, half), seed(3, dict.fromkeys(half, 1.0))])
    assert merged.overall_score == 0.75
    assert merged.num_questions == 8
    assert merged.seed is None
    assert [one.question_id for one in merged.results][::4] == ["3:a", "7:a"]
    assert merged.measured["seeds"]["each"] == [
        {"seed": 3, "overall_score": 1.0, "valid": True},
        {"seed": 7, "overall_score": 0.5, "valid": True},
    ]
    assert merged.measured["seeds"]["mean"] == 0.75
    assert merged.measured["seeds"]["deviation"] == pytest.approx(0.3536, abs=1e-4)
    low, high = merged.measured["intervals"]["overall"]
    assert 0 <= low <= 0.75 <= high <= 1


def test_what_was_merged_is_said_in_one_line():
    merged = merge_reports([seed(7, {"a": 1.0}), seed(3, {"a": 1.0})])
    said = "2 questions on 100 turns each, 642 facts in all, seeds 3, 7; deterministic grading"
    assert said in rendered(merged, "markdown")


def test_the_order_of_the_files_does_not_matter():
    one, two = seed(1, {"a": 1.0}), seed(2, {"a": 0.0})
    assert merge_reports([one, two]) == merge_reports([two, one])


def test_what_was_spent_adds_up():
    judge = {"model": "m", "num_calls": 30, "cost_usd": 0.5, "false_accept": 0.0}
    merged = merge_reports([seed(n, {"a": 1.0}, judge=judge, learning_time_s=2.0) for n in (1, 2)])
    assert merged.learning_time_s == 4.0
    assert merged.total_facts_delivered == 642
    assert merged.judge == {"model": "m", "num_calls": 60, "cost_usd": 1.0, "false_accept": 0.0}


def test_baselines_are_joined_where_every_seed_has_them():
    def of(number: int, score: float, *names: str):
        beside = [{"name": name, "overall_score": score, "category_scores": {"c": score}} for name in names]
        return report([result("a", 1.0, "c")], seed=number, baselines=beside)

    merged = merge_reports([of(1, 0.2, "bm25", "nothing"), of(2, 0.4, "bm25")])
    assert [one["name"] for one in merged.baselines] == ["bm25"]
    assert merged.baselines[0]["overall_score"] == pytest.approx(0.3)
    assert merged.baselines[0]["category_scores"] == {"c": pytest.approx(0.3)}


def test_one_invalid_run_makes_the_whole_invalid_and_says_which():
    merged = merge_reports([seed(1, {"a": 1.0}), seed(2, {"a": 0.0}, valid=False, why_invalid="it died")])
    assert not merged.valid
    assert merged.why_invalid == "seed 2: it died"


def test_what_was_not_graded_stays_not_graded():
    merged = merge_reports([seed(1, {"a": None}), seed(2, {"a": None})])
    assert merged.overall_score is None
    assert merged.measured["intervals"]["overall"] is None


@pytest.mark.parametrize(
    ("reports", "said"),
    [
        ([], "nothing to merge"),
        ([seed(1, {"a": 1.0}), seed(1, {"a": 1.0})], "two reports of seed 1"),
        ([scored({"a": 1.0}, seed=None)], "a report without a seed"),
        ([seed(1, {"a": 1.0}), seed(2, {"a": 1.0}, num_turns=7)], "cannot be merged: num_turns is 100, 7"),
        ([seed(1, {"a": 1.0}), seed(2, {"a": 1.0}, grading="judge")], "grading is deterministic, judge"),
        ([seed(1, {"a": 1.0}), seed(2, {"a": 1.0}, world_version="2")], "world_version is 1, 2"),
    ],
)
def test_what_does_not_belong_together_is_not_merged(reports, said: str):
    with pytest.raises(ExamUsageError) as caught:
        merge_reports(reports)
    assert said in str(caught.value)


def test_agents_of_other_names_are_noted():
    merged = merge_reports([seed(1, {"a": 1.0}, agent="http://a:1"), seed(2, {"a": 1.0}, agent="http://a:2")])
    assert "named differently: http://a:1, http://a:2" in merged.notes[-1]
