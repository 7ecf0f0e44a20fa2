"""Measurements of Tier 3 without a level: size, public interface, dependencies, dependents, likelihood, rollback."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, TypeAlias

from pydantic import Field

from assay.validators.report.annotations import Count, Line, Path, Percent, Share

LineCoverage: TypeAlias = Mapping[str, Mapping[int, bool]]
"""Per repository-relative path: line number -> whether a test ran it (lines that hold no code are absent)."""

LineContexts: TypeAlias = Mapping[str, Mapping[int, Collection[str]]]
"""Per path: line -> the test files whose tests ran it; "" stands for what ran outside any test, as on import."""


@dataclass(frozen=True, slots=True)
class Surface:
    """Size of a change: all files, and the part that is source (no tests, docs, lock, generated, vendored)."""

    num_files: Count = 0
    num_added: Count = 0
    num_removed: Count = 0
    num_source_files: Count = 0
    num_source_added: Count = 0
    num_source_removed: Count = 0
    num_modified: Count = 0
    modules: tuple[Path, ...] = ()


class ApiChangeKind(StrEnum):
    """Whether a change of a public interface breaks its users."""

    breaking = "breaking"
    non_breaking = "non_breaking"
    unknown = "unknown"


@dataclass(frozen=True, slots=True)
class ApiChange:
    """One change of a public function, class, type, endpoint or table."""

    kind: ApiChangeKind
    symbol: str
    what: str
    file: Path
    line: Line | None = None


@dataclass(frozen=True, slots=True)
class Vulnerability:
    """Known vulnerability of a version. `severity`: low, medium, high, critical or unknown; `fixed`: without it."""

    id: str
    severity: str = "unknown"
    summary: str = ""
    fixed: str | None = None


@dataclass(frozen=True, slots=True)
class PackageFacts:
    """What public registries say of a package; dates are days (`2026-11-30`).

    `exists` is None if it could not be asked, and `why_unknown` says why. `version` is the one that the facts are of:
    the locked or pinned one, else the registry's default; `is_pinned` says which. `is_listed`: whether the registry
    has it. `licence` is an SPDX expression, None if unknown. `fixes`: vulnerabilities of the version before that this
    one does not have. `asked`: the day of the answers.
    """

    exists: bool | None = None
    why_unknown: str = ""
    version: str | None = None
    is_pinned: bool = False
    is_listed: bool = True
    first_published: str | None = None
    published: str | None = None
    newest_published: str | None = None
    num_versions: Count = 0
    licence: str | None = None
    is_deprecated: bool = False
    is_attested: bool = False
    vulnerabilities: tuple[Vulnerability, ...] | None = None
    fixes: tuple[str, ...] = ()
    asked: str | None = None


@dataclass(frozen=True, slots=True)
class NewDependency:
    """Package the change adds or moves to another version; `before` is None for a new one.

    `locked` and `locked_before` are the versions that lock files pin, if they pin one.
    """

    name: str
    ecosystem: str
    manifest: Path
    version: str | None = None
    before: str | None = None
    scope: str = "runtime"
    line: Line | None = None
    locked: str | None = None
    locked_before: str | None = None
    facts: PackageFacts | None = None


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
    file failed; `entry_points`: the routes and commands in it that such a chain reaches.
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
