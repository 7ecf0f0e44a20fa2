"""Waiver of a finding: a false positive (`fp`) or an accepted finding (`accept`)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assay.validators.report.annotations import FindingId


class WaiverKind(StrEnum):
    """Kind of waiver: `fp`, the finding is wrong; `accept`, it is right and the change may keep it."""

    fp = "fp"
    accept = "accept"


@dataclass(frozen=True, slots=True)
class Waiver:
    """Decision on the finding with this id: who made it, its kind, and the reason given."""

    finding_id: FindingId
    kind: WaiverKind
    by: str
    reason: str = ""
