"""Constructor for findings of test integrity."""

from __future__ import annotations

from assay.validators.report.model import Finding, Severity, Tier


def finding(
    part: str,
    severity: Severity,
    place: tuple[str, int | None],
    message: str,
    suggestion: str,
    context: str,
    *,
    end_line: int | None = None,
    replacement: str | None = None,
) -> Finding:
    """Return a finding of the rule `test_integrity.<part>` at (path, line), up to `end_line` if given."""
    path, line = place
    return Finding(
        tier=Tier.quality,
        severity=severity,
        rule=f"test_integrity.{part}",
        file=path,
        line=line,
        end_line=end_line or line,
        message=message,
        suggestion=suggestion,
        context=context,
        replacement=replacement,
    )
