"""What Tier 3 is made of: signals that measure a change and yield factors, and what they are given to measure with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from assay.validators.graph import ImportGraph

from assay.llm import LanguageModel
from assay.validators.change import ChangeSet
from assay.validators.config import ValidationConfig
from assay.validators.progress import Deadline
from assay.validators.report import (
    ApiChange,
    Coverage,
    Dependent,
    LineCoverage,
    NewDependency,
    NotChecked,
    RiskFactor,
    Surface,
)

Measure = RiskFactor | Surface | Dependent | ApiChange | NewDependency | Coverage | NotChecked
"""What a signal may yield: reasons for a level, and the facts the report shows whatever the level is."""


@dataclass(frozen=True, slots=True)
class RiskContext:
    """The change, the import graph of its head and its base, the coverage Tier 1 left, and the limits.

    `head_graph` holds the whole head tree, `base_graph` the base's (for what a deleted file was used by).
    """

    change: ChangeSet
    config: ValidationConfig
    deadline: Deadline
    head_graph: ImportGraph
    base_graph: ImportGraph
    line_coverage: LineCoverage | None = None
    coverage_source: str | None = None
    model: LanguageModel | None = None


class Signal(Protocol):
    """One dimension of risk. Unknown is never good: what could not be measured is yielded as `NotChecked`."""

    @property
    def name(self) -> str:
        """The register key; every factor's `signal` is this name."""

    def measure(self, context: RiskContext) -> Iterable[Measure]:
        """What it measured; a factor only where there is something to say."""
