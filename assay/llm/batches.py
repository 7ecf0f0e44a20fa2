"""Message batches of the Anthropic API: many requests at half the price, answered within hours.

The ids of batches and all answers are kept in a file, so that a run that was cut collects its batches later instead of
sending them again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import quote

from assay.llm.anthropic_model import AnthropicModel
from assay.llm.batch_replies import MOST_LISTED, BatchStatus, ResultLine, listed_from, result_from, status_from
from assay.llm.clients import Provider
from assay.llm.kept_answers import KeptAnswers, SentBatch
from assay.llm.language_model import Completion, ModelUnavailable, Request, WhyUnavailable
from assay.llm.prices import BATCH_SHARE
from assay.llm.replies import NoReply, Trouble, trouble_of

MOST_REQUESTS = 10_000
MOST_BYTES = 64 * 1024 * 1024
"""Maximum size of a batch; the API takes 100,000 requests and 256 MB."""

POLL_S = 30.0
_TOLD_S = 600.0
"""Pause between two messages about a batch that has not ended, in seconds."""

_CLOCKS_APART = timedelta(minutes=10)
"""Maximum difference between our time of a creation and the server's."""

T = TypeVar("T")


class Batches:
    """Completes many requests as message batches; not for concurrent use.

    `tell` is called with a line for the user about each batch. Requests that do not fit the budget of the model at
    their maximum cost are not sent.
    """

    def __init__(
        self, model: AnthropicModel, answers: KeptAnswers, tell: Callable[[str], None] = lambda _: None
    ) -> None:
        if model.provider is not Provider.anthropic:
            raise ModelUnavailable(
                f"batches need the provider anthropic, not {model.provider}", WhyUnavailable.not_set_up
            )
        self._model = model
        self._answers = answers
        self._tell = tell
        self._failed: dict[str, ModelUnavailable] = {}

    def complete_all(self, requests: Sequence[Request]) -> list[Completion | ModelUnavailable]:
        """Complete all requests, see `BatchModel`. Collects the batches of earlier runs first."""
        self._collect_all()
        missing = {}
        for request in requests:
            key = request.key_for(self._model.name)
            if self._answers.is_kept(key):
                self._answers.num_reused += 1
            else:
                missing[key] = request
        self._send(missing)
        self._collect_all()
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request) -> Completion | ModelUnavailable:
        try:
            found = self._answers.find(request)
        except ModelUnavailable as error:
            return error
        missing = ModelUnavailable("the batch has no answer to the request")
        return found or self._failed.get(request.key_for(self._model.name), missing)

    def _send(self, missing: Mapping[str, Request]) -> None:
        """Send the requests that fit the budget."""
        most = [self._most_usd(request) for request in missing.values()]
        num = self._model.budget.fitting(most)
        keys = list(missing)
        for key in keys[num:]:
            self._failed[key] = ModelUnavailable("the model's budget is used up", WhyUnavailable.budget)
        if num < len(keys):
            total = sum(one or 0.0 for one in most)
            self._tell(
                f"{num:,} of {len(keys):,} requests fit the rest of the budget; all of them cost at most"
                f" {total:.2f} US dollars"
            )
        for chunk in _chunks([self._entry(key, missing[key]) for key in keys[:num]]):
            self._create(chunk)

    def _most_usd(self, request: Request) -> float | None:
        most = self._model.most_usd(request)
        return None if most is None else most * BATCH_SHARE

    def _entry(self, key: str, request: Request) -> dict[str, Any]:
        return {"custom_id": key, "params": self._model.params_of(request)}

    def _create(self, requests: list[dict[str, Any]]) -> None:
        """Create a batch and keep its id. A batch whose creation was not confirmed is looked up, never sent twice."""
        at = datetime.now(UTC)
        self._answers.sending(len(requests), at)
        for num_tries in range(1, self._model.max_retries + 2):
            try:
                batches = self._model.client.messages.batches
                raw = batches.with_raw_response.create(requests=requests)
                batch_id = status_from(raw.http_response.content).id
            except Exception as error:  # noqa: BLE001 - `trouble_of` re-raises unknown errors
                trouble = trouble_of(error, self._model.hide)
                batch_id = self._found(len(requests), at) if trouble.may_pass else ""
                if not batch_id:
                    if not trouble.may_pass:
                        self._answers.sent("", len(requests), at)
                    self._give_up_or_wait(trouble, num_tries)
                    continue
            self._answers.sent(batch_id, len(requests), at)
            self._tell(f"batch {batch_id}: {len(requests):,} requests sent; most batches end within an hour")
            return

    def _found(self, num: int, since: datetime) -> str:
        """Return the id of the newest batch of that size and time that no line of the file names, "" for none."""
        known = self._answers.batch_ids
        ask = self._model.client.messages.batches.with_raw_response.list
        for one in self._get(lambda: ask(limit=MOST_LISTED), listed_from):
            is_of_then = abs(one.created_at - since) <= _CLOCKS_APART
            if one.request_counts.total == num and is_of_then and one.id not in known:
                return one.id
        return ""

    def _collect_all(self) -> None:
        for batch in self._answers.pending:
            self._collect(batch)

    def _collect(self, batch: SentBatch) -> None:
        batch_id = batch.batch_id or self._found(batch.num, batch.sent_at)
        if not batch.batch_id:
            self._answers.sent(batch_id, batch.num, batch.sent_at)
            if not batch_id:
                return
        num = self._wait_for(batch_id)
        if num is None:
            self._answers.collected(batch_id)
            self._tell(f"batch {batch_id}: the server has deleted its results")
            return
        seen: set[str] = set()
        for num_tries in range(1, self._model.max_retries + 2):
            try:
                for line in self._results(batch_id):
                    if line.custom_id not in seen:
                        self._take(line)
                        seen.add(line.custom_id)
                if len(seen) < num:
                    raise NoReply
            except Exception as error:  # noqa: BLE001 - `trouble_of` re-raises unknown errors
                self._give_up_or_wait(trouble_of(error, self._model.hide), num_tries)
                continue
            self._answers.collected(batch_id)
            self._tell(f"batch {batch_id}: {num:,} results collected")
            return

    def _wait_for(self, batch_id: str) -> int | None:
        """Wait until a batch has ended; return the number of its requests, None if its results are deleted."""
        started = told = time.monotonic()
        while True:
            status = self._status_of(batch_id)
            if status.archived_at is not None:
                return None
            if status.processing_status == "ended":
                return status.request_counts.total
            if time.monotonic() - told >= _TOLD_S:
                told = time.monotonic()
                self._tell(f"batch {batch_id}: still in progress after {(told - started) / 60:.0f} minutes")
            time.sleep(POLL_S)

    def _status_of(self, batch_id: str) -> BatchStatus:
        ask = self._model.client.messages.batches.with_raw_response.retrieve
        try:
            return self._get(lambda: ask(batch_id), status_from)
        except ModelUnavailable as error:
            raise ModelUnavailable(f"batch {batch_id}: {error.text}", error.why) from None

    def _get(self, ask: Callable[[], Any], parse: Callable[[bytes], T]) -> T:
        """Return the parsed body of a free request, with retries."""
        num_tries = 0
        while True:
            num_tries += 1
            try:
                return parse(ask().http_response.content)
            except Exception as error:  # noqa: BLE001 - `trouble_of` re-raises unknown errors
                self._give_up_or_wait(trouble_of(error, self._model.hide), num_tries)

    def _results(self, batch_id: str) -> Iterator[ResultLine]:
        """Yield the results of a batch. Raises `NoReply` for a line that is none."""
        # The package's own `results` sends the key to whatever address the batch names.
        path = f"/v1/messages/batches/{quote(batch_id, safe='')}/results"
        body = self._model.client.get(path, cast_to=bytes)
        # JSON may contain other line separators than this one.
        yield from (result_from(line) for line in body.split(b"\n") if line.strip())

    def _take(self, line: ResultLine) -> None:
        """Keep an answer, or the reason of this run for a missing one."""
        key, reply = line.custom_id, line.reply
        if reply is None:
            self._failed[key] = line.error(self._model.hide)
            return
        price = self._model.price
        cost = None if price is None else price.cost_usd(reply.usage.tokens) * BATCH_SHARE
        self._model.budget.charge(cost)
        self._model.count(reply.usage.tokens, cost)
        try:
            self._answers.keep(key, text=reply.text(self._model.hide), value=None)
        except ModelUnavailable as error:
            # It was paid for, and the same request would end the same way.
            self._answers.keep(key, why=str(error.why))

    def _give_up_or_wait(self, trouble: Trouble, num_tries: int) -> None:
        if not trouble.may_pass or num_tries > self._model.max_retries:
            raise ModelUnavailable(f"{trouble.message} ({num_tries} tries)", trouble.why) from None
        self._model.pause(num_tries, trouble)


def _chunks(requests: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Split requests into batches of allowed size."""
    chunk: list[dict[str, Any]] = []
    size = 0
    for request in requests:
        num_bytes = len(str(request).encode("utf-8", "replace"))
        if chunk and (len(chunk) >= MOST_REQUESTS or size + num_bytes > MOST_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(request)
        size += num_bytes
    if chunk:
        yield chunk
