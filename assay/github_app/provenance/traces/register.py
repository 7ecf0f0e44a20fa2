"""Register of trace readers; their order matters."""

from __future__ import annotations

from assay.github_app.provenance.traces.claude_code import ClaudeCode
from assay.github_app.provenance.traces.codex import Codex
from assay.github_app.provenance.traces.otlp import Otlp
from assay.github_app.provenance.traces.trace_reader import TraceReader

READERS: tuple[TraceReader, ...] = (Otlp(), ClaudeCode(), Codex())
"""Supported formats; the first that matches a file's first objects reads it."""
