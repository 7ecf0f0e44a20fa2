"""Level of a change: the higher of likelihood and policy floor."""

from __future__ import annotations

from dataclasses import replace

from assay.validators.report.model import RiskAssessment, RiskFactor, RiskLevel


def levelled(risk: RiskAssessment) -> RiskAssessment:
    """Return the assessment with its level, the part that set it, and its factors by level, facts last."""
    floor = risk.floor
    likelihood = risk.likelihood.level if risk.likelihood is not None else RiskLevel.low
    level = RiskLevel.highest([likelihood, floor])
    parts = (("likelihood", likelihood), ("policy", floor))
    return replace(
        risk,
        level=level,
        set_by=tuple(name for name, own in parts if own is level is not RiskLevel.low),
        factors=tuple(sorted(risk.factors, key=_rank)),
    )


def _rank(factor: RiskFactor) -> int:
    return 0 if factor.level is None else -1 - factor.level.rank
