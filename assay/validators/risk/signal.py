"""Interface of Tier 3's signals and their input."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from assay.validators.changes.change import ChangeSet
from assay.validators.changes.past_pulls import PastPull
from assay.validators.configuration.model import Policy, Tier3, ValidationConfig
from assay.validators.graph.import_graph import Graphs, ImportGraph
from assay.validators.graph.symbols import changed_symbols
from assay.validators.progress import Deadline
from assay.validators.report.answers import Analyzer
from assay.validators.report.dependent import Dependent
from assay.validators.report.model import (
    Coverage,
    Evidence,
    Finding,
    LineContexts,
    LineCoverage,
    NotChecked,
    RiskFactor,
    RiskLevel,
)
from assay.validators.report.risk_facts import ApiChange, NewDependency, Surface
from assay.validators.report.unknown import Unknown

Measure = RiskFactor | Surface | Dependent | ApiChange | NewDependency | Coverage | NotChecked | Unknown
"""Results of a signal: reasons for a level, and facts the report always shows."""


_PROSE = (".md", ".rst", ".txt", ".adoc")


@dataclass(frozen=True)
class RiskContext:
    """Input of the signals: the change, its configuration, the time left, and the coverage of Tier 1.

    Expensive parts are built on first use: `head_graph` reads the whole head tree, `base_graph` the base's (for users
    of a deleted file). Both raise `OutOfTime`.
    """

    change: ChangeSet
    config: ValidationConfig
    deadline: Deadline
    graphs: Graphs
    level_under: Callable[[ValidationConfig, str], RiskLevel]
    """Policy floor of this change under another configuration, without the named signal."""
    line_coverage: LineCoverage | None = None
    line_contexts: LineContexts | None = None
    coverage_source: str | None = None
    past_pulls: Sequence[PastPull] = ()
    scanned: Sequence[Finding] = ()
    """Findings of Tier 1."""

    @property
    def head_graph(self) -> ImportGraph:
        """Import graph after the change."""
        return self.graphs.head(self.deadline)

    @property
    def base_graph(self) -> ImportGraph:
        """Import graph before the change; unchanged files are not read again."""
        return self.graphs.base(self.deadline)

    @cached_property
    def is_prose(self) -> bool:
        """Whether only plain prose changed, which no program imports."""
        paths = [path for file in self.change.files for path in (file.path, file.base_path or file.path)]
        return all(path.lower().endswith(_PROSE) for path in paths)

    @cached_property
    def changed_symbols(self) -> Mapping[str, frozenset[str]]:
        """Changed file -> its changed names."""
        return changed_symbols(self.change)

    @property
    def limits(self) -> Tier3:
        """Limits and paths of Tier 3."""
        return self.config.tier3

    @property
    def is_seed(self) -> bool:
        """Whether the table of levels is read literally."""
        return self.limits.policy is Policy.seed

    def level(self, narrow: RiskLevel | None, seed: RiskLevel) -> RiskLevel | None:
        """Return the level under the current policy; None for a fact, which most signals give under `narrow`."""
        return seed if self.is_seed else narrow


@dataclass(frozen=True, slots=True)
class RiskyChange:
    """Part of the change, with its policy floor, None for a fact; `advice` is what would lower it.

    `low` is a detail that is listed next to others and not worth a separate factor.
    """

    level: RiskLevel | None
    text: str
    path: str
    line: int | None = None
    advice: str | None = None


def worst_first(found: Iterable[RiskyChange]) -> list[RiskyChange]:
    """Return the changes by level, facts above details; those of one level in the given order."""
    return sorted(found, key=lambda one: -0.5 if one.level is None else -one.level.rank)


def stated(level: RiskLevel | None, reason: str) -> str:
    """Return the reason of a factor: `high because it adds 420 lines`, or `adds 420 lines` for a fact."""
    return reason.removeprefix("it ") if level is None else f"{level} because {reason}"


def factor_of(
    signal: str, level: RiskLevel | None, reason: str, found: Sequence[RiskyChange], would_lower: str | None
) -> RiskFactor:
    """Return the factor for these changes, the worst first; its value is the number of those as bad as the first."""
    return RiskFactor(
        signal=signal,
        level=level,
        reason=stated(level, reason),
        value=sum(one.level is found[0].level for one in found),
        threshold=1,
        evidence=tuple(Evidence(one.text, one.path, one.line) for one in found),
        would_lower=None if level is None else would_lower,
    )


class Signal(Analyzer, Protocol):
    """One dimension of risk. A property that could not be measured is yielded as `NotChecked`."""

    @property
    def name(self) -> str:
        """Key in the register; every factor's `signal` is this name."""

    def measure(self, context: RiskContext) -> Iterable[Measure]:
        """Return the measures; a factor only if it has a reason."""
