"""Publication of a verdict on GitHub, shared by App and Action."""

from __future__ import annotations

from assay.github.publish.buttons import COMMIT_TEST, HAND_TO_AGENT, RELEASE_HOLD, RERUN
from assay.github.publish.committable import committable_tests
from assay.github.publish.hold import (
    LIKELIHOOD,
    HoldFacts,
    critical_signals,
    held_for,
    held_level,
    is_for_missing,
    is_held_for_likelihood,
    missing_in,
    with_hold,
    without_missing,
)
from assay.github.publish.markers import REPEAT, marker, read_marker
from assay.github.publish.notes import our_notes
from assay.github.publish.publication import Publication, PublishPolicy, RunFacts, State, publication_of
from assay.github.publish.publish import Published, publish
from assay.github.publish.sarif_file import sarif_within_limits
from assay.github.publish.standing import BLOCKS, Other, own_conclusion, with_others, without_others

__all__ = [
    "BLOCKS",
    "COMMIT_TEST",
    "HAND_TO_AGENT",
    "LIKELIHOOD",
    "RELEASE_HOLD",
    "REPEAT",
    "RERUN",
    "HoldFacts",
    "Other",
    "Publication",
    "PublishPolicy",
    "Published",
    "RunFacts",
    "State",
    "committable_tests",
    "critical_signals",
    "held_for",
    "held_level",
    "is_for_missing",
    "is_held_for_likelihood",
    "marker",
    "missing_in",
    "our_notes",
    "own_conclusion",
    "publication_of",
    "publish",
    "read_marker",
    "sarif_within_limits",
    "with_hold",
    "with_others",
    "without_missing",
    "without_others",
]
