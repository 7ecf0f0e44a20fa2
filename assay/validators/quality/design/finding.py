"""Finding of the rule `design`."""

from __future__ import annotations

from assay.validators.report.model import Finding, Severity, Tier

RULE = "design"


def design_finding(part: str, file: str, line: int, message: str, context: str) -> Finding:
    """Return a warning of a part of the rule; `context` makes its id."""
    return Finding(Tier.quality, Severity.warning, f"{RULE}.{part}", file, message, line=line, context=context)
