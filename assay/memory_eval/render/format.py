"""What a format is: a report goes in, text comes out. It shows what the report says and decides nothing."""

from __future__ import annotations

from typing import Protocol

from assay.memory_eval.report.model import EvalReport

FILES = {"json": "report.json", "markdown": "report.md", "html": "report.html", "junit": "junit.xml"}
"""What a run leaves in its folder, by format."""


class Format(Protocol):
    """One way of writing a report down; the modules of this folder are such."""

    def render(self, report: EvalReport) -> str:
        """The whole report as text; the same report gives the same text."""
