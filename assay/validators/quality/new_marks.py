"""New marks: files that only this change marks as generated or vendored, and that are checked like source."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.changes.change import shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import ALL_LANGUAGES
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding, Severity, Tier

MOST_LISTED = 10
"""Maximum files with separate findings; more of them share one finding."""

_KEYS = {Nature.generated: "generated", Nature.vendored: "vendored"}


class NewMarks:
    """Rule `new_marks`."""

    name = "new_marks"
    answers = None
    covers = ALL_LANGUAGES

    def check(self, context: QualityContext) -> Iterator[Finding]:
        """Yield a finding for each source file with a new mark, or one per nature for many files."""
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
