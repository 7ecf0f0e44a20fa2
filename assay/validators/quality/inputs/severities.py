"""Severity of a rule's findings by configuration: for a rule, or a part of it."""

from __future__ import annotations

from assay.validators.configuration.model import ValidationConfig
from assay.validators.report.model import Severity


def severity_of(config: ValidationConfig, rule: str, default: Severity) -> Severity | None:
    """Return the severity of a finding; None if its rule is off. `rule.part` takes precedence over `rule`."""
    key = rule
    while key:
        if key in config.tier2.severities:
            found = config.tier2.severities[key]
            return None if found == "off" else Severity(found)
        key = key.rpartition(".")[0]
    return default


def is_off(config: ValidationConfig, rule: str) -> bool:
    """Return whether the rule, or this part of it, is off."""
    return severity_of(config, rule, Severity.info) is None
