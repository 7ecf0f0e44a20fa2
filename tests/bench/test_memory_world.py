"""How long a world takes to be told, and asked about, and what it holds in memory.

make bench PYTEST_ARGS="-k memory_world"
"""

from __future__ import annotations

import time
import tracemalloc

import pytest
from rich.console import Console
from rich.table import Table

from assay.memory_eval import generate_dialogue, generate_questions


@pytest.mark.bench
def test_five_thousand_turns_and_a_thousand_questions_take_less_than_a_second() -> None:
    generate_questions(generate_dialogue(100, 1), 30)  # the word lists are read
    table = Table("turns", "facts", "questions", "dialogue s", "questions s")
    best_s = 60.0
    for seed in (42, 123, 456):
        began = time.process_time()
        ground_truth = generate_dialogue(5000, seed)
        told_s = time.process_time() - began
        questions = generate_questions(ground_truth, 1000)
        whole_s = time.process_time() - began
        facts = sum(len(turn.facts) for turn in ground_truth.turns)
        table.add_row("5,000", f"{facts:,}", f"{len(questions):,}", f"{told_s:.2f}", f"{whole_s - told_s:.2f}")
        best_s = min(best_s, whole_s)
    Console(width=100).print(table)
    assert best_s < 1.0


@pytest.mark.bench
def test_fifty_thousand_turns_stay_small() -> None:
    tracemalloc.start()
    ground_truth = generate_dialogue(50_000, 42)
    peak_mb = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    words = sum(len(turn.content.split()) for turn in ground_truth.turns)
    Console(width=100).print(f"50,000 turns: {words:,} words, {peak_mb:.0f} MB at most")
    assert peak_mb < 300
