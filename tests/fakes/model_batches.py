"""The Message Batches API of the model that stands in for Claude: create, list, retrieve, results."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.fakes.model import Step

PATH = "/v1/messages/batches"


@dataclass(frozen=True)
class Fault:
    """What goes wrong with the next request of one kind; `is_done`: the server did it, and only the answer is lost."""

    step: Step
    is_done: bool = False


@dataclass
class Batch:
    """One batch: its results by custom id, and how often it is looked at until it has ended."""

    id: str
    results: Mapping[str, Mapping[str, Any]]
    polls_left: int
    created_at: str
    is_archived: bool = False

    @property
    def is_ended(self) -> bool:
        return self.polls_left <= 0

    def as_data(self) -> dict[str, Any]:
        """As the API describes it: nothing but `processing` is counted before the end."""
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        for result in self.results.values():
            counts[result["type"] if self.is_ended else "processing"] += 1
        return {
            "id": self.id,
            "type": "message_batch",
            "processing_status": "ended" if self.is_ended else "in_progress",
            "request_counts": counts,
            "ended_at": self.created_at if self.is_ended else None,
            "created_at": self.created_at,
            "expires_at": self.created_at,
            "archived_at": self.created_at if self.is_archived else None,
            "cancel_initiated_at": None,
            "results_url": f"https://example.test/{self.id}" if self.is_ended else None,
        }

    def as_lines(self) -> bytes:
        """The results, in another order than the requests."""
        lines = [json.dumps({"custom_id": key, "result": result}) for key, result in self.results.items()]
        return "".join(f"{line}\n" for line in reversed(lines)).encode()


@dataclass
class FakeBatches:
    """All batches. `faults` has what goes wrong with create, list, retrieve and results; `polls` is for new batches."""

    result_of: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    polls: int = 1
    all: dict[str, Batch] = field(default_factory=dict)
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def answer(self, method: str, path: str, body: Mapping[str, Any]) -> tuple[int, bytes, Fault | None]:
        """The status and body of an answer, and what goes wrong with it."""
        found = re.fullmatch(rf"{PATH}(?:/(\w+)(/results)?)?(?:\?.*)?", path)
        assert found, path
        kind = "results" if found[2] else "retrieve" if found[1] else "create" if method == "POST" else "list"
        self.asked.append(kind)
        fault = self.faults[kind].pop(0) if self.faults.get(kind) else None
        if fault is not None and not fault.is_done:
            return 0, b"", fault
        if kind == "create":
            return 200, json.dumps(self._create(body).as_data()).encode(), fault
        if kind == "list":
            page = [one.as_data() for one in reversed(self.all.values())]
            return 200, json.dumps({"data": page, "has_more": False, "first_id": None, "last_id": None}).encode(), fault
        batch = self.all.get(found[1])
        if batch is None:
            error = {"type": "not_found_error", "message": "no such batch"}
            return 404, json.dumps({"type": "error", "error": error}).encode(), fault
        if kind == "results":
            assert batch.is_ended
            return 200, batch.as_lines(), fault
        batch.polls_left -= 1
        return 200, json.dumps(batch.as_data()).encode(), fault

    def _create(self, body: Mapping[str, Any]) -> Batch:
        keys = [one["custom_id"] for one in body["requests"]]
        assert len(set(keys)) == len(keys)
        assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", key) for key in keys)
        results = {one["custom_id"]: self.result_of(one["params"]) for one in body["requests"]}
        moment = datetime.now(UTC).isoformat()
        made = Batch(f"msgbatch_{len(self.all) + 1}", results, self.polls, moment)
        self.all[made.id] = made
        return made
