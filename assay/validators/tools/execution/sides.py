"""The two trees of a change, each created when first needed and prepared in a separate environment."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from assay.validators.change import ChangeSet
from assay.validators.configuration.model import ValidationConfig
from assay.validators.progress import Progress
from assay.validators.report.model import Tier
from assay.validators.tools.discovery.discover import Discovery, survey
from assay.validators.tools.execution.prepare import Prepared, prepare
from assay.validators.tools.execution.sandbox import Sandbox
from assay.validators.tools.execution.workplace import Workplace, open_workplace


@dataclass(frozen=True)
class Side:
    """A tree, ready or not; `prepared` holds the result."""

    workplace: Workplace
    prepared: Prepared


@dataclass
class Sides:
    """Head and base below the folder `home`; with `tree`, the head is that folder, already prepared."""

    change: ChangeSet
    config: ValidationConfig
    sandbox: Sandbox
    progress: Progress
    home: Path
    tree: Path | None = None
    _made: dict[str, Side] = field(default_factory=dict)

    def head(self, found: Discovery) -> Side:
        """Return the head, prepared for the commands found in it."""
        return self._side("head", found)

    def base(self) -> Side:
        """Return the base, prepared for the commands found in *it*: its manifests may name other packages."""
        known = self._made.get("base")
        touched = [file.base_path or file.path for file in self.change.files]
        return known or self._side("base", survey(self.change.base, self.config, touched))

    def made(self, name: str) -> Side:
        """Return a side that exists already."""
        return self._made[name]

    def _side(self, name: str, found: Discovery) -> Side:
        if name in self._made:
            return self._made[name]
        what = f"preparing the {name}"
        self.progress.began(Tier.tools, what)
        given = self.tree if name == "head" else None
        workplace = open_workplace(self.change, name, self.home / name, self.sandbox, given)
        tree = self.change.head if name == "head" else self.change.base
        setups = () if given else found.setups
        prepared = prepare(workplace, tree, setups, self.config.tier1.setup_timeout_seconds)
        self.progress.ended(Tier.tools, what, str(prepared.outcome) if setups else "as it is")
        self._made[name] = Side(workplace, prepared)
        return self._made[name]
