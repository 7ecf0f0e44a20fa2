"""Register of `FAILURES`; the order is meaningful."""

from __future__ import annotations

from assay.github_app.outcomes.tasks.failures.environment_failure import EnvironmentFailure
from assay.github_app.outcomes.tasks.failures.failure import (
    FailureRule,
)
from assay.github_app.outcomes.tasks.failures.instruction_non_compliance import InstructionNonCompliance
from assay.github_app.outcomes.tasks.failures.missing_verification import MissingVerification
from assay.github_app.outcomes.tasks.failures.out_of_time import OutOfTime
from assay.github_app.outcomes.tasks.failures.reasoning_error import ReasoningError
from assay.github_app.outcomes.tasks.failures.scope_creep import ScopeCreep
from assay.github_app.outcomes.tasks.failures.unknown import Unknown

FAILURES: tuple[FailureRule, ...] = (
    OutOfTime(),
    EnvironmentFailure(),
    InstructionNonCompliance(),
    MissingVerification(),
    ReasoningError(),
    ScopeCreep(),
    Unknown(),
)
"""Every category, in the order of `Category`; `unknown` applies where no other does."""
