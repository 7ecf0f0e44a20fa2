"""What Tier 3 is made of: signals that measure a change and yield factors, and what they are given to measure with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from assay.llm import LanguageModel
from assay.validators.change import ChangeSet
from assay.validators.configuration.model import Policy, Tier3, ValidationConfig
from assay.validators.graph.import_graph import Graphs, ImportGraph
from assay.validators.graph.symbols import changed_symbols
from assay.validators.progress import Deadline
from assay.validators.report.model import (
    ApiChange,
    Coverage,
    Dependent,
    LineCoverage,
    NewDependency,
    NotChecked,
    RiskFactor,
    RiskLevel,
    Surface,
)
from assay.validators.report.unknown import Question, Unknown

Measure = RiskFactor | Surface | Dependent | ApiChange | NewDependency | Coverage | NotChecked | Unknown
"""What a signal may yield: reasons for a level, and the facts the report shows whatever the level is."""


_PROSE = (".md", ".rst", ".txt", ".adoc")
BUSY_PERCENTILE = 95.0
"""Above this share of the tree's files by fan-in, a file is one of those everything stands on."""


@dataclass(frozen=True)
class RiskContext:
    """The change, its configuration, the time left, and the coverage Tier 1 left behind.

    What is dear is made when it is first asked for: `head_graph` reads the whole head tree, `base_graph` the base's
    (for what a deleted file was used by). Both raise `OutOfTime`.
    """

    change: ChangeSet
    config: ValidationConfig
    deadline: Deadline
    graphs: Graphs
    level_under: Callable[[ValidationConfig, str], RiskLevel]
    """The level of this change under another configuration, without the named signal."""
    line_coverage: LineCoverage | None = None
    coverage_source: str | None = None
    model: LanguageModel | None = None

    @property
    def head_graph(self) -> ImportGraph:
        """Who imports whom after the change."""
        return self.graphs.head(self.deadline)

    @property
    def base_graph(self) -> ImportGraph:
        """Who imported whom before the change; files that did not change are not read again."""
        return self.graphs.base(self.deadline)

    @cached_property
    def is_prose(self) -> bool:
        """Whether only plain prose changed, which no program imports: a graph has nothing to say of that."""
        paths = [path for file in self.change.files for path in (file.path, file.base_path or file.path)]
        return all(path.lower().endswith(_PROSE) for path in paths)

    @cached_property
    def changed_symbols(self) -> Mapping[str, frozenset[str]]:
        """Changed file -> the names of what changed in it."""
        return changed_symbols(self.change)

    @property
    def limits(self) -> Tier3:
        """The thresholds and places of Tier 3."""
        return self.config.tier3

    def floor(self, narrow: RiskLevel, seed: RiskLevel) -> RiskLevel:
        """The level the policy in force gives: `seed` where the table is read to the letter."""
        return seed if self.limits.policy is Policy.seed else narrow


class Signal(Protocol):
    """One dimension of risk. Unknown is never good: what could not be measured is yielded as `NotChecked`."""

    @property
    def name(self) -> str:
        """The register key; every factor's `signal` is this name."""

    @property
    def answers(self) -> Question | None:
        """The question of the report it answers; None where it yields factors alone."""

    @property
    def covers(self) -> frozenset[str]:
        """The rows of the table of languages it reads."""

    def measure(self, context: RiskContext) -> Iterable[Measure]:
        """What it measured; a factor only where there is something to say."""
