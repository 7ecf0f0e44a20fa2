"""Contributions and observed rates of the likelihood, and the rollback flags."""

from __future__ import annotations

from dataclasses import dataclass

from assay.validators.report.annotations import Count, Percent, Share


@dataclass(frozen=True, slots=True)
class ObservedRate:
    """Share of `num` past changes of this kind that needed a fix (or a revert) within a year.

    `times_average`: that share divided by the share of all changes. `source`: "this repository" or "8 public
    repositories".
    """

    share: Share
    num: Count
    times_average: float
    source: str


@dataclass(frozen=True, slots=True)
class LikelihoodFactor:
    """Contribution of one feature, in log-odds relative to a median change; `text` says it in words.

    `percentile` compares `value` with past changes, 0 to 100.
    """

    feature: str
    value: float
    percentile: Percent
    contribution: float
    text: str


@dataclass(frozen=True, slots=True)
class RollbackFlag:
    """Property of the change that reverted changes have more often than others."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Rollback:
    """Rollback flags of the change, and how often past changes with as many were reverted."""

    flags: tuple[RollbackFlag, ...] = ()
    rate: ObservedRate | None = None
