"""Landed changes and what their patches contribute, kept between runs by commit: a commit never changes."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from assay.validators import changes as changes_room
from assay.validators.changes.classify import Nature, nature_of
from assay.validators.changes.landed import FilePatch, History, LandedChange, TouchedFile
from assay.validators.io.row_cache import RowCache, Table, cache_file, version_of
from assay.validators.risk.likelihood.text_measures import TextMeasures, code_lines, is_import, measure_text
from assay.validators.vcs import landed as vcs_landed
from assay.validators.vcs.landed import source_blobs

CHANGES = Table("changes", ("found",), 60_000)
PATCHES = Table("patches", ("found",), 60_000)
"""About 100 MB and 15 MB."""
_AT_ONCE = 1_000
"""Patches read, and kept, before the first of them is returned."""
_Kept = TypeVar("_Kept")


@lru_cache(maxsize=100_000)
def by_convention(path: str) -> Nature:
    """Return what a path is by convention: the past has no configuration that says otherwise."""
    return nature_of(path, b"")


class Place(NamedTuple):
    """Place of a patch: its 1-based first base line, a character per removed line, and the number of added ones.

    The character is `x` where a fix that removes the line blames who wrote it: code, and no import.
    """

    base_start: int
    removed: str
    num_added: int


class PatchedFile(NamedTuple):
    """Places of one source file, in order."""

    path: str
    base_path: str | None
    places: tuple[Place, ...]


class PatchFacts(NamedTuple):
    """What is kept of the patch of a change."""

    text: TextMeasures
    files: tuple[PatchedFile, ...]


def facts_of(patches: Sequence[FilePatch]) -> PatchFacts:
    """Return what is kept of a patch."""
    files = (
        PatchedFile(
            patch.path,
            patch.base_path,
            tuple(Place(hunk.base_start, _marks(hunk.removed, patch.path), len(hunk.added)) for hunk in patch.hunks),
        )
        for patch in patches
    )
    return PatchFacts(measure_text(patches, by_convention), tuple(files))


def _marks(lines: Iterable[bytes], path: str) -> str:
    return "".join("x" if not is_import(line) and any(code_lines((line,), path)) else "." for line in lines)


@cache
def _version() -> int:
    return version_of(*changes_room.__path__, str(Path(__file__).parent), str(Path(vcs_landed.__file__).parent))


class KeptPast:
    """Changes of a history, read from git where they are not kept yet."""

    def __init__(self, history: History) -> None:
        self.history = history
        path = cache_file("history.sqlite")
        self._rows = None if path is None else RowCache(path, _version(), CHANGES, PATCHES)

    def changes(self, ids: Sequence[str]) -> list[LandedChange]:
        """Return the changes with these ids, in their order."""
        found = self._load(CHANGES, ids, _change)
        read = {change.sha: change for change in self.history.changes([sha for sha in ids if sha not in found])}
        # Where a shallow clone ends, a change seems to have no parents, and a merged branch no author.
        if self.history.is_whole:
            self._save(CHANGES, {sha: _text(change) for sha, change in read.items()})
        found |= read
        return [found[sha] for sha in ids if sha in found]

    def patches(self, changes: Sequence[LandedChange]) -> Iterator[tuple[LandedChange, PatchFacts | None]]:
        """Yield each change with what is kept of its patch; None without source, or if the clone lacks it."""
        for at in range(0, len(changes), _AT_ONCE):
            part = changes[at : at + _AT_ONCE]
            asked = [change for change in part if any(source_blobs(change))]
            found = self._load(PATCHES, [change.sha for change in asked], _facts)
            patched = self.history.patches([change for change in asked if change.sha not in found])
            read = {change.sha: facts_of(patches) for change, patches in patched if patches is not None}
            self._save(PATCHES, {sha: _packed(facts) for sha, facts in read.items()})
            found |= read
            yield from ((change, found.get(change.sha)) for change in part)

    def _load(self, table: Table, ids: Iterable[str], read: Callable[[str, Any], _Kept]) -> dict[str, _Kept]:
        found = {}
        for sha, (row,) in ({} if self._rows is None else self._rows.load(table, list(ids))).items():
            with suppress(ValueError, TypeError, RecursionError, zlib.error):
                found[sha] = read(sha, row)
        return found

    def _save(self, table: Table, found: Mapping[str, str | bytes]) -> None:
        if self._rows is not None:
            self._rows.save(table, {sha: (row,) for sha, row in found.items()})


def _text(change: LandedChange) -> str:
    files = [[file.path, file.base_path, file.exists, file.blobs] for file in change.files]
    return json.dumps([change.parents, change.time, change.author, change.message, files], separators=(",", ":"))


def _change(sha: str, text: Any) -> LandedChange:
    parents, time, author, message, files = json.loads(text)
    touched = tuple(TouchedFile(path, base, exists, tuple(blobs)) for path, base, exists, blobs in files)
    return LandedChange(sha, tuple(parents), time, author, message, touched)


def _packed(facts: PatchFacts) -> bytes:
    return zlib.compress(json.dumps(facts, separators=(",", ":")).encode(), 1)


def _facts(_: str, packed: Any) -> PatchFacts:
    text, files = json.loads(zlib.decompress(packed))
    read = (PatchedFile(path, base, tuple(Place(*place) for place in places)) for path, base, places in files)
    return PatchFacts(TextMeasures(*text), tuple(read))
