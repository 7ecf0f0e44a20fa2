"""LoCoMo (`locomo10.json` of snap-research/locomo): ten conversations of two people over months.

Its own score is the F1 of stemmed words; of category 5 whether the answer contains one of two phrases
(`task_eval/evaluation.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, StrictFloat, StrictInt, StrictStr, model_validator

from assay.memory_eval.benchmarks.benchmark import (
    NOT_KNOWN,
    OWN,
    Benchmark,
    BenchmarkWorld,
    Part,
    abstention,
    claims,
    day_of,
    elements_of,
    token_f1,
    token_f1_of_parts,
)
from assay.memory_eval.exam.lines import MOST_QUESTION, MOST_TEXT, shaped
from assay.memory_eval.truth import Answer, Dimension, Question, Turn

CATEGORIES = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}
MULTI_HOP, OPEN_DOMAIN, ADVERSARIAL = 1, 3, 5
PHRASES = ("no information available", "not mentioned")
_SESSION = re.compile(r"session_([1-9]\d{0,4})")
_ARTICLES = re.compile(r"^(?:(?:the|an?)\s+)+", re.IGNORECASE)
_EVIDENCE = re.compile(r"\bD:?(\d{1,6}):(\d{1,6})\b")


class DialogTurn(Part):
    """One turn. A shared picture is in the dialogue as its caption only."""

    speaker: str = Field(min_length=1, max_length=200)
    dia_id: str = Field(max_length=200)
    text: str = Field(max_length=MOST_TEXT)
    blip_caption: str | None = Field(default=None, max_length=MOST_TEXT)


class Session(Part):
    """One session with its date and time."""

    date_time: str = Field(max_length=200)
    turns: list[DialogTurn]


class Conversation(Part):
    """The sessions by number. In the file they are keys: `session_3`, `session_3_date_time`."""

    sessions: dict[int, Session]

    @model_validator(mode="before")
    @classmethod
    def _by_number(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        numbers = sorted(int(match[1]) for key in data if (match := _SESSION.fullmatch(str(key))))
        return {
            "sessions": {
                number: {
                    "date_time": data.get(f"session_{number}_date_time", ""),
                    "turns": data[f"session_{number}"],
                }
                for number in numbers
            }
        }


class Asked(Part):
    """One question. Category 5 has an `adversarial_answer`, which is wrong."""

    question: str = Field(min_length=1, max_length=MOST_QUESTION)
    answer: StrictStr | StrictInt | StrictFloat | None = None
    adversarial_answer: StrictStr | StrictInt | StrictFloat | None = None
    evidence: list[str] = Field(default=[], max_length=1000)
    category: int = Field(ge=1, le=5)


class Sample(Part):
    """One conversation with its questions."""

    sample_id: str | None = Field(default=None, max_length=200)
    conversation: Conversation
    qa: list[Asked]


def worlds_in(path: Path) -> Iterator[BenchmarkWorld]:
    """Yield a world per conversation; raises `WorldUnreadable` with file:line."""
    for place, row in enumerate(elements_of(path), start=1):
        sample: Sample = shaped(row, Sample)
        name = sample.sample_id or f"conversation-{place}"
        turns, numbers = _turns(sample.conversation)
        if not turns:
            row.wrong(f"{name}: conversation: no session has turns")
        questions, num_lost = [], 0
        for number, asked in enumerate(sample.qa, start=1):
            if asked.answer is None and asked.category != ADVERSARIAL:
                row.wrong(f"{name}: qa.{number - 1}.answer is missing")
            evidence, lost = _evidence(asked.evidence, numbers)
            num_lost += lost
            questions.append(_question(f"{name}:q{number}", asked, evidence))
        notes = (f"{name}: {num_lost} evidence ids name no turn",) if num_lost else ()
        yield BenchmarkWorld(name, turns, questions, f"{row.file}:{row.line}", notes)


def own_score(question: Question, answer: str) -> float | None:
    """Return LoCoMo's score of an answer."""
    own = question.rubric.get(OWN)
    if not isinstance(own, Mapping):
        return None
    gold, category = str(own.get("gold")), own.get("category")
    if category == ADVERSARIAL:
        return float(any(phrase in answer.lower() for phrase in PHRASES))
    if category == MULTI_HOP:
        return token_f1_of_parts(answer, gold)
    return token_f1(answer, gold.partition(";")[0].strip() if category == OPEN_DOMAIN else gold)


BENCHMARK = Benchmark("locomo", worlds_in, "LoCoMo's F1", own_score)


def _turns(conversation: Conversation) -> tuple[list[Turn], dict[tuple[int, int], int]]:
    """Return the turns, and the number of the turn with each evidence id, such as (3, 13) of "D3:13"."""
    turns: list[Turn] = []
    numbers: dict[tuple[int, int], int] = {}
    for number, session in sorted(conversation.sessions.items()):
        header = ", ".join(part for part in (f"Session {number}", session.date_time) if part)
        for turn in session.turns:
            picture = f" [shares a picture: {turn.blip_caption}]" if turn.blip_caption else ""
            content = f"[{header}]\n{turn.speaker}: {turn.text}{picture}"
            turns.append(Turn(len(turns) + 1, content, 0, f"session {number}"))
            if match := _EVIDENCE.fullmatch(turn.dia_id):
                numbers[int(match[1]), int(match[2])] = len(turns)
    return turns, numbers


def _evidence(written: list[str], numbers: Mapping[tuple[int, int], int]) -> tuple[tuple[int, ...], int]:
    """Return the evidence turns, and how many ids name none. The file has ids like "D8:6; D9:17" and "D30:05"."""
    found: list[int] = []
    num_lost = 0
    for text in written:
        ids = [(int(session), int(turn)) for session, turn in _EVIDENCE.findall(text)]
        known = [numbers[one] for one in ids if one in numbers]
        found += known
        num_lost += len(ids) - len(known) if ids else 1
    return tuple(sorted(set(found))), num_lost


def _question(name: str, asked: Asked, evidence: tuple[int, ...]) -> Question:
    gold = "" if asked.answer is None else str(asked.answer).strip()
    rubric: dict[str, Any] = {OWN: {"gold": gold, "category": asked.category}}
    if asked.category == ADVERSARIAL and asked.adversarial_answer is not None:
        # Without its article, which the graders drop too: "The Fireworks" would read as a first and a last name.
        rubric["others"] = [_ARTICLES.sub("", str(asked.adversarial_answer))]
    return Question(
        id=name,
        category=CATEGORIES[asked.category],
        text=asked.question,
        expected_answer=NOT_KNOWN if asked.category == ADVERSARIAL else gold,
        answer=_answer(asked.category, gold),
        relevant_turns=evidence,
        dimensions=(Dimension.factual_accuracy,),
        rubric=rubric,
    )


def _answer(category: int, gold: str) -> Answer:
    if category == ADVERSARIAL:
        return abstention()
    if category == OPEN_DOMAIN:
        # "Yes, since she collects children's books": the reason is one of many, only a judge can compare it.
        return claims()
    if category == MULTI_HOP:
        return claims(*([part.strip()] for part in gold.split(",") if part.strip()))
    return day_of(gold) or claims([gold])
