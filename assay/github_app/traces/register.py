"""The register of `READERS`; the order is meaningful."""

from __future__ import annotations

from assay.github_app.traces.claude_code import ClaudeCode
from assay.github_app.traces.codex import Codex
from assay.github_app.traces.otlp import Otlp
from assay.github_app.traces.trace_reader import TraceReader

READERS: tuple[TraceReader, ...] = (Otlp(), ClaudeCode(), Codex())
"""The forms that are understood; the first that fits a file's first objects reads it."""
