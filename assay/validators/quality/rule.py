"""What Tier 2 is made of: rules that look at a change and yield findings, and what they are given to look with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from assay.llm import LanguageModel
from assay.validators.change import ChangedFile, ChangeSet
from assay.validators.configuration.model import ValidationConfig
from assay.validators.graph.import_graph import Graphs
from assay.validators.progress import Deadline
from assay.validators.quality.learned_model import LearnedRule
from assay.validators.report.model import Finding, NotChecked
from assay.validators.report.unknown import Question, Unknown


@dataclass(frozen=True, slots=True)
class QualityContext:
    """The change, its configuration, the time left, the import graphs of its trees, a model where there is one, and
    the rules that came with the request beside those in the base's file.

    `beyond` are generated and vendored files beyond the bound, which only rules for dangers read.
    """

    change: ChangeSet
    config: ValidationConfig
    deadline: Deadline
    graphs: Graphs
    model: LanguageModel | None = None
    learned_rules: tuple[LearnedRule, ...] = ()
    beyond: tuple[ChangedFile, ...] = ()


class Rule(Protocol):
    """One dimension of quality. A rule yields what the *change* introduces, never what was there before.

    It may also yield `NotChecked` for what it could not look at, and `Unknown` for files it has no answer for.
    """

    @property
    def name(self) -> str:
        """The register key; every finding's `rule` is this name, or this name and a part after a dot."""

    @property
    def answers(self) -> Question | None:
        """The question of the report it answers; None where none."""

    @property
    def covers(self) -> frozenset[str]:
        """The rows of the table of languages it reads."""

    def check(self, context: QualityContext) -> Iterable[Finding | NotChecked | Unknown]:
        """The findings, in any order, without ids."""
