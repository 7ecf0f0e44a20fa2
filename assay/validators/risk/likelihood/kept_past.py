"""Landed changes and what their patches contribute, kept between runs by commit: a commit never changes."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

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
LARGEST_ROW = 16 * 1024 * 1024
"""Maximum bytes of a row, unpacked."""
_SAVED_AT_ONCE = 200


@lru_cache(maxsize=100_000)
def by_convention(path: str) -> Nature:
    """Return what a path is by convention: the past has no configuration that says otherwise."""
    return nature_of(path, b"")


def source_files(change: LandedChange) -> Iterator[TouchedFile]:
    """Yield the handwritten source files of a change, tests left out."""
    return (file for file in change.files if by_convention(file.path) is Nature.source)


@dataclass(frozen=True, slots=True)
class Place:
    """Place of a patch: its 1-based first base line, a character per removed line, and the number of added ones.

    The character is `x` where a fix that removes the line blames who wrote it: code, and no import.
    """

    base_start: int
    removed: str
    num_added: int


@dataclass(frozen=True, slots=True)
class PatchedFile:
    """Places of one source file, in order."""

    path: str
    base_path: str | None
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class PatchFacts:
    """What is kept of the patch of a change."""

    text: TextMeasures
    files: tuple[PatchedFile, ...]


def facts_of(patches: Sequence[FilePatch]) -> PatchFacts:
    """Return what is kept of a patch."""
    return PatchFacts(measure_text(patches, by_convention), tuple(map(_file, patches)))


def _file(patch: FilePatch) -> PatchedFile:
    places = (
        Place(hunk.base_start, "".join(_mark(line, patch.path) for line in hunk.removed), len(hunk.added))
        for hunk in patch.hunks
    )
    return PatchedFile(patch.path, patch.base_path, tuple(places))


def _mark(line: bytes, path: str) -> str:
    return "x" if not is_import(line) and any(True for _ in code_lines((line,), path)) else "."


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
        kept = {} if self._rows is None else self._rows.load(CHANGES, ids)
        found = {sha: change for sha, (text,) in kept.items() if (change := _change(sha, text)) is not None}
        read = {change.sha: change for change in self.history.changes([sha for sha in ids if sha not in found])}
        # Where a shallow clone ends, a change seems to have no parents, and a merged branch no author.
        if self._rows is not None and self.history.is_whole:
            self._rows.save(CHANGES, {sha: (_text(change),) for sha, change in read.items()})
        found |= read
        return [found[sha] for sha in ids if sha in found]

    def patches(self, changes: Iterable[LandedChange]) -> Iterator[tuple[LandedChange, PatchFacts | None]]:
        """Yield each change with what is kept of its patch; None if the clone lacks the contents."""
        changes = list(changes)
        asked = [change.sha for change in changes if any(True for _ in source_blobs(change))]
        kept = {} if self._rows is None else self._rows.load(PATCHES, asked)
        found = {sha: facts for sha, (packed,) in kept.items() if (facts := _facts(packed)) is not None}
        unread = {sha for sha in asked if sha not in found}
        patched = self.history.patches([change for change in changes if change.sha in unread])
        fresh: dict[str, PatchFacts] = {}
        try:
            for change in changes:
                if change.sha in unread:
                    _, patches = next(patched)
                    facts = None if patches is None else facts_of(patches)
                    if facts is not None:
                        fresh[change.sha] = facts
                    if len(fresh) >= _SAVED_AT_ONCE:
                        self._save(fresh)
                    yield change, facts
                else:
                    yield change, found.get(change.sha, _NOTHING)
        finally:
            self._save(fresh)

    def _save(self, fresh: dict[str, PatchFacts]) -> None:
        if self._rows is not None:
            self._rows.save(PATCHES, {sha: (_packed(facts),) for sha, facts in fresh.items()})
        fresh.clear()


_NOTHING = PatchFacts(TextMeasures(), ())


def _text(change: LandedChange) -> str:
    files = [[file.path, file.base_path, file.exists, file.blobs] for file in change.files]
    return json.dumps([change.parents, change.time, change.author, change.message, files], separators=(",", ":"))


def _change(sha: str, text: Any) -> LandedChange | None:
    try:
        parents, time, author, message, files = json.loads(text)
        touched = tuple(TouchedFile(path, base, exists, tuple(blobs)) for path, base, exists, blobs in files)
        return LandedChange(sha, tuple(parents), time, author, message, touched)
    except (ValueError, TypeError, RecursionError):
        return None


def _packed(facts: PatchFacts) -> bytes:
    files = [
        [file.path, file.base_path, [[place.base_start, place.removed, place.num_added] for place in file.places]]
        for file in facts.files
    ]
    return zlib.compress(json.dumps([astuple(facts.text), files], separators=(",", ":")).encode(), 1)


def _facts(packed: Any) -> PatchFacts | None:
    try:
        text, files = json.loads(zlib.decompressobj().decompress(packed, LARGEST_ROW))
        read = (PatchedFile(path, base, tuple(Place(*place) for place in places)) for path, base, places in files)
        return PatchFacts(TextMeasures(*text), tuple(read))
    except (ValueError, TypeError, RecursionError, zlib.error):
        return None
