"""A report.json of a stranger: refused in one line, or read, merged and shown in every format without harm."""

from __future__ import annotations

import copy
import json
import time
from typing import Any

import pytest

from assay.memory_eval import REPORT_FORMATS, WorldUnreadable, merge_reports, parsed_report, rendered
from tests.examples import sampled

RESULT = {
    "question_id": "q1", "category": "a", "score": 0.5, "dimensions": {}, "question": "Q", "expected": "e",
    "answer": "x", "reasoning": "r",
}  # fmt: skip
PLAIN: dict[str, Any] = {
    "schema_version": "1.0", "num_turns": 10, "num_questions": 4, "total_facts_delivered": 3, "learning_time_s": 1.0,
    "questioning_time_s": 1.0, "grading_time_s": 1.0, "overall_score": 0.5, "memory_stats": {}, "seed": 42,
    "category_breakdown": [
        {"category": "a", "avg_score": 0.5, "min_score": 0.5, "max_score": 0.5, "num_questions": 4}
    ],
    "results": [{**RESULT, "question_id": f"q{number}"} for number in range(4)],
}  # fmt: skip
HUGE = ("1e999", "-1e999", "1" + "0" * 400, "1e308", "-5")


def shown(text: str) -> None:
    report = parsed_report(text.encode(), "report.json")
    for one in (report, merge_reports([report])):
        for name in REPORT_FORMATS:
            rendered(one, name)


def put(place: tuple[str | int, ...], written: str) -> str:
    """The plain report with something written, as it stands, in one place."""
    data = copy.deepcopy(PLAIN)
    inner: Any = data
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = "HERE"
    return json.dumps(data).replace('"HERE"', written)


@pytest.mark.parametrize("written", HUGE)
@pytest.mark.parametrize(
    "place",
    [
        ("learning_time_s",),
        ("grading_time_s",),
        ("results", 0, "answer_time_s"),
        ("results", 1, "confidence"),
        ("results", 2, "score"),
        ("overall_score",),
        ("category_breakdown", 0, "max_score"),
        ("category_breakdown", 0, "num_questions"),
    ],
    ids=lambda place: ".".join(map(str, place)),
)
def test_a_figure_that_cannot_be_is_refused(place, written):
    with pytest.raises(WorldUnreadable, match=r"report\.json: ") as refused:
        shown(put(place, written))
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("place", ["measured", "judge", "memory_stats"])
@pytest.mark.parametrize("written", ['{"x_s": 1e999}', '{"x_s": 1%s}' % ("0" * 400), '{"cost_usd": 1%s}' % ("0" * 400)])
def test_a_number_nobody_can_count_with_is_refused_wherever_it_stands(place, written):
    with pytest.raises(WorldUnreadable):
        shown(put((place,), written))


@pytest.mark.parametrize(
    ("place", "written"),
    sampled(
        [
            ("baselines", '[{"name": 5, "category_scores": [1]}]'),
            ("baselines", '[{"name": {}, "overall_score": "x", "category_scores": {"a": "z"}}]'),
            ("baselines", '[{"category_scores": "abc"}]'),
            ("measured", '{"intervals": [1], "seeds": {"each": [{"seed": {}, "overall_score": 7}]}}'),
            ("judge", '{"num_calls": "x", "not_graded": 5}'),
            ("memory_stats", '{"a":' * 200 + "1" + "}" * 200),
        ],
        3,
    ),
)
def test_what_only_looks_odd_is_shown_as_far_as_it_makes_sense(place, written):
    shown(put((place,), written))


def test_a_category_of_more_questions_than_there_are_results_takes_no_room():
    data = copy.deepcopy(PLAIN)
    data["category_breakdown"][0]["num_questions"] = 10**10
    data["baselines"] = [{"name": "n", "overall_score": 0.5, "category_scores": {"a": 0.5}}]
    with pytest.raises(WorldUnreadable, match=r"report\.contradictory"):
        shown(json.dumps(data))


def test_a_score_that_is_not_the_mean_of_the_results_is_refused():
    with pytest.raises(WorldUnreadable, match=r"report\.contradictory"):
        shown(put(("overall_score",), "1.0"))
    with pytest.raises(WorldUnreadable, match=r"report\.contradictory"):
        shown(put(("overall_score",), "null"))


def test_thousands_of_categories_are_refused_before_they_cost_anything():
    results = [{**RESULT, "question_id": f"q{number}", "category": f"c{number}"} for number in range(5000)]
    began_s = time.process_time()
    with pytest.raises(WorldUnreadable, match="categories"):
        shown(json.dumps({**PLAIN, "results": results}))
    assert time.process_time() - began_s < 5
