"""Severity of a rule's findings by configuration: for a rule, a part of it, and a path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from assay.validators.configuration.model import ComplexityLimits, Override, ValidationConfig
from assay.validators.io.globs import matcher
from assay.validators.report.model import Severity


@dataclass(frozen=True)
class Policy:
    """Tier 2's configuration with the overrides for each path; a later override wins."""

    config: ValidationConfig

    @cached_property
    def _overrides(self) -> list[tuple[Callable[[str], bool], Override]]:
        return [(matcher(override.paths), override) for override in self.config.overrides]

    def severity(self, rule: str, path: str, default: Severity) -> Severity | None:
        """Return the severity of a finding; None if its rule is off. `rule.part` takes precedence over `rule`."""
        settings = dict(self.config.tier2.severities)
        for matches, override in self._overrides:
            if override.severities and matches(path):
                settings.update(override.severities)
        key = rule
        while key:
            if key in settings:
                found = settings[key]
                return None if found == "off" else Severity(found)
            key = key.rpartition(".")[0]
        return default

    def is_off(self, rule: str, path: str = "") -> bool:
        """Return whether the whole rule is off at this path."""
        return self.severity(rule, path, Severity.info) is None

    def complexity(self, path: str) -> ComplexityLimits:
        """Return the complexity limits at this path."""
        limits = self.config.tier2.complexity
        for matches, override in self._overrides:
            if override.complexity is not None and matches(path):
                limits = override.complexity
        return limits
