"""A finding that a person decided about: it is no fault (`fp`), or it is one and is accepted as it is (`accept`)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class WaiverKind(StrEnum):
    """`fp`: the finding is wrong. `accept`: it is right, and the change may have it."""

    fp = "fp"
    accept = "accept"


@dataclass(frozen=True, slots=True)
class Waiver:
    """Who decided about the finding with this id, how, and why (`reason`: their words)."""

    finding_id: str
    kind: WaiverKind
    by: str
    reason: str = ""
