"""Unchanged files to compare with added lines: those that share some of them.

A copied block brings its lines, so a file that shares fewer than a handful cannot be the original; leaving it out
keeps the comparison small in any tree. A copy with rewrapped lines is missed.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from assay.validators.changes.change import ChangedFile, ChangeSet
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import suffixes
from assay.validators.progress import Deadline
from assay.validators.report.unknown import NotChecked

MOST_READ = 12_000
LARGEST_BYTES = 512 * 1024
MOST_CANDIDATES = 500
MOST_CANDIDATE_BYTES = 12 * 1024 * 1024
MOST_NEAR = 150
FEWEST_SHARED = 4
BATCH = 500
SHARE_OF_TIME = 0.4

_FAMILIES = (
    suffixes("python"),
    suffixes("javascript", "jsx", "typescript", "tsx", "vue", "svelte"),
    suffixes("java", "kotlin", "scala"),
    suffixes("c", "c-header", "cpp"),
    suffixes("css", "scss"),
)
_FAMILY_OF = {suffix: family for family in _FAMILIES for suffix in family}


@dataclass(frozen=True, slots=True)
class Candidates:
    """Files to compare with, most similar first; nearby source files; and what was left out."""

    files: tuple[tuple[str, bytes], ...] = ()
    near: tuple[tuple[str, bytes], ...] = ()
    not_checked: tuple[NotChecked, ...] = ()


def similar_files(change: ChangeSet, added: Sequence[ChangedFile], deadline: Deadline) -> Candidates:
    """Return the unchanged files of the added files' languages that share lines with the added ones."""
    wanted = frozenset(line for file in added for line in telling_lines(file.added.values()))
    if not wanted:
        return Candidates()
    paths, num_left_out = _nearest_first(change, added)
    num_all = len(paths) + num_left_out
    until_s = deadline.left_s() * (1 - SHARE_OF_TIME)
    scored: list[tuple[int, str, bytes]] = []
    near: list[tuple[str, bytes]] = []
    for begin in range(0, len(paths), BATCH):
        if deadline.left_s() < until_s:
            num_left_out += len(paths) - begin
            break
        for path, content in change.head.read_many(paths[begin : begin + BATCH], LARGEST_BYTES):
            if content is None or change.nature_of(path, content) not in _COMPARED:
                continue
            if len(near) < MOST_NEAR and change.nature_of(path) is Nature.source:
                near.append((path, content))
            shared = len(wanted & set(map(bytes.strip, content.split(b"\n"))))
            if shared >= FEWEST_SHARED:
                scored.append((shared, path, content))
    scored.sort(key=lambda each: (-each[0], each[1]))
    kept = list(_within(scored))
    num_left_out += len(scored) - len(kept)
    notes: tuple[NotChecked, ...] = ()
    if num_left_out:
        why = "the tree is large: those nearest to the change, and most like it, were compared"
        notes = (NotChecked(f"duplicates in {num_left_out} of {num_all} files", why),)
    return Candidates(tuple((path, content) for _, path, content in kept), tuple(near), notes)


_COMPARED = (Nature.source, Nature.test)


def telling_lines(lines: Iterable[str]) -> Iterator[bytes]:
    """Yield the distinctive lines: no bracket-only lines, no imports."""
    for line in lines:
        stripped = line.strip()
        if len(stripped) >= 8 and not stripped.startswith(
            ("import ", "from ", "#include", "use ", "package ", "export *", "//", "*", "# ")
        ):
            yield stripped.encode("utf-8", "surrogateescape")


def _nearest_first(change: ChangeSet, added: Sequence[ChangedFile]) -> tuple[list[str], int]:
    """Return (paths of the added files' languages, nearest folders first; number of the others)."""
    found = {other for file in added for other in _FAMILY_OF.get(_suffix(file.path), (_suffix(file.path),))}
    endings = tuple(found)
    paths = [path for path in change.head.paths if path.lower().endswith(endings) and path not in change.by_path]
    paths = [path for path in paths if change.nature_of(path) in _COMPARED]
    near = Counter(folder for file in added for folder in _folders(file.path))
    paths.sort(key=lambda path: -sum(near[folder] > 0 for folder in _folders(path)))
    return paths[:MOST_READ], max(0, len(paths) - MOST_READ)


def _folders(path: str) -> list[str]:
    parts = os.path.dirname(path).split("/")
    return ["/".join(parts[: end + 1]) for end in range(len(parts))]


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


def _within(scored: list[tuple[int, str, bytes]]) -> Iterator[tuple[int, str, bytes]]:
    size = 0
    for each in scored[:MOST_CANDIDATES]:
        size += len(each[2])
        if size > MOST_CANDIDATE_BYTES:
            return
        yield each
