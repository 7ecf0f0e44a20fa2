"""What each query finds in a few facts written by hand, and on which turns it rests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.memory_eval.questions.queries.answering import OPS, find_answer
from assay.memory_eval.questions.queries.record import Record
from tests.memory_eval.questions.exams import told
from tests.tables import read_yaml

CASES: list[dict[str, Any]] = read_yaml(Path(__file__).parent / "by_hand.yaml")
STORY = told(
    (1, "Ada Stone", "allergy", "kiwi", "2025-01-01"),
    (1, "Ada Stone", "birthday", "1990-05-06", "2025-01-01"),
    (2, "Bo Reed", "allergy", "kiwi", "2025-01-02"),
    (2, "Bo Reed", "hometown", "Ghent", "2025-01-02"),
    (3, "Cy Hill", "allergy", "soy", "2025-01-03"),
    (3, "Cy Hill", "hometown", "Lyon", "2025-01-03"),
    (4, "Project Heron", "lead", "Ada Stone", "2025-02-01"),
    (4, "Project Heron", "budget", 1000, "2025-02-01"),
    (5, "Project Heron", "budget", 1500, "2025-03-01"),
    (6, "Project Heron", "lead", "Bo Reed", "2025-03-10"),
    (7, "Project Heron", "budget", 1800, "2025-04-01"),
    (8, "Project Heron", "budget", 1700, "2025-04-01"),  # a correction: the same day, told later
    (9, "Project Heron", "budget", 1700, "2025-05-01"),  # no news
    (10, "Project Atlas", "budget", 400, "2025-02-02"),
    (10, "Project Atlas", "lead", "Cy Hill", "2025-02-02"),
    (11, "the fire", "claimed_cost", 50, "2025-01-05", "the Echo"),
    (12, "the fire", "claimed_cost", 70, "2025-01-05", "the Argus"),
    (13, "the fire", "claimed_cost", 60, "2025-01-06", "the mayor"),
    (14, "the fire", "settled_cost", 70, "2025-06-01", "the audit"),
    (15, "Bo Reed", "forget_request", "hometown", "2025-06-02"),
    (16, "SEC-1", "event_at", "2025-06-03 10:00", "2025-06-03"),
    (16, "SEC-1", "user", "a.doe", "2025-06-03"),
    (16, "SEC-1", "source_ip", "10.0.0.1", "2025-06-03"),
    (17, "SEC-2", "event_at", "2025-06-03 10:45", "2025-06-03"),
    (17, "SEC-2", "user", "b.roe", "2025-06-03"),
    (17, "SEC-2", "source_ip", "10.0.0.1", "2025-06-03"),
    (18, "SEC-3", "event_at", "2025-06-04 09:00", "2025-06-04"),
    (18, "SEC-3", "user", "b.roe", "2025-06-04"),
    (18, "SEC-3", "source_ip", "10.0.0.1", "2025-06-04"),
)
RECORD = Record.of(STORY.turns)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_a_query_finds_its_value_and_the_turns_it_rests_on(case: dict[str, Any]):
    found = find_answer(case["query"], RECORD)
    assert found.value == case["value"]
    assert list(found.turns) == case.get("turns", [])


def test_every_way_to_answer_is_shown_here():
    def ops(query: Any) -> set[str]:
        if isinstance(query, list):
            return {op for part in query for op in ops(part)}
        if not isinstance(query, dict):
            return set()
        return {query["op"]} & set(OPS) if "op" in query else set().union(*map(ops, query.values()))

    assert {op for case in CASES for op in ops(case["query"])} == set(OPS)


def test_an_unknown_way_to_answer_is_an_error():
    with pytest.raises(KeyError):
        find_answer({"op": "divine"}, RECORD)


def test_what_was_corrected_is_known():
    assert [(one.value, one.turn) for one in RECORD.corrected("Project Heron", "budget")] == [(1800, 7)]
    assert RECORD.corrected("Project Atlas", "budget") == []
