"""Session traces: `POST /api/v1/traces` takes a trace file in any supported format."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from assay.github.errors import ApiRefused, TraceUnreadable
from assay.github_app.outcomes import evaluate_task, take_traces
from assay.github_app.provenance.declarations import TASK_ID
from assay.github_app.provenance.traces.trace_lines import read_traces
from assay.github_app.store import Scope
from assay.github_app.web.api.caller import Caller
from assay.github_app.web.api.forms import InRepository
from assay.github_app.web.api.routing import ApiContext, answered
from assay.github_app.web.http.request_body import bounded_body

MOST_TRACE_BYTES = 20 * 1024 * 1024
READ_AT_ONCE = 2
"""Files parsed concurrently: each needs ten times its size in memory."""
WAIT_S = 30.0


def add_traces(routes: APIRouter, api: ApiContext) -> None:
    """Add `POST /api/v1/traces`: the body is the file, `task` names the task if the file does not."""
    writing = Depends(api.caller(Scope.traces))
    turns = asyncio.Semaphore(READ_AT_ONCE)

    @routes.post("/api/v1/traces")
    async def post(
        request: Request,
        caller: Caller = writing,
        repo: InRepository = None,
        task: Annotated[str | None, Query(pattern=TASK_ID)] = None,
    ) -> Response:
        data = await bounded_body(request, MOST_TRACE_BYTES, ApiRefused)
        async with in_turn(turns):
            return await answered(lambda: _take(api, caller, repo, task, data))


@asynccontextmanager
async def in_turn(turns: asyncio.Semaphore) -> AsyncIterator[None]:
    """Wait for a turn without blocking a thread, which webhooks need."""
    try:
        async with asyncio.timeout(WAIT_S):
            await turns.acquire()
    except TimeoutError:
        raise ApiRefused(503, "too many trace files at once; retry in a minute") from None
    try:
        yield
    finally:
        turns.release()


def _take(api: ApiContext, caller: Caller, repo: str | None, task: str | None, data: bytes) -> dict[str, Any]:
    repository, at = caller.repository(api.store, repo), api.clock()
    try:
        read = read_traces(data, "body")
    except TraceUnreadable as error:
        raise ApiRefused(422, str(error)) from None
    rows = take_traces(api.store, repository, read.traces, at, told_by=caller.name, task_id=task)
    for task_id in sorted({row.task_id for row in rows if row.task_id}):
        evaluate_task(api.store, repository.id, task_id, at)
    return {
        "source": read.source,
        "traces": [
            {"id": row.id, "task_id": row.task_id, "ending": row.ending, "num_steps": row.num_steps} for row in rows
        ],
        "num_known": len(read.traces) - len(rows),
        "bad": [f"body:{one.line}: {one.why}" for one in read.bad],
        "num_bad": read.num_bad,
    }
