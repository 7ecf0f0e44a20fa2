"""A small exam of things with names, for tests that are about the way an exam is held."""

from __future__ import annotations

from assay.memory_eval import Answer, AnswerType, Dimension, Exam, Question, Turn

STONES = """agate basalt beryl chalk cobalt copper coral dolomite emerald flint garnet gneiss granite graphite gypsum
halite jade jasper jet lapis marble malachite mica obsidian olivine onyx opal pearl peridot pumice pyrite quartz ruby
sapphire schist slate spinel sulfur talc topaz tourmaline turquoise zircon""".split()


def small_exam(num_turns: int = 40, num_questions: int = 10, seed: int = 7) -> Exam:
    """Turn n tells which stone box n holds; what is asked is which stone one of the boxes holds."""
    turns = []
    for number in range(1, num_turns + 1):
        stone = _stone(number)
        fact = {
            "entity": f"box number{number}",
            "attribute": "stone",
            "value": stone,
            "source": None,
            "valid_from": "2025-01-01",
        }
        turns.append(Turn(number, f"box number{number} holds {stone}.", 1 + (number - 1) % 12, "boxes", [fact]))
    questions = [_question(number, 1 + (number * 7) % num_turns) for number in range(1, num_questions + 1)]
    return Exam(turns, questions, {"seed": seed, "version": "test"})


def _stone(number: int) -> str:
    return STONES[number % len(STONES)]


def _question(number: int, box: int) -> Question:
    return Question(
        id=f"q{number:04}",
        category="needle_in_haystack" if number % 2 else "meta_memory",
        text=f"What does box number{box} hold? Answer with the stone.",
        expected_answer=_stone(box),
        answer=Answer(AnswerType.entity, _stone(box)),
        relevant_turns=(box,),
        dimensions=(Dimension.factual_accuracy,),
        rubric={"others": [stone for stone in STONES if stone != _stone(box)][:40]},
    )
