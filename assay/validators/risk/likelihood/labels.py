"""Which past changes needed a fix or were reverted, from git alone (SZZ).

A change *needed a fix* if a later fix removes or replaces a line it wrote (J. Śliwerski, T. Zimmermann, A. Zeller, When
Do Changes Induce Fixes?, 2005). Comments, blank lines and imports do not count, and neither do fixes of more than
`MOST_FILES` source files. Who wrote a line is known by replaying the patches in order, which equals `git blame
--first-parent -w` for lines written since the first of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.validators.changes.landed import LandedChange
from assay.validators.changes.past_pulls import PastPull
from assay.validators.risk.likelihood.kept_past import PatchedFile, Place
from assay.validators.risk.likelihood.past import is_fix, is_revert, reverted_by

MOST_FILES = 15


@dataclass(frozen=True, slots=True)
class Outcome:
    """When a change was first fixed and when reverted, in seconds since 1970; None if never."""

    fixed_at: int | None = None
    reverted_at: int | None = None


class Owners:
    """Which change wrote each line of one file, as far as the patches reach; "" for older lines."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def at(self, start: int, count: int) -> list[str]:
        """Return the writers of `count` lines from the 1-based line `start` on."""
        found = self._lines[start - 1 : start - 1 + count]
        return found + [""] * (count - len(found))

    def apply(self, places: Sequence[Place], owner: str) -> None:
        """Replace the lines of a patch's places, which are in order, by lines that `owner` wrote."""
        for place in reversed(places):
            begin = place.base_start - 1
            if place.num_added and begin > len(self._lines):
                self._lines += [""] * (begin - len(self._lines))
            self._lines[begin : begin + len(place.removed)] = [owner] * place.num_added


class OutcomeFinder:
    """Finds outcomes from changes added oldest first; `past_pulls` are those that were recorded besides."""

    def __init__(self, past_pulls: Iterable[PastPull] = ()) -> None:
        self._recorded = {pull.sha: pull for pull in past_pulls if pull.sha is not None}
        self._owners: dict[str, Owners] = defaultdict(Owners)
        self._fixed: dict[str, int] = {}
        self._reverted: dict[str, int] = {}
        self._by_prefix: dict[str, str] = {}

    def outcome(self, sha: str) -> Outcome:
        """Return what became of a change, as far as the changes added so far tell."""
        recorded = self._recorded.get(sha, PastPull())
        return Outcome(
            _earlier(self._fixed.get(sha), recorded.fixed_at), _earlier(self._reverted.get(sha), recorded.reverted_at)
        )

    def add(self, change: LandedChange, files: Sequence[PatchedFile] | None) -> None:
        """Add a change with its patched source files (None if their contents are missing from the clone)."""
        self._by_prefix[change.sha[:7]] = change.sha
        for name in reverted_by(change):
            sha = self._by_prefix.get(name[:7], "")
            if sha.startswith(name):
                self._reverted.setdefault(sha, change.time)
        if files is None:
            for touched in change.files:
                self._owners.pop(touched.path, None)
            return
        if is_fix(change) and not is_revert(change) and len(files) <= MOST_FILES:
            for file in files:
                self._blame(change, file)
        for file in files:
            self._write(change, file)

    def _blame(self, change: LandedChange, file: PatchedFile) -> None:
        owners = self._owners.get(file.base_path or file.path)
        if owners is None:
            return
        for place in file.places:
            writers = owners.at(place.base_start, len(place.removed))
            for mark, writer in zip(place.removed, writers, strict=True):
                if writer and mark == "x":
                    self._fixed.setdefault(writer, change.time)

    def _write(self, change: LandedChange, file: PatchedFile) -> None:
        if file.base_path is None:
            self._owners[file.path] = Owners()
        elif file.base_path != file.path and file.base_path in self._owners:
            self._owners[file.path] = self._owners.pop(file.base_path)
        self._owners[file.path].apply(file.places, change.sha)


def _earlier(one: int | None, other: int | None) -> int | None:
    return min((at for at in (one, other) if at is not None), default=None)


def outcome_within(outcome: Outcome, change: LandedChange, seconds: int) -> tuple[bool, bool]:
    """Return whether a change was fixed, and whether it was reverted, within a time after it landed."""
    fixed, reverted = (at is not None and at - change.time <= seconds for at in (outcome.fixed_at, outcome.reverted_at))
    return fixed, reverted
