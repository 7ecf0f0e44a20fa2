"""Change of one name in a public interface."""

from __future__ import annotations

from dataclasses import dataclass

from assay.validators.report.risk_facts import ApiChangeKind

MOST_FILES = 200
"""Maximum files of one package given to griffe; more would only add distant inherited members."""


@dataclass(frozen=True, slots=True)
class NameChange:
    """Change of a public name. `path` is its public name, `canonical` the place of its definition.

    `exported`: the package's top level exports it. `is_early`: the package has not reached 1.0. `is_deprecated`: only
    callers break that pass a deprecated parameter by position.
    """

    kind: ApiChangeKind
    path: str
    canonical: str
    what: str
    file: str
    line: int | None
    exported: bool
    is_early: bool = False
    is_deprecated: bool = False
