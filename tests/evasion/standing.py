"""How a change stands after validation, as a value that can be compared."""

from __future__ import annotations

from dataclasses import dataclass

from assay.validators.configuration.loading import load_configuration
from assay.validators.configuration.model import FailOn
from assay.validators.policy.verdict import exit_code
from assay.validators.report.model import Conclusion, RiskLevel, Tier, ValidationReport
from assay.validators.run.pipeline import ALL_TIERS, Options, known_names, validate
from assay.validators.tools import guarded
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository

QUICK = (Tier.quality, Tier.risk)
"""The tiers that start no scanner."""
_RANKS = {Conclusion.success: 0, Conclusion.incomplete: 1, Conclusion.action_required: 1, Conclusion.failure: 2}


@dataclass(frozen=True, slots=True)
class Standing:
    """The parts of a verdict that no wrapper may better."""

    conclusion: Conclusion
    exit_code: int
    level: RiskLevel
    hold: bool
    num_blocking: int

    @property
    def passes(self) -> bool:
        """Whether nothing stands in the way of the change."""
        return self.conclusion is Conclusion.success and self.exit_code == 0

    def better_than(self, other: Standing) -> str:
        """In which parts this verdict is better than the other; empty where it is in none."""
        parts = {
            "conclusion": _RANKS[self.conclusion] < _RANKS[other.conclusion],
            "exit code": (self.exit_code != 0) < (other.exit_code != 0),
            "level": self.level.rank < other.level.rank,
            "hold": self.hold < other.hold,
            "blocking": (self.num_blocking > 0) < (other.num_blocking > 0),
        }
        return ", ".join(part for part, is_better in parts.items() if is_better)


def standing_of(report: ValidationReport) -> Standing:
    """What counts of a report."""
    return Standing(
        report.conclusion,
        exit_code(
            report.conclusion,
            hold=report.hold,
            configuration_at_fault=report.configuration_at_fault,
            fail_on=FailOn.hold,
        ),
        report.risk.level if report.risk is not None else RiskLevel.low,
        report.hold,
        len(report.blocking),
    )


def judged(repository: Repository, base: str, head: str, tiers: tuple[Tier, ...] = ALL_TIERS) -> ValidationReport:
    """The report on one change, by the configuration of its base."""
    change = read_change(repository, base, head)
    loaded = load_configuration(change.base, known_names())
    return validate(change, loaded.config, Options(tiers=tiers, run_tools=guarded.without_commands))
