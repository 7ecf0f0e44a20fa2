"""Statements: each says its facts in every layout, and an exam uses a part of the productions."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from assay.memory_eval.truth import Fact
from assay.memory_eval.world.telling import Telling
from assay.memory_eval.world.wording import fact, in_words
from assay.memory_eval.world.world import SHARE, Productions, fill, grammar
from assay.seeded_random import Draws

DAY = date(2025, 5, 3)
FACTS: list[Fact] = [
    fact("Ann Lee", name, value, DAY)
    for name, value in {
        "birthday": "1984-03-09",
        "pet": "otter",
        "hobby": "judo",
        "role": "UX researcher",
        "extension": 4821,
        "team": "Billing",
        "degree": "law",
    }.items()
]


def telling(name: str) -> Telling:
    return Telling(Productions(Draws(f"{name} productions")), Draws(f"{name} telling"))


@pytest.mark.parametrize("num", range(1, len(FACTS) + 1))
@pytest.mark.parametrize("again", [True, False])
def test_a_statement_of_many_facts_says_them_all(num: int, again: bool):
    for number in range(40):
        text = telling(f"{number}").facts(FACTS[:num], DAY, again=again)
        assert "Ann Lee" in text
        assert all(in_words(one["attribute"], one["value"]) in text for one in FACTS[:num]), text
        assert ("3 May 2025" in text) is (num > 3), "a value that changes has its day"
        assert "{" not in text


def test_a_fact_over_two_turns_is_announced_and_said():
    parted = 0
    for number in range(60):
        teller = telling(f"{number}")
        assert teller.turn(FACTS, DAY)[1] == "", "there is no turn before the first"
        text, before = teller.turn(FACTS, DAY)
        assert all(in_words(one["attribute"], one["value"]) in text for one in FACTS)
        parted += bool(before)
        assert not before or "Ann Lee" in before
    assert parted >= 2


@pytest.mark.parametrize(("attribute", "old", "new"), [("role", "cook", "baker"), ("team", "Billing", "Legal")])
def test_changes_and_corrections_say_what_of_whom_and_for_which_day(attribute: str, old: Any, new: Any):
    told = fact("Ann Lee", attribute, new, DAY)
    for number in range(40):
        for text in (telling(f"{number}").changed([(told, old)]), telling(f"{number}").corrected(told, old)):
            assert "Ann Lee" in text
            assert new in text
            assert "3 May 2025" in text


def test_a_claim_names_its_source_and_its_topic():
    claims = [
        fact("Oakham flood", f"claimed_{name}", value, DAY, "Post")
        for name, value in {"cost": 7, "date": "2024-01-02"}.items()
    ]
    for number in range(20):
        text = telling(f"{number}").claimed("Oakham flood", claims, "the Post")
        assert "Post" in text
        assert "the Oakham flood" in text.lower().replace("oakham", "Oakham")
        assert "$7" in text
        assert "2 January 2024" in text


def test_an_exam_uses_a_part_of_the_productions_drawn_by_its_key():
    slot = grammar("told", "openers")
    chosen = [set(Productions(Draws("p", bytes([key]))).of("told", "openers")) for key in range(4)]
    assert all(len(one) == -(-len(slot) * SHARE // 100) and one < set(slot) for one in chosen)
    assert len({frozenset(one) for one in chosen}) > 1


def test_other_braces_than_places_are_text():
    assert fill('{"id": "{s}"}', {"s": "SEC-1"}) == '{"id": "SEC-1"}'
