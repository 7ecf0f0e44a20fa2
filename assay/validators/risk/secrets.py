"""Secrets in the source, as the scanners of Tier 1 found them."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.changes.language_table import ALL_LANGUAGES
from assay.validators.report.model import RiskLevel, Severity
from assay.validators.risk.signal import Measure, RiskContext, RiskyChange, factor_of
from assay.validators.wording import plural


class SecretsSignal:
    """Signal `secrets`: a secret in the source opens what it protects to all who can read it."""

    name = "secrets"
    answers = None
    covers = ALL_LANGUAGES

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield one factor for the secrets that the scanners report as errors: not those in tests and documents."""
        secrets = [one for one in context.scanned if one.is_secret and one.severity is Severity.error]
        found = [RiskyChange(RiskLevel.high, one.message, one.file, one.line) for one in secrets]
        if found:
            reason = f"it adds {plural(len(found), 'secret')} to the source"
            yield factor_of(self.name, RiskLevel.high, reason, found, "revoke it, and keep it out of the repository")
