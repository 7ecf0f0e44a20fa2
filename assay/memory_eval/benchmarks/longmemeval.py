"""LongMemEval (`longmemeval_s.json`, `_m`, `_oracle`): a haystack of chat sessions per question.

Its own score is a judge's. `contains` is a lower bound: right answers in other words are missed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, StrictFloat, StrictInt, StrictStr

from assay.memory_eval.benchmarks.benchmark import (
    NOT_KNOWN,
    OWN,
    Benchmark,
    BenchmarkWorld,
    Part,
    abstention,
    claims,
    contains_share,
    elements_of,
)
from assay.memory_eval.exam.lines import MOST_ID, MOST_QUESTION, MOST_TEXT, shaped
from assay.memory_eval.truth import Dimension, Question, Turn

ABSTENTION = "_abs"
PREFERENCE = "single-session-preference"
Gold = StrictStr | StrictInt | StrictFloat


class ChatTurn(Part):
    """One message. `has_answer` marks evidence."""

    role: Literal["user", "assistant", "system"]
    content: str = Field(max_length=MOST_TEXT)
    has_answer: bool | None = None


class Instance(Part):
    """One question with its haystack."""

    question_id: str = Field(min_length=1, max_length=MOST_ID)
    question_type: str = Field(min_length=1, max_length=MOST_ID)
    question: str = Field(min_length=1, max_length=MOST_QUESTION)
    answer: Gold | list[Gold]
    question_date: str = Field(default="", max_length=MOST_ID)
    haystack_dates: list[str]
    haystack_session_ids: list[str] = Field(default=[])
    haystack_sessions: list[list[ChatTurn]]
    answer_session_ids: list[str] = Field(default=[])


def worlds_in(path: Path) -> Iterator[BenchmarkWorld]:
    """Yield a world per question; raises `WorldUnreadable` with file:line."""
    for row in elements_of(path):
        one: Instance = shaped(row, Instance)
        num_dates, num_sessions = len(one.haystack_dates), len(one.haystack_sessions)
        if num_dates != num_sessions:
            row.wrong(f"{one.question_id}: haystack_dates has {num_dates} entries, haystack_sessions {num_sessions}")
        if one.haystack_session_ids and len(one.haystack_session_ids) != num_sessions:
            row.wrong(
                f"{one.question_id}: haystack_session_ids has {len(one.haystack_session_ids)} entries,"
                f" haystack_sessions {num_sessions}"
            )
        turns, evidence = _turns(one)
        if not turns:
            row.wrong(f"{one.question_id}: haystack_sessions has no turns")
        yield BenchmarkWorld(one.question_id, turns, [_question(one, evidence)], f"{row.file}:{row.line}")


def own_score(question: Question, answer: str) -> float | None:
    """Return 1.0 if the answer contains one of the golds; None for abstentions and preferences."""
    own = question.rubric.get(OWN)
    golds = own.get("golds") if isinstance(own, Mapping) else None
    return max(contains_share(answer, [gold]) for gold in golds) if golds else None


BENCHMARK = Benchmark("longmemeval", worlds_in, "contains the gold answer", own_score)


def _turns(one: Instance) -> tuple[list[Turn], tuple[int, ...]]:
    """Return the turns, and the numbers of the evidence: marked turns, else all turns of the marked sessions."""
    turns: list[Turn] = []
    marked: list[int] = []
    in_sessions: list[int] = []
    answers = set(one.answer_session_ids)
    for place, (date, name, session) in enumerate(_in_order(one), start=1):
        header = ", ".join(part for part in (f"Session {place}", date) if part)
        for turn in session:
            turns.append(Turn(len(turns) + 1, f"[{header}]\n{turn.role}: {turn.content}", 0, f"session {place}"))
            marked += [len(turns)] if turn.has_answer else []
            in_sessions += [len(turns)] if name in answers else []
    return turns, tuple(marked or in_sessions)


def _in_order(one: Instance) -> Iterator[tuple[str, str, list[ChatTurn]]]:
    """Yield the sessions by their dates, 2023/05/20 (Sat) 02:21: those of the oracle file are not in order."""
    names = one.haystack_session_ids or [""] * len(one.haystack_sessions)
    yield from sorted(zip(one.haystack_dates, names, one.haystack_sessions, strict=True), key=lambda row: row[0])


def _question(one: Instance, evidence: tuple[int, ...]) -> Question:
    golds = [str(gold) for gold in (one.answer if isinstance(one.answer, list) else [one.answer])]
    is_abstention = one.question_id.endswith(ABSTENTION)
    is_open = one.question_type == PREFERENCE or not any(gold.strip() for gold in golds)
    rubric: dict[str, Any] = {} if is_abstention or is_open else {OWN: {"golds": golds}}
    answer = abstention() if is_abstention else claims() if is_open else claims(golds)
    return Question(
        id=one.question_id,
        category="abstention" if is_abstention else one.question_type.replace("-", "_"),
        text=f"(Asked on {one.question_date}.) {one.question}" if one.question_date else one.question,
        expected_answer=NOT_KNOWN if is_abstention else " or ".join(golds),
        answer=answer,
        relevant_turns=evidence,
        dimensions=(Dimension.factual_accuracy,),
        rubric=rubric,
    )
