"""What Assay would have said about the changes that landed last: quality and risk, without running anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.validators import (
    Finding,
    LandedChange,
    Options,
    Repository,
    RepositoryHistory,
    Tier,
    ValidationConfig,
    ValidationReport,
    ValidatorError,
    change_between,
    validate,
)


@dataclass(frozen=True, slots=True)
class Replayed:
    """A landed change with its report, or why there is none."""

    sha: str
    title: str
    report: ValidationReport | None
    why: str = ""


def landed_changes(repository: Repository, tip: str, most: int) -> list[LandedChange]:
    """Return the newest changes of the first-parent history, oldest first; the root commit is none.

    Raises:
        ValidatorError: the history is damaged.
    """
    if most == 0:
        return []
    history = RepositoryHistory(repository, tip, tip, tip)
    return [change for change in history.landed(most) if change.parents]


def replayed(repository: Repository, changes: Sequence[LandedChange], config: ValidationConfig) -> Iterator[Replayed]:
    """Validate landed changes, oldest first, against their first parents, under one configuration."""
    # No command runs here, so no test results are missing.
    config = config.model_copy(update={"tier1": config.tier1.model_copy(update={"require_tests": False})})
    for change in changes:
        try:
            between = change_between(repository, change.parents[0], change.sha)
            report = validate(between, config, Options(tiers=(Tier.quality, Tier.risk)))
            yield Replayed(change.sha, change.title, report)
        except ValidatorError as error:
            yield Replayed(change.sha, change.title, None, str(error))


def worst_finding(report: ValidationReport) -> Finding | None:
    """Return the most severe finding that the change introduced, in the report's order."""
    mine = [one for one in report.findings if one.introduced]
    return max(mine, key=lambda one: one.severity.rank, default=None)
