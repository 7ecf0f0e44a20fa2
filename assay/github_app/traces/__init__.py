"""Traces of agents' sessions, read into neutral steps: OpenTelemetry spans, Claude Code, Codex."""

from __future__ import annotations

from assay.github_app.traces.claude_code import ClaudeCode
from assay.github_app.traces.codex import Codex
from assay.github_app.traces.otlp import Otlp
from assay.github_app.traces.step import MOST_STEPS, Ending, Step, StepKind, Trace, step_from
from assay.github_app.traces.trace_lines import MOST_BYTES, ReadTraces, read_traces
from assay.github_app.traces.trace_reader import BadLine, Entry, TraceReader

READERS: tuple[TraceReader, ...] = (Otlp(), ClaudeCode(), Codex())
"""The forms that are understood; the first that fits a file's first objects reads it."""

__all__ = [
    "MOST_BYTES",
    "MOST_STEPS",
    "READERS",
    "BadLine",
    "Ending",
    "Entry",
    "ReadTraces",
    "Step",
    "StepKind",
    "Trace",
    "TraceReader",
    "read_traces",
    "step_from",
]
