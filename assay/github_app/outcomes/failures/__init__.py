"""Why tasks fail: one file for each category, each with the evidence it rests on."""

from __future__ import annotations

from assay.github_app.outcomes.failures.case import Case, case_of
from assay.github_app.outcomes.failures.environment_failure import EnvironmentFailure
from assay.github_app.outcomes.failures.failure import (
    MOST_TEXT,
    TOLD,
    Category,
    Evidence,
    Failure,
    FailureRule,
    GoesTo,
    Suggestion,
)
from assay.github_app.outcomes.failures.instruction_non_compliance import InstructionNonCompliance
from assay.github_app.outcomes.failures.missing_verification import MissingVerification
from assay.github_app.outcomes.failures.out_of_time import OutOfTime
from assay.github_app.outcomes.failures.reasoning_error import ReasoningError
from assay.github_app.outcomes.failures.scope_creep import ScopeCreep
from assay.github_app.outcomes.failures.unknown import Unknown

FAILURES: tuple[FailureRule, ...] = (
    EnvironmentFailure(),
    OutOfTime(),
    InstructionNonCompliance(),
    MissingVerification(),
    ReasoningError(),
    ScopeCreep(),
    Unknown(),
)
"""Every category; `unknown` speaks where no other does."""

__all__ = [
    "FAILURES",
    "MOST_TEXT",
    "TOLD",
    "Case",
    "Category",
    "Evidence",
    "Failure",
    "FailureRule",
    "GoesTo",
    "Suggestion",
    "case_of",
]
