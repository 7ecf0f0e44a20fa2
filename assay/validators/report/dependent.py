"""Dependents of a change."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from assay.validators.report.annotations import Count, Path


class Affected(StrEnum):
    """How likely a dependent is to notice the change: a chain of uses leads to it, or only imports do."""

    run_first = "run_first"
    may_be_affected = "may_be_affected"


@dataclass(frozen=True, slots=True)
class Dependent:
    """Dependent of the change: `distance` 1 depends on a changed file.

    `uses` are the changed symbols that its code uses, `may_use` those where the text leaves open what is meant.
    `certain`: a chain of uses without a guess leads to it; `rank`: its place among all dependents, the likeliest to
    notice the change first; `num_failed`: earlier pull requests that changed the same files and on which this test
    file failed; `entry_points`: the routes, commands and scripts in it that such a chain reaches.
    """

    path: Path
    distance: Annotated[int, Field(ge=1)]
    uses: tuple[str, ...] = ()
    via: Path | None = None
    is_test: bool = False
    owners: tuple[str, ...] = ()
    affected: Affected = Affected.may_be_affected
    certain: bool = False
    rank: Count = 0
    num_failed: Count = 0
    entry_points: tuple[str, ...] = ()
    may_use: tuple[str, ...] = ()
