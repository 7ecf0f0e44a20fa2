"""Checksums over the turns and questions of some exams, by nothing but the standard library: `python digests.py`.

Another Python, another order of hashes, another locale and another time zone have to print the same.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict

from assay.memory_eval import generate_dialogue, generate_questions

EXAMS = ((100, 42, 100), (1_000, 7, 200), (2_500, 123, 400))


def digest(num_turns: int, seed: int, num_questions: int) -> str:
    """A sha256 over everything: turns with their facts, questions with answers, evidence and rubrics."""
    ground_truth = generate_dialogue(num_turns=num_turns, seed=seed)
    questions = generate_questions(ground_truth, num_questions=num_questions)
    whole = [[asdict(turn) for turn in ground_truth.turns], [asdict(question) for question in questions]]
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def told() -> str:
    """A line for each exam."""
    return "".join(f"{' '.join(map(str, exam))} {digest(*exam)}\n" for exam in EXAMS)


if __name__ == "__main__":
    print(told(), end="")
