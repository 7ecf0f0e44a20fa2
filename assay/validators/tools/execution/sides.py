"""The two trees of a change, each created when first needed and prepared in a separate environment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from assay.validators.changes.change import SourceTree
from assay.validators.progress import Progress
from assay.validators.report.model import Tier
from assay.validators.tools.discovery.discover import Surveys
from assay.validators.tools.execution.prepare import Prepared, prepare
from assay.validators.tools.execution.sandbox import Sandbox
from assay.validators.tools.execution.workplace import Workplace, open_workplace
from assay.validators.tools.tool import Setup


@dataclass(frozen=True)
class Side:
    """A tree, ready or not; `prepared` holds the result."""

    workplace: Workplace
    prepared: Prepared


@dataclass
class Sides:
    """Head and base below the folder `home`; with `tree`, the head is that folder, already prepared.

    `surveys` found their commands.
    """

    surveys: Surveys
    sandbox: Sandbox
    progress: Progress
    home: Path
    tree: Path | None = None

    @cached_property
    def head(self) -> Side:
        """The head, prepared for its commands."""
        change, setups = self.surveys.change, () if self.tree else self.surveys.head.setups
        return self._side("head", change.head, setups, self.tree)

    @cached_property
    def base(self) -> Side:
        """The base, prepared for the commands found in *it*: its manifests may name other packages."""
        return self._side("base", self.surveys.change.base, self.surveys.base.setups)

    def _side(
        self, name: str, tree: SourceTree, setups: Sequence[tuple[str, Setup]], given: Path | None = None
    ) -> Side:
        what = f"preparing the {name}"
        self.progress.began(Tier.tools, what)
        workplace = open_workplace(self.surveys.change, name, self.home / name, self.sandbox, given)
        prepared = prepare(workplace, tree, setups)
        self.progress.ended(Tier.tools, what, str(prepared.outcome) if setups else "as it is")
        return Side(workplace, prepared)
