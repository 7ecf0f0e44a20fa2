"""Answers of a model, kept in a JSON Lines file, so that no answer is paid for twice."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from os import SEEK_END
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

from assay.llm.anthropic_model import AnthropicModel
from assay.llm.language_model import Completion, LanguageModel, ModelUnavailable, Request, WhyUnavailable
from assay.llm.structured import parsed


@dataclass(frozen=True, slots=True)
class SentBatch:
    """Batch of a model whose answers are not collected; `batch_id` is "" if its creation was not confirmed."""

    model: str
    batch_id: str
    num: int
    sent_at: datetime


class KeptAnswers:
    """Thread-safe model that looks up each prompt in a file before it asks another model, and appends the answer.

    The key is a hash of the model's name and of everything that is sent. The file also has the ids of sent batches.
    Lines that are neither are skipped: a run that was interrupted leaves half a line. Without a file, answers are kept
    in memory. Raises `OSError` if the file cannot be read or written.
    """

    def __init__(self, model: LanguageModel, file: Path | None) -> None:
        self._model = model
        self._file = file
        self._known: dict[str, Mapping[str, Any]] = {}
        self._batches: dict[str, SentBatch] = {}
        self._ids: set[str] = set()
        self._lock = Lock()
        self.num_reused = 0
        for one in _lines_of(file) if file is not None else ():
            try:
                self._read(one)
            except (ValueError, KeyError, TypeError):
                continue

    @property
    def name(self) -> str:
        return self._model.name

    def close(self) -> None:
        """Close the other model's connections, if it has any."""
        if isinstance(self._model, AnthropicModel):
            self._model.close()

    def complete(
        self, prompt: str, *, system: str = "", schema: Mapping[str, Any] | None = None, max_tokens: int = 4096
    ) -> Completion:
        """Return the kept answer, at no cost, or the model's. Raises `ModelUnavailable`."""
        request = Request(prompt, system, schema, max_tokens)
        known = self.find(request)
        if known is not None:
            self.num_reused += 1
            return known
        found = self._model.complete(prompt, system=system, schema=schema, max_tokens=max_tokens)
        self.keep(request.key_for(self.name), text=found.text, value=found.value)
        return found

    def find(self, request: Request) -> Completion | None:
        """Return the kept answer; None if there is none.

        Raises:
            ModelUnavailable: the kept answer is incomplete or does not fit the schema; asking again costs again.
        """
        known = self._known.get(request.key_for(self.name))
        if known is None:
            return None
        if "why" in known:
            raise ModelUnavailable("the kept answer is incomplete", WhyUnavailable(known["why"]))
        value = known["value"]
        if value is None and request.schema is not None:
            value = parsed(known["text"], request.schema)
        return Completion(known["text"], value, self.name)

    def keep(self, key: str, **answer: Any) -> None:
        """Keep an answer by its key: its `text` and `value`, or `why` it is missing although it was paid for."""
        self._append({"key": key, **answer})

    def is_kept(self, key: str) -> bool:
        """Return whether there is a kept answer, or a reason why it is missing."""
        return key in self._known

    @property
    def batch_ids(self) -> frozenset[str]:
        """Ids of all batches, also of collected ones."""
        return frozenset(self._ids)

    @property
    def pending(self) -> tuple[SentBatch, ...]:
        """Batches of this model that were sent and not collected, oldest first."""
        return tuple(one for one in self._batches.values() if one.model == self.name)

    def sending(self, num: int, at: datetime) -> None:
        """Record that a batch of `num` requests is about to be sent."""
        self._append({"batch": "", "model": self.name, "num": num, "sent_at": at.isoformat()})

    def sent(self, batch_id: str, num: int, at: datetime) -> None:
        """Record the id of the batch that was about to be sent; "" if it was not created."""
        self._append({"created": batch_id, "model": self.name, "num": num, "sent_at": at.isoformat()})

    def collected(self, batch_id: str) -> None:
        """Record that all answers of a batch are kept."""
        self._append({"collected": batch_id})

    def _append(self, one: dict[str, Any]) -> None:
        if self._file is not None:
            with self._lock, self._file.open("a+b") as lines:
                # After a half line of an interrupted run, the new one needs its own.
                start = b"\n" if _is_cut(lines) else b""
                lines.write(start + json.dumps(one).encode() + b"\n")
        self._read(one)

    def _read(self, one: Mapping[str, Any]) -> None:
        """Take over one line; raises `ValueError`, `KeyError` or `TypeError` if it is none."""
        if "key" in one:
            if "why" in one:
                self._known[one["key"]] = {"why": WhyUnavailable(one["why"])}
            else:
                self._known[one["key"]] = {"text": str(one["text"]), "value": one["value"]}
        elif "batch" in one or "created" in one:
            batch_id = str(one.get("created") or one.get("batch") or "")
            if "created" in one:
                self._batches.pop("", None)
            if batch_id or "batch" in one:
                self._ids.add(batch_id)
                at = datetime.fromisoformat(one["sent_at"])
                self._batches[batch_id] = SentBatch(str(one["model"]), batch_id, int(one["num"]), at)
        else:
            self._batches.pop(one["collected"], None)


def _is_cut(file: BinaryIO) -> bool:
    if not file.seek(0, SEEK_END):
        return False
    file.seek(-1, SEEK_END)
    return file.read(1) != b"\n"


def _lines_of(file: Path) -> Iterator[Mapping[str, Any]]:
    if not file.exists():
        return
    for line in file.read_bytes().splitlines():
        try:
            one = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(one, dict):
            yield one
