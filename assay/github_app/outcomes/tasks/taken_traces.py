"""Import of session traces: neutral steps, linked to a task with its time and tokens."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from assay.github_app.outcomes.tasks.own_work import must_be_own
from assay.github_app.provenance.declarations import declared_in_branch
from assay.github_app.provenance.traces.step import Trace
from assay.github_app.store import EventKind, RepositoryRow, Store, TraceRow

N = TypeVar("N", int, float)


def take_traces(
    store: Store,
    repository: RepositoryRow,
    traces: Iterable[Trace],
    at: datetime,
    *,
    told_by: str,
    task_id: str | None = None,
) -> tuple[TraceRow, ...]:
    """Store traces and return the rows that are new, or longer than the stored ones of the same session.

    The task is the given one, else the one a trace or its branch names; else the trace has no task. Raises as
    `must_be_own`, before the first is stored.
    """
    taken, kept = [], []
    for trace in traces:
        named = task_id or trace.task_id or declared_in_branch(trace.branch or "").task_id
        taken.append((trace, _row(repository.id, trace, named, told_by, at)))
    for _, row in taken:
        replaced = store.traces.get(row.id)
        must_be_own(store, repository.id, told_by, row.task_id, over=(replaced.told_by or "",) if replaced else ())
    for trace, row in taken:
        known = row.task_id
        before = store.traces.of_task(repository.id, known) if known is not None else ()
        with store.together():
            if not store.traces.put(row, [step.as_data() for step in trace.steps]):
                continue
            kept.append(row)
            _log(store, row)
            if known is not None:
                _update_task(store, row, known, before, at)
    return tuple(kept)


def _row(repository_id: int, trace: Trace, task_id: str | None, told_by: str, at: datetime) -> TraceRow:
    # Unnamed sessions are identified by their content.
    named = trace.session_id or json.dumps([step.as_data() for step in trace.steps])
    text = f"{repository_id}\0{trace.source}\0{named}"
    return TraceRow(
        id=hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16],
        repository_id=repository_id,
        task_id=task_id,
        source=trace.source,
        session_id=trace.session_id,
        agent=trace.agent,
        model=trace.model,
        ending=str(trace.ending),
        started_at=trace.started_at,
        ended_at=trace.ended_at,
        duration_s=trace.duration_s,
        num_tokens_in=trace.num_tokens_in,
        num_tokens_out=trace.num_tokens_out,
        num_steps=len(trace.steps),
        num_tool_calls=trace.num_tool_calls,
        num_errors=trace.num_errors,
        told_by=told_by,
        seen_at=at,
    )


def _log(store: Store, row: TraceRow) -> None:
    data = {
        "trace": row.id,
        "source": row.source,
        "told_by": row.told_by,
        "ending": row.ending,
        "num_steps": row.num_steps,
        "num_tool_calls": row.num_tool_calls,
        "num_errors": row.num_errors,
    }
    key = f"{row.id}:{row.num_steps}"
    store.events.append(EventKind.trace_read, key, row.seen_at, row.repository_id, None, row.task_id, data)


def _update_task(store: Store, row: TraceRow, task_id: str, before: Sequence[TraceRow], at: datetime) -> None:
    """Fill in facts the task's harness did not report; facts known from sessions alone are recomputed."""
    task = store.tasks.get(row.repository_id, task_id)
    rows = store.traces.of_task(row.repository_id, task_id)
    counted: dict[str, Any] = {}
    for name in ("num_tokens_in", "num_tokens_out", "duration_s"):
        known = getattr(task, name, None)
        if known is None or known == _sum([getattr(row, name) for row in before]):
            counted[name] = _sum([getattr(one, name) for one in rows])
    store.tasks.put(
        row.repository_id,
        task_id,
        at,
        agent=None if task and task.agent else row.agent,
        model=None if task and task.model else row.model,
        told_by=None if task else row.told_by,
        **counted,
    )


def _sum(values: Iterable[N | None]) -> N | None:
    known = [value for value in values if value is not None]
    return sum(known[1:], start=known[0]) if known else None
