"""Report formats: one module per format, each with a `render` that decides nothing."""

from __future__ import annotations

import importlib

from assay.validators.report.model import ValidationReport

FORMATS = ("terminal", "markdown", "json", "sarif")
"""Names of the modules; each is imported on first use, for it loads third-party packages that the others do not."""


def rendered(report: ValidationReport, name: str) -> str:
    """Return the whole report in a format; the same report gives the same text."""
    text: str = importlib.import_module(f"{__package__}.{name}").render(report)
    return text
