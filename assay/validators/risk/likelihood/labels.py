"""Which past changes needed a fix or were reverted, from git alone (SZZ).

A change *needed a fix* if a later fix removes or replaces a line it wrote (J. Śliwerski, T. Zimmermann, A. Zeller, When
Do Changes Induce Fixes?, 2005). Comments, blank lines and imports do not count, and neither do fixes of more than
`MOST_FILES` source files. Who wrote a line is known by replaying the patches in order, which equals `git blame
--first-parent -w` for lines written since the first of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from assay.validators.changes.landed import LandedChange
from assay.validators.changes.past_pulls import PastPull
from assay.validators.risk.likelihood.kept_past import PatchedFile, Place
from assay.validators.risk.likelihood.past import is_fix, is_revert, reverted_by

MOST_FILES = 15


class OutcomeFinder:
    """Finds outcomes from changes added oldest first; `past_pulls` are those that were recorded besides.

    `fixed_at` and `reverted_at` are when a commit was first fixed and when reverted, in seconds since 1970.
    """

    def __init__(self, past_pulls: Iterable[PastPull] = ()) -> None:
        recorded = [(pull, pull.sha) for pull in past_pulls if pull.sha is not None]
        self.fixed_at = {sha: pull.fixed_at for pull, sha in recorded if pull.fixed_at is not None}
        self.reverted_at = {sha: pull.reverted_at for pull, sha in recorded if pull.reverted_at is not None}
        self._writers: dict[str, list[str]] = defaultdict(list)
        self._by_prefix: dict[str, str] = {}

    def within(self, change: LandedChange, seconds: int) -> tuple[bool, bool]:
        """Return whether a change was fixed, and whether it was reverted, within a time after it landed."""
        end = change.time + seconds
        fixed, reverted = (at.get(change.sha, end + 1) <= end for at in (self.fixed_at, self.reverted_at))
        return fixed, reverted

    def add(self, change: LandedChange, files: Sequence[PatchedFile] | None) -> None:
        """Add a change with its patched source files (None if their contents are missing from the clone)."""
        self._by_prefix[change.sha[:7]] = change.sha
        for name in reverted_by(change):
            sha = self._by_prefix.get(name[:7], "")
            if sha.startswith(name):
                _note(self.reverted_at, sha, change.time)
        if files is None:
            for touched in change.files:
                self._writers.pop(touched.path, None)
            return
        if is_fix(change) and not is_revert(change) and len(files) <= MOST_FILES:
            for file in files:
                self._blame(change, file)
        for file in files:
            writers = [] if file.base_path is None else self._writers.pop(file.base_path, [])
            self._writers[file.path] = rewritten(writers, file.places, change.sha)

    def _blame(self, change: LandedChange, file: PatchedFile) -> None:
        writers = self._writers.get(file.base_path or file.path, [])
        for place in file.places:
            begin = place.base_start - 1
            # Lines from before the first patch have no writer.
            for mark, writer in zip(place.removed, writers[begin : begin + len(place.removed)], strict=False):
                if writer and mark == "x":
                    _note(self.fixed_at, writer, change.time)


def rewritten(writers: list[str], places: Sequence[Place], by: str) -> list[str]:
    """Return the writers of a file's lines after a patch; "" for lines older than the patches."""
    for place in reversed(places):
        begin = place.base_start - 1
        if place.num_added and begin > len(writers):
            writers += [""] * (begin - len(writers))
        writers[begin : begin + len(place.removed)] = [by] * place.num_added
    return writers


def _note(first_at: dict[str, int], sha: str, time: int) -> None:
    first_at[sha] = min(time, first_at.get(sha, time))
