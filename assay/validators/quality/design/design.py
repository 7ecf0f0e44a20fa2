"""Rule `design`: few checks of structure, each shown by other files of the same tree."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import is_in
from assay.validators.languages.register import LANGUAGES
from assay.validators.progress import OutOfTime
from assay.validators.quality.design.cycles import new_cycles
from assay.validators.quality.design.dead_code import dead_code
from assay.validators.quality.design.direction import against_direction
from assay.validators.quality.design.former_paths import FormerPaths
from assay.validators.quality.design.imports import RUN_ON_IMPORT, adds_imports, new_imports
from assay.validators.quality.design.infrastructure import bypassed_abstractions
from assay.validators.quality.design.overrides import broken_overrides, files_with_overrides
from assay.validators.quality.design.repeated_helper import repeated_helpers
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding
from assay.validators.report.unknown import NotChecked


class Design:
    """Rule `design`."""

    name = "design"
    answers = None
    covers = frozenset[str]().union(*(LANGUAGES[name].covers for name in RUN_ON_IMPORT))

    def check(self, context: QualityContext) -> Iterator[Finding | NotChecked]:
        """Yield a warning for each departure from what the base itself does."""
        if not any(is_in(file.path, self.covers) for file in context.change.existing(Nature.source)):
            return
        try:
            former = FormerPaths(context.change)
            if adds_imports(context.change):
                yield from self._by_imports(context, former)
            if files := files_with_overrides(context.change):
                yield from broken_overrides(
                    context.change, files, context.graphs.head(context.deadline), context.deadline
                )
            limits = context.config.tier2.duplication
            yield from repeated_helpers(context.change, former, limits, context.deadline)
            yield from dead_code(context.change, former, context.deadline)
        except OutOfTime as error:
            yield NotChecked(self.name, str(error))

    def _by_imports(self, context: QualityContext, former: FormerPaths) -> Iterator[Finding]:
        change = context.change
        base, head = context.graphs.base(context.deadline), context.graphs.head(context.deadline)
        new = new_imports(change, base, head, former)
        yield from against_direction(change, base, new, former)
        yield from new_cycles(change, base, head, new, former)
        yield from bypassed_abstractions(change, base, head)
