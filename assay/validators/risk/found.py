"""Findings of the other tiers that set the level: secrets, and callers that the change breaks."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.changes.language_table import ALL_LANGUAGES
from assay.validators.report.model import Severity, Statement
from assay.validators.report.statements import CALLER_BROKEN, SECRET, kind_of
from assay.validators.risk.signal import Measure, RiskContext


class FoundSignal:
    """Signal `found`: a secret in the source opens what it protects; a broken caller fails where it runs."""

    name = "found"
    answers = None
    covers = ALL_LANGUAGES

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield a statement for each such error, except those in tests and documents, which are warnings."""
        for one in (*context.tools.findings, *context.quality.findings):
            kind = kind_of(one)
            if kind in (SECRET, CALLER_BROKEN) and one.severity is Severity.error and one.introduced:
                yield Statement(kind, one.message, one.file, one.line, one.suggestion)
