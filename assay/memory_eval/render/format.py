"""The interface of a format: a report goes in, text comes out, without further decisions."""

from __future__ import annotations

from typing import Protocol

from assay.memory_eval.report.model import EvalReport

FILES = {"json": "report.json", "markdown": "report.md", "html": "report.html"}
"""Report files of a run's folder, by format."""


class Format(Protocol):
    """A report format; implemented by the modules of this folder."""

    def render(self, report: EvalReport) -> str:
        """Return the whole report as text; the same report gives the same text."""
