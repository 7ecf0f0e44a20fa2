"""Knowing the public pack helps nobody on a private one: parsers of its productions get what BM25 gets."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest

from assay.memory_eval import AgentAdapter, agent_from, generate_dialogue, generate_questions, grade, read_pack
from assay.memory_eval.adapters.adapter import AgentResponse
from assay.memory_eval.questions.oracle import answer_from_evidence
from assay.memory_eval.truth import GroundTruth, Question
from assay.memory_eval.world.packs import Pack, public_pack
from tests.memory_eval.integrity.template_parsers import PARSERS, TemplateParser

HELD_OUT = Path(__file__).with_name("held_out_pack_1.json")
MOST_ABOVE = 0.05
"""What a parser may score above BM25 on a pack that it has not seen."""
NUM_TURNS = 300
FEW, MANY = 40, 200
"""Questions of a quick exam, and of a full one."""


def salt(number: int) -> bytes:
    return sha256(f"salt {number}".encode()).digest()[:16]


@cache
def held_out() -> Pack:
    return read_pack(HELD_OUT)


@cache
def exam(number: int, num_questions: int, *, is_private: bool) -> tuple[GroundTruth, list[Question]]:
    truth = generate_dialogue(NUM_TURNS, salt=salt(number), pack=held_out() if is_private else None)
    return truth, generate_questions(truth, num_questions)


def scored(agent: AgentAdapter, number: int, num_questions: int, *, is_private: bool) -> float:
    truth, questions = exam(number, num_questions, is_private=is_private)
    for turn in truth.turns:
        agent.learn(turn.content)
    total = 0.0
    for question in questions:
        answer = agent.answer(question.text)
        assert isinstance(answer, AgentResponse)
        total += grade(question, answer.answer, answer.value).score or 0.0
    return total / len(questions)


def scores(number: int, num_questions: int, *, is_private: bool) -> dict[str, float]:
    agents = {"bm25": agent_from("baseline:bm25"), **{name: TemplateParser(name) for name in PARSERS}}
    return {name: scored(agent, number, num_questions, is_private=is_private) for name, agent in agents.items()}


@pytest.mark.soak
def test_a_parser_of_the_public_pack_gets_little_more_than_bm25_from_a_private_one():
    found = scores(0, FEW, is_private=True)
    assert {name for name in PARSERS if found[name] > found["bm25"] + MOST_ABOVE} == set()


@pytest.mark.soak
def test_the_parsers_are_no_straw_men():
    assert scored(TemplateParser("likely"), 0, FEW, is_private=False) > 0.35
    assert scored(agent_from("baseline:bm25"), 0, FEW, is_private=False) < 0.3


def test_who_remembers_is_right_in_the_words_of_a_private_pack():
    truth, questions = exam(0, MANY, is_private=True)
    assert [one for one in questions if (grade(one, answer_from_evidence(one, truth.turns)).score or 0) < 0.99] == []


def test_hardly_a_production_of_the_held_out_pack_is_public():
    own = json.loads(HELD_OUT.read_text("utf-8"))
    shared = 0
    for attribute, row in own["attributes"].items():
        public = public_pack().at("attributes", attribute)
        shared += sum(text in public[part] for part in ("noun", "says", "asks") for text in row.get(part, ()))
    assert shared <= 5


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_the_parsers_on_public_and_private_packs(capsys: pytest.CaptureFixture[str]):
    """Print the table of docs/memory/packs.md."""
    rows, over = [], []
    for is_private in (False, True):
        for number in range(3):
            found = scores(number, MANY, is_private=is_private)
            name = "held out" if is_private else "public"
            rows.append(" | ".join([f"| {name} | {number}", *(f"{one:.1%}" for one in found.values())]) + " |")
            over += [name for name in PARSERS if is_private and found[name] > found["bm25"] + MOST_ABOVE]
    with capsys.disabled():
        print("\n| Pack | Salt | bm25 | inverted | likely |\n|---|---:|---:|---:|---:|")
        print("\n".join(rows))
    assert over == []
