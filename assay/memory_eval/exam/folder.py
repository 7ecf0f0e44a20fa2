"""Exam folders: turns.jsonl, questions.jsonl and manifest.json; and offline answers.

The same seed gives the same bytes on every machine: keys have a fixed order, texts are not escaped, and lines end with
a line feed.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from assay.memory_eval.errors import ExamUsageError, WorldUnreadable, told_in_a_line
from assay.memory_eval.exam.lines import AnswerLine, questions_in, shaped, turns_in
from assay.memory_eval.files import plain_json, rows_of, write_atomically
from assay.memory_eval.truth import NOT_GIVEN, GroundTruth, Question, Turn
from assay.memory_eval.world.world import WORLD_VERSION

KIND = "assay-memory-world"
TURNS, QUESTIONS, MANIFEST = "turns.jsonl", "questions.jsonl", "manifest.json"
MOST_MANIFEST_BYTES = 1024 * 1024
MOST_ANSWER_CHARACTERS = 50_000
"""Longest kept answer, in characters; grading reads less, and a report must stay easy to open."""


@dataclass(frozen=True, slots=True)
class Exam:
    """Turns and questions of an exam.

    A hand-written folder has no `manifest`; `notes` report anything unusual about it.
    """

    turns: list[Turn]
    questions: list[Question]
    manifest: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An offline answer; "" if there is none."""

    text: str
    confidence: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    value: Any = NOT_GIVEN

    @property
    def is_given(self) -> bool:
        """Whether there is an answer, in words or as a value."""
        return bool(self.text.strip()) or self.value is not NOT_GIVEN


def write_exam(
    folder: Path,
    ground_truth: GroundTruth,
    questions: Sequence[Question],
    seed: int | None,
    *,
    force: bool = False,
) -> dict[str, Any]:
    """Write the three files atomically and return the manifest.

    Raises `ExamUsageError` if the folder holds something else (unless `force`) or cannot be written.
    """
    with told_in_a_line(folder, "written"):
        _check(folder, force=force)
        folder.mkdir(parents=True, exist_ok=True)
        # The manifest describes files that exist: it is deleted first and written last.
        (folder / MANIFEST).unlink(missing_ok=True)
        hashes = {
            TURNS: write_atomically(folder / TURNS, (_line(asdict(turn)) for turn in ground_truth.turns)),
            QUESTIONS: write_atomically(folder / QUESTIONS, (_line(_question(question)) for question in questions)),
        }
        manifest = {
            "kind": KIND,
            "version": WORLD_VERSION,
            "seed": seed,
            "num_turns": len(ground_truth.turns),
            "num_questions": len(questions),
            "num_facts": sum(len(turn.facts) for turn in ground_truth.turns),
            "categories": dict(sorted(Counter(question.category for question in questions).items())),
            "sha256": hashes,
        }
        write_atomically(folder / MANIFEST, [json.dumps(manifest, indent=2).encode() + b"\n"])
    return manifest


def read_exam(folder: Path, *, wants_turns: bool = True) -> Exam:
    """Read a generated or custom world; raises `WorldUnreadable` with file:line.

    Grading needs only the questions (`wants_turns=False`): turns are then optional.
    """
    has_turns = wants_turns or any(folder.glob("turns.*"))
    turns = turns_in(folder) if has_turns else []
    manifest = _manifest(folder)
    most = len(turns) if has_turns else None
    return Exam(turns, questions_in(folder, most), manifest, tuple(_changed(folder, manifest)))


def read_answers(path: Path, questions: Sequence[Question]) -> dict[str, GivenAnswer]:
    """Read answers by question id, from lines `{"id": …, "answer": …}`.

    Raises `WorldUnreadable` for an unknown or repeated id.
    """
    known = {question.id for question in questions}
    lines: dict[str, int] = {}
    answers: dict[str, GivenAnswer] = {}
    if path.suffix.lower() in (".yaml", ".yml"):
        raise WorldUnreadable(f"{path}: answers are read from JSON lines")
    for row in rows_of(path, "answers"):
        line: AnswerLine = shaped(row, AnswerLine)
        name = str(line.id)
        if name not in known:
            row.wrong(f"no question has the id {name[:200]!r}")
        if name in lines:
            row.wrong(f"the id {name!r} was answered on line {lines[name]} already")
        lines[name] = row.line
        text = "" if line.answer is None else str(line.answer)
        kept = text if len(text) <= MOST_ANSWER_CHARACTERS else text[:MOST_ANSWER_CHARACTERS] + " […]"
        value = line.value if "value" in line.model_fields_set else NOT_GIVEN
        answers[name] = GivenAnswer(kept, line.confidence, line.tokens_in, line.tokens_out, value)
    return answers


def _question(question: Question) -> dict[str, Any]:
    """Return a question as its line holds it, with everything grading needs."""
    return {
        "id": question.id,
        "category": question.category,
        "text": question.text,
        "expected_answer": question.expected_answer,
        "answer_type": str(question.answer.type),
        "answer": question.answer.to_dict(),
        "relevant_turns": list(question.relevant_turns),
        "dimensions": [str(dimension) for dimension in question.dimensions],
        "rubric": _sorted(question.rubric),
    }


def _sorted(data: Any) -> Any:
    if isinstance(data, Mapping):
        return {str(key): _sorted(data[key]) for key in sorted(data)}
    return [_sorted(item) for item in data] if isinstance(data, (list, tuple)) else data


def _line(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _check(folder: Path, *, force: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise ExamUsageError(f"{folder}: is a file; expected a folder")
    if force or not folder.is_dir() or not any(folder.iterdir()):
        return
    if _manifest(folder).get("kind") != KIND:
        raise ExamUsageError(
            f"{folder}: contains files that are not a generated world; use --force to write anyway",
            code="world.not-generated",
        )


def _manifest(folder: Path) -> Mapping[str, Any]:
    """Return the manifest; empty if there is none or another program wrote it."""
    try:
        with (folder / MANIFEST).open("rb") as file:
            data = plain_json(file.read(MOST_MANIFEST_BYTES))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) and data.get("kind") == KIND else {}


def _changed(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    hashes = manifest.get("sha256")
    for name, expected in (hashes if isinstance(hashes, dict) else {}).items():
        path = folder / name
        if name in (TURNS, QUESTIONS) and path.is_file():
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
            if found != expected:
                yield f"{name} does not match its manifest: it was changed since it was written"
    if manifest and manifest.get("version") != WORLD_VERSION:
        yield f"this world is of version {manifest.get('version')!r}; the present one is {WORLD_VERSION}"
