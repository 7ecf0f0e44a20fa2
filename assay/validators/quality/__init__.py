"""Tier 2: the quality of a change, beyond what linters see. `RULES` is the register, in the order the rules run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.validators.quality.complexity import Complexity
from assay.validators.quality.contracts import Contracts
from assay.validators.quality.duplication import Duplication
from assay.validators.quality.learned_rules import LearnedRules
from assay.validators.quality.naming import Naming
from assay.validators.quality.new_marks import NewMarks
from assay.validators.quality.repository_rules import RepositoryRules
from assay.validators.quality.rule import Rule
from assay.validators.quality.suppressions import Suppressions
from assay.validators.quality.test_integrity import TestIntegrity
from assay.validators.quality.untrusted_input import UntrustedInput

if TYPE_CHECKING:
    from assay.validators.quality.check import check_quality

RULES: tuple[Rule, ...] = (
    TestIntegrity(),
    UntrustedInput(),
    Contracts(),
    Suppressions(),
    NewMarks(),
    RepositoryRules(),
    LearnedRules(),
    Complexity(),
    Naming(),
    Duplication(),
)

__all__ = ["RULES", "Rule", "check_quality"]


def __getattr__(name: str) -> Any:
    if name == "check_quality":
        from assay.validators.quality.check import check_quality

        return check_quality
    raise AttributeError(name)
