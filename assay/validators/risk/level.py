"""Level of a change: the highest of likelihood, policy floor and the model's assessment."""

from __future__ import annotations

from dataclasses import replace

from assay.validators.report.model import MODEL, RiskAssessment, RiskFactor, RiskLevel


def levelled(risk: RiskAssessment) -> RiskAssessment:
    """Return the assessment with its level, the part that set it, and its factors by level, facts last."""
    asked = RiskLevel.highest(one.level for one in risk.factors if one.signal == MODEL and one.level is not None)
    is_raised = asked.rank > risk.computed.rank
    return replace(
        risk,
        level=asked if is_raised else risk.computed,
        set_by=(MODEL,) if is_raised else risk.computed_by,
        factors=tuple(sorted(risk.factors, key=_rank)),
    )


def _rank(factor: RiskFactor) -> int:
    return 0 if factor.level is None else -1 - factor.level.rank
