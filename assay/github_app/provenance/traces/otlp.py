"""Spans of the OpenTelemetry conventions for generative AI, as OTLP writes them in JSON.

One export request, or one a line as the collector's file exporter writes them. Spans of one trace id are one session.
Read are `gen_ai.*` attributes of calls to models, of agents and of tools, and `error.type` and the status of any span.

Source: OpenTelemetry semantic conventions for GenAI (operation names `chat`, `text_completion`, `generate_content`,
`embeddings`, `execute_tool`, `invoke_agent`, `create_agent`, `invoke_workflow`), and the names before version 1.37.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assay.github_app.provenance.traces.loose_values import (
    about,
    count,
    items,
    mapping,
    moment_of_ns,
    said,
    short,
)
from assay.github_app.provenance.traces.step import BadLine, Ending, Entry, Step, StepKind, Trace

MOST_SPANS = 200_000
_MODELS = frozenset(("chat", "text_completion", "generate_content", "embeddings"))
_AGENTS = frozenset(("invoke_agent", "create_agent", "invoke_workflow", "plan"))
_TASK = ("assay.task_id", "assay.task.id", "task.id")
_IN = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")
_OUT = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")
_FAILED = frozenset((2, "2", "STATUS_CODE_ERROR"))
_TOO_LONG = frozenset(("timeout", "timed_out", "max_turns", "max_tokens_budget", "deadline_exceeded", "504"))


def is_otlp(data: Mapping[str, Any]) -> bool:
    """Detect the format by the list in every export request."""
    return isinstance(data.get("resourceSpans", data.get("resource_spans")), list)


def read_otlp(entries: Sequence[Entry]) -> tuple[Sequence[Trace], Sequence[BadLine]]:
    """Return one trace per trace id with a span of a model, an agent or a tool."""
    by_trace: dict[str, list[_Span]] = defaultdict(list)
    bad: list[BadLine] = []
    left = MOST_SPANS
    for entry in entries:
        if not is_otlp(entry.data):
            bad.append(BadLine(entry.line, "an object without spans"))
            continue
        for span in _spans(entry.data):
            left -= 1
            if left < 0:
                bad.append(BadLine(entry.line, f"more than {MOST_SPANS} spans; the rest is left out"))
                break
            by_trace[span.trace_id].append(span)
    traces = [_trace(trace_id, spans) for trace_id, spans in by_trace.items()]
    return [trace for trace in traces if trace is not None], bad


@dataclass(frozen=True, slots=True)
class _Span:
    trace_id: str
    is_root: bool
    title: str
    attributes: Mapping[str, Any]
    at: datetime | None
    until: datetime | None
    failed: bool
    message: str

    @property
    def operation(self) -> str:
        return short(self.attributes.get("gen_ai.operation.name")) or ""

    def first(self, names: Sequence[str]) -> object:
        """Return the first of these attributes that is present."""
        return next((self.attributes[one] for one in names if one in self.attributes), None)

    def step(self) -> Step | None:
        """Convert the span to a step; None for a span unrelated to an agent."""
        tool = short(self.attributes.get("gen_ai.tool.name"))
        took = (self.until - self.at).total_seconds() if self.at and self.until else None
        took = took if took is None or took >= 0 else None
        words = said(self.message or self.attributes.get("error.type")) if self.failed else ""
        if self.operation == "execute_tool" or tool:
            given = about(self.first(("gen_ai.tool.call.arguments", "process.command_line", "url.full")))
            return Step(StepKind.tool, tool or self.title, self.at, took, self.failed, given, words)
        if self.operation in _MODELS:
            model = short(self.first(("gen_ai.response.model", "gen_ai.request.model")))
            return Step(StepKind.model, model or self.operation, self.at, took, self.failed, "", words)
        if self.operation in _AGENTS:
            agent = short(self.attributes.get("gen_ai.agent.name"))
            return Step(StepKind.note, f"{self.operation} {agent or ''}".strip(), self.at, took, self.failed, "", words)
        return None


def _trace(trace_id: str, spans: Sequence[_Span]) -> Trace | None:
    placed = [(span, step) for span in spans if (step := span.step()) is not None]
    if not placed:
        return None
    placed.sort(key=lambda one: (one[0].at is None, one[0].at.timestamp() if one[0].at else 0.0))
    calls = [span for span, _ in placed if span.operation in _MODELS]
    told = {name: _told(spans, names) for name, names in _NAMES.items()}
    tokens = [(count(span.first(_IN)), count(span.first(_OUT))) for span in calls]
    counted = [one for one in tokens if one != (None, None)]
    return Trace(
        "otlp",
        told["conversation"] or trace_id or None,
        tuple(step for _, step in placed),
        _ending(spans),
        task_id=told["task"],
        branch=told["branch"],
        agent=told["agent"],
        model=told["model"],
        started_at=min((span.at for span in spans if span.at), default=None),
        ended_at=max((span.until for span in spans if span.until), default=None),
        num_tokens_in=sum(one or 0 for one, _ in counted) if counted else None,
        num_tokens_out=sum(one or 0 for _, one in counted) if counted else None,
    )


_NAMES = {
    "conversation": ("gen_ai.conversation.id", "session.id"),
    "task": _TASK,
    "branch": ("vcs.ref.head.name",),
    "agent": ("gen_ai.agent.name",),
    "model": ("gen_ai.response.model", "gen_ai.request.model"),
}


def _told(spans: Sequence[_Span], names: Sequence[str]) -> str | None:
    return next((found for span in spans if (found := short(span.first(names))) is not None), None)


def _ending(spans: Sequence[_Span]) -> Ending:
    """Return the ending in the outermost span; unknown if that span is missing."""
    root = next((span for span in spans if span.is_root), None)
    if root is None or root.until is None:
        return Ending.unknown
    if not root.failed:
        return Ending.completed
    kind = (short(root.attributes.get("error.type")) or "").lower()
    return Ending.out_of_time if kind in _TOO_LONG or "timeout" in kind else Ending.failed


def _spans(data: Mapping[str, Any]) -> Iterator[_Span]:
    for resource in items(data.get("resourceSpans", data.get("resource_spans"))):
        shared = _attributes(mapping(resource.get("resource")).get("attributes"))
        scopes = resource.get("scopeSpans", resource.get("scope_spans", resource.get("instrumentationLibrarySpans")))
        for scope in items(scopes):
            for span in items(scope.get("spans")):
                yield _span(span, shared)


def _span(span: Mapping[str, Any], shared: Mapping[str, Any]) -> _Span:
    status = mapping(span.get("status"))
    own = {**shared, **_attributes(span.get("attributes"))}
    code = status.get("code")
    failed = (isinstance(code, (int, str)) and code in _FAILED) or "error.type" in own
    message = status.get("message")
    return _Span(
        short(span.get("traceId", span.get("trace_id"))) or "",
        not span.get("parentSpanId", span.get("parent_span_id")),
        short(span.get("name")) or "span",
        own,
        moment_of_ns(span.get("startTimeUnixNano", span.get("start_time_unix_nano"))),
        moment_of_ns(span.get("endTimeUnixNano", span.get("end_time_unix_nano"))),
        failed,
        message if isinstance(message, str) else "",
    )


def _attributes(listed: object) -> dict[str, Any]:
    """Return plain values by name, without lists and nested values, which no reader needs."""
    found: dict[str, Any] = {}
    for one in items(listed):
        key, value = one.get("key"), mapping(one.get("value"))
        for kind in ("stringValue", "intValue", "doubleValue", "boolValue"):
            if isinstance(key, str) and kind in value:
                found[key] = value[kind]
    return found
