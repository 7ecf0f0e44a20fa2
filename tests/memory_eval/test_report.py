"""What a report says of itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.memory_eval import ExamUsageError, least_figures, rendered
from assay.memory_eval.render.document import Cards
from assay.memory_eval.render.report_document import report_document
from tests.memory_eval.reports import report, result

ROWS = {"memory": {"source": "entries", "kept": {"value": 0.2}}}


@pytest.mark.parametrize(
    ("asked", "score", "memory", "missed"),
    [
        ("0.7", 0.7, {}, []),
        ("0.7", 0.7 - 1e-16, {}, []),
        ("0.7", 0.699, {}, ["answers is 69.9%; at least 70.0% is required"]),
        ("0", 0.0, {}, []),
        ("0.5", 0.9, ROWS, []),
        ("answers=.5,kept=.1", 0.9, ROWS, []),
        ("answers=.5,kept=.95", 0.4, ROWS, ["answers is 40.0%; at least 50.0% is required", "kept is 20.0%"]),
        ("forgot=1", 0.9, ROWS, ["forgot was not measured"]),
    ],
)
def test_each_figure_is_compared_with_its_least(asked: str, score: float, memory: dict, missed: list[str]):
    found = report([result("q", score)], **memory).below(least_figures(asked))
    assert len(found) == len(missed)
    assert all(line.startswith(one) for line, one in zip(found, missed, strict=True))


@pytest.mark.parametrize("asked", ["70", "-0.1", "much", "nan", "recall=.5", "kept=.5,kept=.6", ""])
def test_an_unknown_figure_or_number_is_a_usage_error(asked: str):
    with pytest.raises(ExamUsageError, match="expected FIGURE=NUMBER"):
        least_figures(asked)


def test_a_store_that_was_only_read_leads_with_what_it_kept():
    kept = {"value": 0.873, "low": 0.85, "high": 0.9, "n": 1053}
    read = report([result("q", 0.4)], agent="snapshot:jsonl", memory={"source": "entries", "kept": kept})
    assert rendered(read, "terminal").startswith("Kept: 87.30% (95% interval 85.0 to 90.0%) of 1,053 facts\n")
    assert rendered(replace(read, agent="http://agent"), "terminal").startswith("Answers: 40.00%")


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
    (cards,) = (one for one in report_document(report(shown)).parts if isinstance(one, Cards))
    asked = [title.split()[-1].rstrip("?") for title, _ in cards.items]
    assert asked == ["sure", "planted", "old", "unknown", "abstained"]
