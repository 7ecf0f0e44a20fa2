"""Size of the change: files, lines, modules, and the share of source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.validators.changes.change import ChangedFile, FileKind
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import ALL_LANGUAGES
from assay.validators.report.model import Evidence, Statement
from assay.validators.report.risk_facts import Surface
from assay.validators.risk.signal import Measure, RiskContext
from assay.validators.wording import plural

LARGE, VERY_LARGE = 50, 400
"""Added source lines."""
NOT_COUNTED = frozenset({Nature.lock, Nature.generated, Nature.vendored})
"""Natures of files that are not handwritten: in `num_files`, but in no module."""
_CONTAINERS = frozenset(
    "src lib libs packages apps modules services plugins crates projects components pkg cmd internal".split()
)


class SurfaceSignal:
    """Signal `surface`: more lines have more errors, the simplest known predictor."""

    name = "surface"
    answers = None
    covers = ALL_LANGUAGES

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield the surface, and a statement if much source is added; not if the change as a whole adds no code."""
        files = context.change.files
        yield _surface_of(files)
        source = [file for file in files if file.nature is Nature.source and file.kind is FileKind.text]
        # Without comments, imports and moved lines there are fewer, never more.
        if sum(len(file.added) for file in source) < LARGE or context.whole_change is not None:
            return
        moved = context.moved_code.head
        new_lines = {
            file.path: len(context.changed_code(file).added.keys() - moved.get(file.path, frozenset()))
            for file in source
        }
        added = sum(new_lines.values())
        if added < LARGE:
            return
        kind, threshold = ("very_large", VERY_LARGE) if added >= VERY_LARGE else ("large", LARGE)
        largest = sorted((path for path, num in new_lines.items() if num), key=lambda path: -new_lines[path])
        yield Statement(
            kind,
            f"adds {added} lines of source (threshold: {threshold})",
            advice=f"split it into changes of fewer than {threshold} source lines each",
            evidence=tuple(Evidence(plural(new_lines[path], "new line"), path) for path in largest),
        )


def _surface_of(files: Sequence[ChangedFile]) -> Surface:
    """Return the figures of these files; binary files count only as files."""
    source = [file for file in files if file.nature is Nature.source]
    written = [file for file in files if file.nature not in NOT_COUNTED]
    return Surface(
        num_files=len(files),
        num_added=sum(len(file.added) for file in files),
        num_removed=sum(len(file.removed) for file in files),
        num_source_files=len(source),
        num_source_added=sum(len(file.added) for file in source),
        num_source_removed=sum(len(file.removed) for file in source),
        num_modified=sum(min(len(hunk.base_lines), len(hunk.head_lines)) for file in files for hunk in file.hunks),
        modules=tuple(sorted({_module_of(file.path) for file in written})),
    )


def _module_of(path: str) -> str:
    """Return the module of a file: its first folder, or the second one if the first only groups modules."""
    folders = path.split("/")[:-1]
    if not folders:
        return "."
    depth = 2 if folders[0] in _CONTAINERS and len(folders) > 1 else 1
    return "/".join(folders[:depth])
