"""How long grading takes without a model, and how large a dialogue is.

    make bench PYTEST_ARGS="-k memory_grading"

Of three rounds the quickest counts: whatever else the machine does only ever adds to it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from rich.console import Console
from rich.table import Table

from assay.memory_eval import Question, generate_dialogue, generate_questions, grade
from assay.memory_eval.run.asking import MOST_KEPT

MOST_S = 1.0
HEAPS = ("all the evidence", f"{MOST_KEPT:,} characters")
"""No answers but all there is: whoever sends a thousand of these may wait twice as long."""
NUM_ANSWERS = 1_000
CHARACTERS_A_TOKEN = 4
SEED_PAGES = ((100, 20, 80, 0.1), (500, 50, 400, 0.5), (1_000, 100, 800, 1.0), (5_000, 200, 4_000, 5.0))
"""Turns, questions, facts at least, seconds at most: what is promised of generation."""


@pytest.mark.bench
def test_a_thousand_answers_are_graded_in_less_than_a_second() -> None:
    ground_truth = generate_dialogue(num_turns=5_000, seed=42)
    questions = generate_questions(ground_truth, num_questions=NUM_ANSWERS)
    told = ground_truth.turns
    dump = "\n".join(turn.content for turn in told)[:MOST_KEPT]
    answers: dict[str, Callable[[Question], str]] = {
        "the gold": lambda one: one.expected_answer,
        "the gold in a sentence": lambda one: f"According to my notes, it's {one.expected_answer}.",
        "denied": lambda one: f"It's not {one.expected_answer}.",
        "I don't know": lambda one: "I don't know.",
        "a turn of the evidence": lambda one: told[(one.relevant_turns or (1,))[0] - 1].content,
        HEAPS[0]: lambda one: "\n".join(told[number - 1].content for number in one.relevant_turns),
        HEAPS[1]: lambda one: dump,
    }
    table = Table("1,000 answers", "seconds")
    took_s = {}
    for name, answer in answers.items():
        pairs = [(question, answer(question)) for question in questions]
        took_s[name] = min(_seconds(pairs) for _ in range(3))
        table.add_row(name, f"{took_s[name]:.2f}")
    Console(width=100).print(table)
    for name, seconds in took_s.items():
        assert seconds < (2 * MOST_S if name in HEAPS else MOST_S), name


@pytest.mark.bench
def test_generation_keeps_its_promises_of_size_and_time() -> None:
    generate_questions(generate_dialogue(num_turns=100, seed=1), num_questions=30)  # the word lists are read
    table = Table("turns", "questions", "facts", "about tokens", "seconds", "may take s")
    for num_turns, num_questions, fewest_facts, most_s in SEED_PAGES:
        rounds = []
        for seed in (42, 123, 456):
            began_s = time.process_time()
            turns = generate_dialogue(num_turns=num_turns, seed=seed)
            generate_questions(turns, num_questions=num_questions)
            rounds.append(time.process_time() - began_s)
        facts = sum(len(turn.facts) for turn in turns.turns)
        tokens = sum(len(turn.content) for turn in turns.turns) // CHARACTERS_A_TOKEN
        table.add_row(
            *(f"{one:,}" for one in (num_turns, num_questions, facts, tokens)), f"{min(rounds):.2f}", f"{most_s}"
        )
        assert facts >= fewest_facts
        assert min(rounds) < most_s
    Console(width=100).print(table)


def _seconds(pairs: list[tuple[Question, str]]) -> float:
    began_s = time.process_time()
    for pair in pairs:
        grade(*pair)
    return time.process_time() - began_s
