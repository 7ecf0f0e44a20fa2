"""Rule `design`: few checks of structure, each shown by other lines or files of the same tree."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import is_in
from assay.validators.languages.register import LANGUAGES
from assay.validators.progress import OutOfTime
from assay.validators.quality.design.direction import against_direction
from assay.validators.quality.design.imports import RUN_ON_IMPORT, adds_imports, new_imports
from assay.validators.quality.design.infrastructure import bypassed_abstractions
from assay.validators.quality.design.unreachable import unreachable_statements
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
        change = context.change
        if not any(is_in(file.path, self.covers) for file in change.existing(Nature.source)):
            return
        try:
            if adds_imports(change):
                base, head = context.graphs.base(context.deadline), context.graphs.head(context.deadline)
                yield from against_direction(change, base, new_imports(change, base, head))
                yield from bypassed_abstractions(change, base, head)
            yield from unreachable_statements(change)
        except OutOfTime as error:
            yield NotChecked(self.name, str(error))
