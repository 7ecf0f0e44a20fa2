"""Interface of Tier 2's rules and their input."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from assay.validators.changes.change import ChangedFile, ChangeSet
from assay.validators.configuration.model import ValidationConfig
from assay.validators.graph.import_graph import Graphs
from assay.validators.progress import Deadline
from assay.validators.quality.inputs.learned_model import LearnedRule
from assay.validators.report.answers import Analyzer
from assay.validators.report.model import Finding
from assay.validators.report.unknown import NotChecked


@dataclass(frozen=True, slots=True)
class QualityContext:
    """Input of the rules: the change, its configuration, the time left and the import graphs of its trees.

    `has_model`: a model evaluates rules in words afterwards. `learned_rules` came with the request, in addition to the
    base's file. `beyond` are generated and vendored files beyond the limit, which only rules for dangers read.
    """

    change: ChangeSet
    config: ValidationConfig
    deadline: Deadline
    graphs: Graphs
    has_model: bool = False
    learned_rules: tuple[LearnedRule, ...] = ()
    beyond: tuple[ChangedFile, ...] = ()


class Rule(Analyzer, Protocol):
    """One dimension of quality. A rule yields what the *change* introduces, never what existed before.

    It may also yield `NotChecked` for what it could not check; with a question, for files it has no answer for.
    """

    @property
    def name(self) -> str:
        """Key in the register; every finding's `rule` is this name, or this name and a part after a dot."""

    def check(self, context: QualityContext) -> Iterable[Finding | NotChecked]:
        """Return the findings, in any order, without ids."""
