"""One difference between two public interfaces, as a value."""

from __future__ import annotations

from dataclasses import dataclass

from assay.validators.report.model import ApiChangeKind

MOST_FILES = 200
"""Files of one package given to griffe; more would only add inherited members from afar."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One change of what others may use. `path` is the name by which they know it, `canonical` where it is defined.

    `exported` says that the package's top level offers it, `is_early` that the package has not reached 1.0.
    """

    kind: ApiChangeKind
    path: str
    canonical: str
    what: str
    file: str
    line: int | None
    exported: bool
    is_early: bool = False
