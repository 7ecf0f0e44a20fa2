"""Register `RULES`; the order matters."""

from __future__ import annotations

from assay.validators.quality.complexity.complexity import Complexity
from assay.validators.quality.contracts.contracts import Contracts
from assay.validators.quality.design.design import Design
from assay.validators.quality.duplication.duplication import Duplication
from assay.validators.quality.learned.learned_rules import LearnedRules
from assay.validators.quality.naming.naming import Naming
from assay.validators.quality.new_marks import NewMarks
from assay.validators.quality.repository_rules import RepositoryRules
from assay.validators.quality.rule import Rule
from assay.validators.quality.suppressions.suppressions import Suppressions
from assay.validators.quality.test_integrity.test_integrity import TestIntegrity
from assay.validators.quality.untrusted_input import UntrustedInput

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
    Design(),
)
