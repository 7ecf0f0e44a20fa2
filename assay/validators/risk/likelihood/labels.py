"""Which past changes needed a fix or were reverted, from git alone (SZZ).

A change *needed a fix* if a later fix removes or replaces a line it wrote (J. Śliwerski, T. Zimmermann, A. Zeller, When
Do Changes Induce Fixes?, 2005). Comments, blank lines and imports do not count, and neither do fixes of more than
`MOST_FILES` source files. Who wrote a line is known by replaying the patches in order, which equals `git blame
--first-parent -w` for lines written since the first of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.validators.changes.landed import FilePatch, LandedChange, PatchHunk
from assay.validators.risk.likelihood.past import is_fix, is_revert, reverted_by
from assay.validators.risk.likelihood.text_measures import code_lines, is_import

MOST_FILES = 15
_UNKNOWN = ""
_ENDLESS = 1 << 40


@dataclass(frozen=True, slots=True)
class Outcome:
    """When a change was first fixed and when reverted, in seconds since 1970; None if never."""

    fixed_at: int | None = None
    reverted_at: int | None = None


class Owners:
    """Which change wrote each line of one file: runs of (number of lines, change), the last one without end."""

    def __init__(self) -> None:
        self._runs: list[tuple[int, str]] = [(_ENDLESS, _UNKNOWN)]

    def at(self, start: int, count: int) -> Iterator[str]:
        """Yield the writers of `count` lines from the 1-based line `start` on."""
        left, first = count, start - 1
        for length, owner in self._runs:
            if first >= length:
                first -= length
                continue
            taken = min(length - first, left)
            yield from (owner for _ in range(taken))
            left, first = left - taken, 0
            if not left:
                return

    def apply(self, hunks: Sequence[PatchHunk], owner: str) -> None:
        """Replace the lines of a patch's hunks, which are in order, by lines that `owner` wrote."""
        runs: list[tuple[int, str]] = []
        old = iter(self._runs)
        length, current = next(old)
        position = 1
        for hunk in hunks:
            for is_kept, count in ((True, hunk.base_start - position), (False, len(hunk.removed))):
                left = count
                while left > 0:
                    taken = min(left, length)
                    if is_kept:
                        _append(runs, taken, current)
                    left, length = left - taken, length - taken
                    if not length:
                        length, current = next(old, (_ENDLESS, _UNKNOWN))
            position = max(position, hunk.base_start) + len(hunk.removed)
            _append(runs, len(hunk.added), owner)
        _append(runs, length, current)
        runs += old
        self._runs = runs


def _append(runs: list[tuple[int, str]], length: int, owner: str) -> None:
    if length <= 0:
        return
    if runs and runs[-1][1] == owner:
        runs[-1] = (runs[-1][0] + length, owner)
    else:
        runs.append((length, owner))


class OutcomeFinder:
    """Finds outcomes from changes added oldest first."""

    def __init__(self) -> None:
        self._owners: dict[str, Owners] = defaultdict(Owners)
        self._fixed: dict[str, int] = {}
        self._reverted: dict[str, int] = {}
        self._by_prefix: dict[str, str] = {}

    def outcome(self, sha: str) -> Outcome:
        """Return what became of a change, as far as the changes added so far tell."""
        return Outcome(self._fixed.get(sha), self._reverted.get(sha))

    def add(self, change: LandedChange, patches: Sequence[FilePatch] | None) -> None:
        """Add a change with its patches of source files (None if they are missing from the clone)."""
        self._by_prefix[change.sha[:7]] = change.sha
        for name in reverted_by(change):
            sha = self._by_prefix.get(name[:7], "")
            if sha.startswith(name):
                self._reverted.setdefault(sha, change.time)
        if patches is None:
            for file in change.files:
                self._owners.pop(file.path, None)
            return
        if is_fix(change) and not is_revert(change) and len(patches) <= MOST_FILES:
            for patch in patches:
                self._blame(change, patch)
        for patch in patches:
            self._write(change, patch)

    def _blame(self, change: LandedChange, patch: FilePatch) -> None:
        owners = self._owners.get(patch.base_path or patch.path)
        if owners is None:
            return
        for hunk in patch.hunks:
            writers = list(owners.at(hunk.base_start, len(hunk.removed)))
            for line, writer in zip(hunk.removed, writers, strict=False):
                if writer and not is_import(line) and any(True for _ in code_lines((line,), patch.path)):
                    self._fixed.setdefault(writer, change.time)

    def _write(self, change: LandedChange, patch: FilePatch) -> None:
        if patch.base_path is None:
            self._owners[patch.path] = Owners()
        elif patch.base_path != patch.path and patch.base_path in self._owners:
            self._owners[patch.path] = self._owners.pop(patch.base_path)
        self._owners[patch.path].apply(patch.hunks, change.sha)
