"""Rule `design`: few checks of structure, each shown by other lines or files of the same tree."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import is_in
from assay.validators.languages.register import LANGUAGES
from assay.validators.progress import OutOfTime
from assay.validators.quality.design.direction import RUN_ON_IMPORT, against_direction
from assay.validators.quality.design.infrastructure import bypassed_abstractions
from assay.validators.quality.design.unreachable import unreachable_statements
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding, Severity, Tier
from assay.validators.report.unknown import NotChecked

_ANY_IMPORT = re.compile(r"import|require|from|define")


class Design:
    """Rule `design`."""

    name = "design"
    answers = None
    covers = frozenset[str]().union(*(LANGUAGES[name].covers for name in RUN_ON_IMPORT))

    def check(self, context: QualityContext) -> Iterator[Finding | NotChecked]:
        """Yield a warning for each departure from what the base itself does."""
        change = context.change
        files = [file for file in change.existing(Nature.source) if is_in(file.path, self.covers)]
        found = list(unreachable_statements(change))
        # Only an added line that may be an import makes the graphs worth their time.
        if any(_ANY_IMPORT.search(line) for file in files for line in file.added.values()):
            try:
                base, head = context.graphs.base(context.deadline), context.graphs.head(context.deadline)
                found += [*against_direction(change, base, head), *bypassed_abstractions(change, base, head)]
            except OutOfTime as error:
                yield NotChecked(self.name, str(error))
        for part, path, line, message, key in found:
            yield Finding(Tier.quality, Severity.warning, f"{self.name}.{part}", path, message, line=line, context=key)
