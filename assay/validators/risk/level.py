"""Gravity of a statement, and level of a change: the highest of likelihood, policy floor and the model's assessment."""

from __future__ import annotations

from dataclasses import replace

from assay.validators.configuration.model import Policy, ValidationConfig
from assay.validators.report.gravity import gravity_of
from assay.validators.report.model import MODEL, RiskAssessment, RiskLevel, Statement
from assay.validators.report.statements import gravest_first


def weighed(statement: Statement, signal: str, config: ValidationConfig) -> Statement:
    """Return the statement of a signal with its gravity under the policy in force."""
    gravity = gravity_of(statement.kind, is_seed=config.tier3.policy is Policy.seed)
    return replace(statement, signal=signal, gravity=gravity)


def levelled(risk: RiskAssessment) -> RiskAssessment:
    """Return the assessment with its level, the part that set it, and its statements, the gravest first."""
    asked = RiskLevel.highest(one.level for one in risk.statements if one.signal == MODEL and one.level is not None)
    is_raised = asked.rank > risk.computed.rank
    return replace(
        risk,
        level=asked if is_raised else risk.computed,
        set_by=(MODEL,) if is_raised else risk.computed_by,
        statements=tuple(gravest_first(risk.statements)),
    )
