"""Group the changed files along the import graph, so that each part is reviewed with what belongs to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import Kind, is_in, of_kind
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.report.unknown import NotChecked

MOST_LINES = 600
"""Changed lines of one part; a larger group is split by file."""
MOST_PARTS = 6
"""Maximum parts reviewed; their cost is bounded by the budget too."""
_WHY_NOT = {
    Nature.generated: "generated",
    Nature.vendored: "vendored",
    Nature.lock: "a lock file",
    Nature.docs: "documentation",
    Nature.data: "data",
}


def groups_of(change: ChangeSet, graph: ImportGraph | None) -> tuple[list[tuple[ChangedFile, ...]], list[NotChecked]]:
    """Return the parts of a change to review, the largest change of source first, and what is not reviewed."""
    files, skipped = [], []
    for file in change.files:
        why = _why_not(file)
        if why is None:
            files.append(file)
        elif file.hunks:
            skipped.append(NotChecked(f"review of {shown(file.path)}", why))
    groups = [part for group in _connected(files, graph) for part in split_by_lines(group)]
    groups.sort(key=lambda group: (-sum(map(_weight, group)), group[0].path))
    for group in groups[MOST_PARTS:]:
        names = ", ".join(shown(file.path) for file in group[:3])
        skipped.append(NotChecked(f"review of {names}", f"more than {MOST_PARTS} parts of the change"))
    return groups[:MOST_PARTS], skipped


def _why_not(file: ChangedFile) -> str | None:
    if file.kind is not FileKind.text:
        return "it has no text"
    if not file.hunks:
        return "no line changed"
    if file.nature in _WHY_NOT:
        return f"it is {_WHY_NOT[file.nature]}"
    return None


def _weight(file: ChangedFile) -> int:
    """Return the changed lines; of tests and settings a part, since they follow the source."""
    lines = len(file.added) + len(file.removed)
    is_source = file.nature is Nature.source and is_in(file.path, of_kind(Kind.code))
    return lines * 4 if is_source else lines


def _connected(files: Sequence[ChangedFile], graph: ImportGraph | None) -> Iterator[list[ChangedFile]]:
    """Yield groups of files that import each other, directly."""
    left = dict.fromkeys(file.path for file in files)
    by_path = {file.path: file for file in files}
    while left:
        first = next(iter(left))
        queue, group = [first], []
        del left[first]
        while queue:
            path = queue.pop()
            group.append(by_path[path])
            near: Iterable[str] = ()
            if graph is not None:
                near = graph.importers([path]) | graph.imported_by(path)
            for other in sorted(near):
                if other in left:
                    del left[other]
                    queue.append(other)
        yield sorted(group, key=lambda file: (file.nature is not Nature.source, -_weight(file), file.path))


def split_by_lines(group: Iterable[ChangedFile]) -> Iterator[tuple[ChangedFile, ...]]:
    """Yield the group in parts of at most `MOST_LINES` changed lines; a larger file is a part apart."""
    part: list[ChangedFile] = []
    size = 0
    for file in group:
        lines = len(file.added) + len(file.removed)
        if part and size + lines > MOST_LINES:
            yield tuple(part)
            part, size = [], 0
        part.append(file)
        size += lines
    if part:
        yield tuple(part)
