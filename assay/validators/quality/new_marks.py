"""New marks: code that only this change calls generated or vendored, which is why it is looked at like source."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.change import shown
from assay.validators.classify import Nature
from assay.validators.language_table import ALL_LANGUAGES
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding, Severity, Tier

MOST_LISTED = 10
"""Files named one by one; more of them are one finding."""

_KEYS = {Nature.generated: "generated", Nature.vendored: "vendored"}


class NewMarks:
    """The rule."""

    name = "new_marks"
    answers = None
    covers = ALL_LANGUAGES

    def check(self, context: QualityContext) -> Iterator[Finding]:
        """A remark for each source file with a new mark, or one for all of a nature where there are many."""
        for nature, key in _KEYS.items():
            marked = [
                file
                for file in context.change.files
                if file.claimed is nature and file.nature is Nature.source and file.exists
            ]
            if len(marked) > MOST_LISTED:
                yield self._finding("", f"{len(marked)} files are marked {nature} by this change", key, nature)
                continue
            for file in marked:
                yield self._finding(file.path, f"marked {nature} by this change", key, nature)

    def _finding(self, path: str, text: str, key: str, nature: Nature) -> Finding:
        where = f"{shown(path)} is " if path else ""
        return Finding(
            tier=Tier.quality,
            severity=Severity.info,
            rule=f"{self.name}.{nature}",
            file=path,
            message=f"{where}{text}: checked like source",
            suggestion=f"If it is, add its path to `{key}` in the configuration of the base branch.",
            context=str(nature),
        )
