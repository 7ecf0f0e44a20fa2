"""BEAM: a folder per chat with `chat.json` and `probing_questions/probing_questions.json`. Pickles are not read.

Its own score is a judge's, per rubric item. The share of items that an answer contains is a lower bound, and only
measured where the items are facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, StrictInt, StrictStr

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
from assay.memory_eval.errors import WorldUnreadable
from assay.memory_eval.exam.lines import MOST_QUESTION, MOST_TEXT, shaped
from assay.memory_eval.truth import Dimension, Question, Turn

CHATS = ("chat_trunecated.json", "chat.json")
"""The shortened chat goes first, as in BEAM's own code; its name is spelt so."""
QUESTIONS = ("probing_questions/probing_questions.json", "probing_questions.json")
ABSTENTION = "abstention"
FACTS = frozenset({"information_extraction", "knowledge_update", "multi_session_reasoning", "temporal_reasoning"})
"""Categories whose rubric items are facts that an answer states. Other items describe the answer."""
MOST_CHATS = 10_000
MOST_IDS = 10_000
_MARK = re.compile(r"\s*->->\s*[\d,\s.]+$")
"""What BEAM's generator leaves at the end of a message: the place in its plan."""
_DUTY = re.compile(r"^\s*LLM response should \w+:\s*", re.IGNORECASE)


class Message(Part):
    """One message of a chat."""

    role: str = Field(min_length=1, max_length=100)
    id: StrictInt | StrictStr | None = None
    content: str = Field(max_length=MOST_TEXT)
    time_anchor: str | None = Field(default=None, max_length=200)


class Batch(Part):
    """One batch of a chat: a session, in rounds of messages."""

    batch_number: StrictInt | StrictStr
    time_anchor: str | None = Field(default=None, max_length=200)
    turns: list[list[Message]]


class Probe(Part):
    """One question. The key of the expected answer depends on the category."""

    question: str = Field(min_length=1, max_length=MOST_QUESTION)
    answer: StrictStr | StrictInt | None = None
    ideal_answer: str | None = None
    ideal_response: str | None = None
    ideal_summary: str | None = None
    expected_compliance: str | None = None
    rubric: Annotated[list[Annotated[str, Field(max_length=MOST_QUESTION)]], Field(min_length=1, max_length=1000)]
    source_chat_ids: Any = None


class Probes(Part):
    """The questions of a chat, by category."""

    of: dict[Annotated[str, Field(max_length=100)], list[Probe]]


def worlds_in(path: Path) -> Iterator[BenchmarkWorld]:
    """Yield a world per chat below a folder, or of one chat's folder; raises `WorldUnreadable` with file:line."""
    folders = [path] if _first(path, CHATS) else _folders_in(path)
    if not folders:
        raise WorldUnreadable(f"{path}: no folder with chat.json and probing_questions.json", code="world.no-file")
    for folder in folders:
        yield _world(folder)


def own_score(question: Question, answer: str) -> float | None:
    """Return the share of rubric items that the answer contains; None where only a judge can tell."""
    own = question.rubric.get(OWN)
    items = own.get("items") if isinstance(own, Mapping) else None
    return contains_share(answer, items) if items else None


BENCHMARK = Benchmark("beam", worlds_in, "contains the rubric items", own_score)


def _folders_in(path: Path) -> list[Path]:
    if not path.is_dir():
        return []
    found = [one for one in path.iterdir() if _first(one, CHATS) and _first(one, QUESTIONS)]
    if len(found) > MOST_CHATS:
        raise WorldUnreadable(f"{path}: more than {MOST_CHATS:,} chats", code="world.invalid-row")
    return sorted(found, key=lambda one: (not one.name.isdecimal(), one.name.rjust(20, "0"), one.name))


def _first(folder: Path, names: tuple[str, ...]) -> Path | None:
    return next((folder / name for name in names if (folder / name).is_file()), None)


def _world(folder: Path) -> BenchmarkWorld:
    chat, asked = _first(folder, CHATS), _first(folder, QUESTIONS)
    if chat is None or asked is None:
        raise WorldUnreadable(
            f"{folder}: holds no {'probing_questions' if chat else 'chat'}.json", code="world.no-file"
        )
    turns, numbers = _turns(chat)
    if not turns:
        raise WorldUnreadable(f"{chat}: holds no turns", code="world.no-turns")
    name = folder.resolve().name
    questions: list[Question] = []
    num_lost = 0
    for row in elements_of(asked):
        probes: Probes = shaped(type(row)(row.file, row.line, {"of": row.data}), Probes)
        for category, of_category in probes.of.items():
            for place, probe in enumerate(of_category, start=1):
                ids = _ids(probe.source_chat_ids)
                num_lost += len(ids - numbers.keys())
                evidence = tuple(sorted(numbers[one] for one in ids & numbers.keys()))
                questions.append(_question(f"{name}:{category}:{place}", category, probe, evidence))
    notes = (f"{name}: {num_lost} evidence ids name no message",) if num_lost else ()
    return BenchmarkWorld(name, turns, questions, str(folder), notes)


def _turns(chat: Path) -> tuple[list[Turn], dict[int | str, int]]:
    turns: list[Turn] = []
    numbers: dict[int | str, int] = {}
    time = ""
    for row in elements_of(chat):
        batch: Batch = shaped(row, Batch)
        time = batch.time_anchor or time
        for message in (message for group in batch.turns for message in group):
            time = message.time_anchor or time  # holds until the next one
            header = ", ".join(part for part in (f"Session {batch.batch_number}", time) if part)
            content = f"[{header}]\n{message.role}: {_MARK.sub('', message.content)}"
            turns.append(Turn(len(turns) + 1, content, 0, f"session {batch.batch_number}"))
            if message.id is not None:
                numbers.setdefault(message.id, len(turns))
    return turns, numbers


def _ids(written: Any) -> set[int | str]:
    """Return the message ids in `source_chat_ids`: a list, or an object of lists such as `original_info`."""
    found: set[int | str] = set()
    left = [written]
    while left and len(found) < MOST_IDS:
        one = left.pop()
        if isinstance(one, Mapping):
            left += one.values()
        elif isinstance(one, list):
            left += one
        elif isinstance(one, (int, str)):
            found.add(one)
    return found


def _question(name: str, category: str, probe: Probe, evidence: tuple[int, ...]) -> Question:
    items = [_DUTY.sub("", item).strip() for item in probe.rubric]
    items = [item for item in items if item]
    is_abstention, is_fact = category == ABSTENTION, category in FACTS
    given = (probe.answer, probe.ideal_answer, probe.ideal_response, probe.ideal_summary, probe.expected_compliance)
    expected = next((str(one) for one in given if one), "; ".join(items))
    answer = abstention() if is_abstention else claims(*([item] for item in items)) if is_fact else claims()
    return Question(
        id=name,
        category=category,
        text=probe.question,
        expected_answer=NOT_KNOWN if is_abstention else expected,
        answer=answer,
        relevant_turns=evidence,
        dimensions=(Dimension.factual_accuracy,),
        rubric={"rubric": list(probe.rubric), **({OWN: {"items": items}} if is_fact else {})},
    )
