"""Level of a change: the highest of likelihood, policy floor and the model's assessment."""

from __future__ import annotations

from dataclasses import replace

from assay.validators.report.model import MODEL, RiskAssessment, RiskLevel
from assay.validators.report.statements import gravest_first


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
