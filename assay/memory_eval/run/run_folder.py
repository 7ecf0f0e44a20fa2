"""The folder of a run: every turn and grade is on disk before the next, so that a kill loses nothing.

    run.json        exam, agent and grading; the folder of another run is not resumed
    learned.jsonl   one line per ingested turn
    results.jsonl   one line per answered question and one per grade; at the end one line per question

A secret run, whose agent may be able to read the folder, writes no question, gold or seed before its end.
A line that was cut off by a crash is truncated; its turn or question is repeated.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Annotated, Any, Self

from pydantic import Field, TypeAdapter, ValidationError

from assay.memory_eval.errors import ExamUsageError, WorldUnreadable
from assay.memory_eval.files import first_wrong, line_of, lines_of, object_in, opened, write_atomically
from assay.memory_eval.report.model import EvalResult

FORMAT = 1
SYNC_EVERY_S = 1.0
"""Seconds between syncs of ingested turns to the disk; a kill of the program alone loses none."""

MEMORY = "agent-memory"


@dataclass(frozen=True, slots=True)
class IngestedTurn:
    """One ingested turn: its duration, when it happened (seconds of learning so far), and its error."""

    turn_number: int
    took_s: float
    elapsed_s: float
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """One question's result, and the number of words of the whole answer."""

    result: EvalResult
    num_words: int


_TOLD = TypeAdapter(IngestedTurn)
_RESULT = TypeAdapter(EvalResult)
_COUNT = TypeAdapter(Annotated[int, Field(ge=0, strict=True)])
_APPENDED = os.O_WRONLY | os.O_CREAT | os.O_APPEND
_GRADE = ("question_id", "score", "dimensions", "reasoning", "why_not_graded")


class RunFolder:
    """State of a run. Without a folder (`path` None) it is kept only in memory."""

    def __init__(self, path: Path | None, *, is_secret: bool = False) -> None:
        self.path = path
        self._is_secret = is_secret
        self.told: dict[int, IngestedTurn] = {}
        self.answered: dict[str, Answered] = {}
        self.saved_after: int | None = None
        """The turn after which the agent last saved what it had learned."""
        self.keeps_a_store = False
        """Whether the agent was found to keep what it learned across a restart."""
        self._files: dict[str, IO[bytes]] = {}
        self._synced_at_s = time.monotonic()

    @property
    def learning_time_s(self) -> float:
        """Seconds of learning so far, over all resumed parts of the run."""
        return max((told.elapsed_s for told in self.told.values()), default=0.0)

    @property
    def memory(self) -> Path | None:
        """Where the agent saved what it had learned, if it did."""
        if self.path is None or self.saved_after is None:
            return None
        return self.path / f"{MEMORY}-{self.saved_after}"

    def was_told(self, told: IngestedTurn) -> None:
        self.told[told.turn_number] = told
        self._write("learned.jsonl", asdict(told))

    def was_answered(self, answered: Answered) -> None:
        self.answered[answered.result.question_id] = answered
        if self._is_secret:
            return
        self._write("results.jsonl", _plain(answered), at_once=True)

    def was_graded(self, result: EvalResult) -> None:
        """Record the grade of a question that was answered before."""
        self.answered[result.question_id] = replace(self.answered[result.question_id], result=result)
        if self._is_secret:
            return
        self._write("results.jsonl", {name: getattr(result, name) for name in _GRADE})

    def is_complete(self, question_ids: Sequence[str]) -> None:
        """Finish the run: write one line per question, in order."""
        if self.path is None:
            return
        self._close("results.jsonl")
        lines = (line_of(_plain(self.answered[question_id])) for question_id in question_ids)
        write_atomically(self.path / "results.jsonl", lines)

    def was_saved(self, turn_number: int) -> None:
        self.saved_after = turn_number
        self._write("learned.jsonl", {"saved_after": turn_number}, at_once=True)

    def was_found_to_keep_a_store(self) -> None:
        self.keeps_a_store = True
        self._write("learned.jsonl", {"keeps_a_store": True}, at_once=True)

    def forget_telling(self, after: int = 0) -> None:
        """Discard the turns after this one, so that they are ingested again."""
        self.told = {number: told for number, told in self.told.items() if number <= after}
        if not after:
            self.saved_after = None
        if self.path is None:
            return
        lines = [asdict(told) for told in self.told.values()]
        lines += [{"saved_after": self.saved_after}] if self.saved_after else []
        lines += [{"keeps_a_store": True}] if self.keeps_a_store else []
        self._close("learned.jsonl")
        write_atomically(self.path / "learned.jsonl", map(line_of, lines))

    def close(self) -> None:
        for file in self._files.values():
            os.fsync(file.fileno())
            file.close()
        self._files = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _close(self, name: str) -> None:
        if (file := self._files.pop(name, None)) is not None:
            file.close()

    def _write(self, name: str, line: Mapping[str, Any], *, at_once: bool = False) -> None:
        if self.path is None:
            return
        if name not in self._files:
            self._files[name] = opened(self.path / name, _APPENDED)
        file = self._files[name]
        file.write(line_of(line))
        if at_once or time.monotonic() - self._synced_at_s > SYNC_EVERY_S:
            os.fsync(file.fileno())
            self._synced_at_s = time.monotonic()

    def read_back(self) -> None:
        """Load the state an interrupted run left; raises `WorldUnreadable` for invalid lines."""
        if self.path is None:
            return
        for where, data in lines_of(self.path / "learned.jsonl"):
            if "saved_after" in data:
                self.saved_after = _checked(_COUNT, data["saved_after"], where)
            elif "keeps_a_store" in data:
                self.keeps_a_store = True
            else:
                told: IngestedTurn = _checked(_TOLD, data, where)
                self.told[told.turn_number] = told
        for where, data in lines_of(self.path / "results.jsonl"):
            before = self.answered.get(str(data.get("question_id")))
            is_grade = before is not None and "question" not in data
            whole = {**_plain(before), **data} if before is not None and is_grade else data
            result: EvalResult = _checked(_RESULT, whole, where)
            self.answered[result.question_id] = Answered(result, _checked(_COUNT, whole.get("num_words"), where))

    def hold(self) -> None:
        """Lock the folder; raises `ExamUsageError` if another process holds the lock."""
        if self.path is None:
            return
        file = opened(self.path / "run.lock", _APPENDED)
        self._files["run.lock"] = file
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ExamUsageError(f"another run is writing into {self.path}", code="run.locked") from None


def run_folder(path: Path | None, identity: Mapping[str, Any], *, resume: bool, is_secret: bool = False) -> RunFolder:
    """Yield the folder of a run, created if missing; with `resume`, load what was done before.

    `identity` says which run this is. Raises `ExamUsageError` if the folder holds another run or cannot be written.
    Without `resume` a run starts again, and earlier results are kept as `results.previous.jsonl`.
    """
    folder = RunFolder(path, is_secret=is_secret)
    if path is None:
        if resume:
            raise ExamUsageError("--resume needs the --output-dir of the run that is to be continued")
        return folder
    try:
        path.mkdir(parents=True, exist_ok=True)
        folder.hold()
        if resume and (path / "run.json").exists():
            _must_be_the_same(path, identity)
            folder.read_back()
        else:
            _set_aside(path)
            write_atomically(path / "run.json", [line_of({"format": FORMAT, **identity})])
    except OSError as error:
        folder.close()
        raise ExamUsageError(f"{path} cannot be written ({error.strerror or error})", code="file.not-written") from None
    except BaseException:
        folder.close()
        raise
    return folder


def _must_be_the_same(path: Path, identity: Mapping[str, Any]) -> None:
    record = path / "run.json"
    found = object_in(record.read_bytes(), str(record), "not the record of a run")
    for name, wanted in {"format": FORMAT, **identity}.items():
        if found.get(name) != wanted:
            was = str(found.get(name))[:80]
            raise ExamUsageError(
                f"{path} holds another run: {name} was {was!r}, now it is {str(wanted)[:80]!r}",
                code="run.other-settings",
            )


def _set_aside(path: Path) -> None:
    results = path / "results.jsonl"
    if os.path.lexists(results):
        results.replace(path / "results.previous.jsonl")
    (path / "learned.jsonl").unlink(missing_ok=True)


def _checked(shape: TypeAdapter[Any], data: object, where: str) -> Any:
    try:
        return shape.validate_python(data)
    except ValidationError as error:
        raise WorldUnreadable(f"{where}: {first_wrong(error)}", code="run.invalid-record") from None


def _plain(answered: Answered) -> dict[str, Any]:
    return {**asdict(answered.result), "num_words": answered.num_words}
