"""Interface of Tier 3's signals and their input."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from assay.validators.changes.change import ChangedFile, ChangeSet
from assay.validators.changes.past_pulls import PastPull
from assay.validators.configuration.model import Policy, Tier3, ValidationConfig
from assay.validators.dependencies.asked import AskedDependencies
from assay.validators.graph.import_graph import Graphs, ImportGraph
from assay.validators.graph.moved_code import MovedCode, moved_code
from assay.validators.progress import Deadline
from assay.validators.report.answers import Analyzer
from assay.validators.report.model import Coverage, Likelihood, QualityResult, RiskLevel, Statement, ToolsResult
from assay.validators.report.risk_facts import ApiChange, Dependent, NewDependency, Rollback, Surface
from assay.validators.report.unknown import NotChecked
from assay.validators.risk.changed_code import ChangedCode, changed_code

USED_WIDELY = 20
"""Files that use or import a file, from which it is shared infrastructure."""


class NumTests(int):
    """Number of the tree's test files, which the tests to run first are compared with."""


_OfHistory = Likelihood | Rollback
Measure = Statement | _OfHistory | Surface | Dependent | NumTests | ApiChange | NewDependency | Coverage | NotChecked
"""Results of a signal: statements, and measurements the report always shows."""


@dataclass(frozen=True)
class RiskContext:
    """Input of the signals: the change, its configuration, the time left, and the results of the other tiers.

    Expensive parts are built on first use: `head_graph` reads the whole head tree, `base_graph` the base's (for users
    of a deleted file). Both raise `OutOfTime`.
    """

    change: ChangeSet
    config: ValidationConfig
    deadline: Deadline
    graphs: Graphs
    level_under: Callable[[ValidationConfig, str], RiskLevel]
    """Policy floor of this change under another configuration, without the named signal."""
    tools: ToolsResult = field(default_factory=ToolsResult)
    quality: QualityResult = field(default_factory=QualityResult)
    past_pulls: Sequence[PastPull] = ()
    whole_change: str | None = None
    asked: AskedDependencies | None = None
    _codes: dict[str, ChangedCode] = field(default_factory=dict)

    @property
    def head_graph(self) -> ImportGraph:
        """Import graph after the change."""
        return self.graphs.head(self.deadline)

    @property
    def base_graph(self) -> ImportGraph:
        """Import graph before the change; unchanged files are not read again."""
        return self.graphs.base(self.deadline)

    @cached_property
    def dependencies(self) -> AskedDependencies:
        """New and moved packages, and what registries say of them."""
        return self.asked or AskedDependencies(self.change, self.config.dependencies)

    @cached_property
    def moved_code(self) -> MovedCode:
        """Definitions that the change only moves to another file."""
        return moved_code(self.change)

    def changed_code(self, file: ChangedFile) -> ChangedCode:
        """Return the code among a file's changed lines; each file is read once."""
        if file.path not in self._codes:
            self._codes[file.path] = changed_code(self.change, file)
        return self._codes[file.path]

    @property
    def limits(self) -> Tier3:
        """Limits and paths of Tier 3."""
        return self.config.tier3

    @property
    def is_seed(self) -> bool:
        """Whether the table of the specification sets the levels."""
        return self.limits.policy is Policy.seed


class Signal(Analyzer, Protocol):
    """One dimension of risk. A property that could not be measured is yielded as `NotChecked`."""

    @property
    def name(self) -> str:
        """Key in the register; the `signal` of its statements."""

    def measure(self, context: RiskContext) -> Iterable[Measure]:
        """Return the measures; a statement only if there is something to say."""
