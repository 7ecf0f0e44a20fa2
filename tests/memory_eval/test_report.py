"""What a report says of itself."""

from __future__ import annotations

import pytest

from assay.memory_eval.render.figures import worst
from tests.memory_eval.reports import report, result


@pytest.mark.parametrize(
    ("score", "asked", "is_below"),
    [
        (0.7, 0.7, False),
        (0.7 - 1e-16, 0.7, False),
        (0.699, 0.7, True),
        (0.0, 0.0, False),
        (0.1, None, False),
        (None, 0.7, False),
    ],
)
def test_a_score_is_below_another_as_people_read_it(score: float | None, asked: float | None, is_below: bool):
    assert report([result("q", score)]).is_below(asked) is is_below


@pytest.mark.parametrize("source", ["entries", "retrieve", None])
def test_a_run_is_judged_by_its_answers_whatever_was_read_of_its_store(source: str | None):
    measured = {} if source is None else {"memory": {"source": source, "kept": {"value": 0.2}}}
    assert report([result("q", 0.9)], **measured).is_below(0.5) is False
    assert report([result("q", 0.4)], **measured).is_below(0.5) is True


def test_the_worst_questions_are_those_with_the_gravest_consequence():
    shown = [
        result("abstained", 0.0, "poisoning_resistance", answer="I don't know."),
        result("failed", 0.0, "selective_forgetting", answer="", error="it hung"),
        result("unknown", 0.0),
        result("old", 0.0, "temporal_trap"),
        result("planted", 0.0, "poisoning_resistance"),
        result("sure", 0.0, "poisoning_resistance", confidence=0.9),
        result("half", 0.5, "selective_forgetting"),
        result("right", 1.0),
    ]
    assert [one.question_id for one in worst(report(shown))] == ["sure", "planted", "old", "unknown", "abstained"]
