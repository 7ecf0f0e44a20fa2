"""Size of the change: files, lines, modules, and the share of source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, Hunk, SourceTree, decoded
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import ALL_LANGUAGES
from assay.validators.languages.source_text import split_source
from assay.validators.report.model import Evidence, Statement
from assay.validators.report.risk_facts import Surface
from assay.validators.risk.signal import Measure, RiskContext
from assay.validators.wording import plural

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
        yield surface_of(files)
        limits = context.limits.surface
        new_lines = {file.path: num_new_lines(context.change, file) for file in files if file.nature is Nature.source}
        added = sum(new_lines.values())
        if added < limits.medium or context.whole_change is not None:
            return
        is_high = added >= limits.high
        threshold = limits.high if is_high else limits.medium
        largest = sorted((path for path, num in new_lines.items() if num), key=lambda path: -new_lines[path])
        yield Statement(
            "very_large" if is_high else "large",
            f"adds {added} lines of source (threshold: {threshold})",
            advice=f"split it into changes of fewer than {threshold} source lines each",
            evidence=tuple(Evidence(plural(new_lines[path], "new line"), path) for path in largest),
        )


def surface_of(files: Iterable[ChangedFile]) -> Surface:
    """Return the figures of these files; binary files count only as files."""
    files = list(files)
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
        modules=tuple(sorted({module_of(file.path) for file in written})),
    )


def module_of(path: str) -> str:
    """Return the module of a file: its first folder, or the second one if the first only groups modules."""
    folders = path.split("/")[:-1]
    if not folders:
        return "."
    depth = 2 if folders[0] in _CONTAINERS and len(folders) > 1 else 1
    return "/".join(folders[:depth])


def num_new_lines(change: ChangeSet, file: ChangedFile) -> int:
    """Return the number of added lines, except blank lines, comments and changes of white space."""
    if file.kind is not FileKind.text:
        return 0
    head = _comment_lines(change.head, file.path) if file.exists and file.added else frozenset()
    base = _comment_lines(change.base, file.base_path) if file.base_path is not None and file.removed else frozenset()
    return sum(_new_in(hunk, base, head) for hunk in file.hunks)


def _comment_lines(tree: SourceTree, path: str) -> frozenset[int]:
    """Return the comment-only lines; empty if the file cannot be read."""
    content = tree.read(path)
    return split_source(decoded(content), path).comment_lines if content is not None else frozenset()


def _new_in(hunk: Hunk, base_comments: frozenset[int], head_comments: frozenset[int]) -> int:
    old = _squeezed(hunk.base_lines, hunk.base_start, base_comments)
    new = _squeezed(hunk.head_lines, hunk.head_start, head_comments)
    del new[""]
    return (new - old).total()


def _squeezed(lines: tuple[str, ...], first: int, comments: frozenset[int]) -> Counter[str]:
    return Counter("".join(line.split()) for number, line in enumerate(lines, first) if number not in comments)
