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

from assay.validators.changes.landed import FilePatch, LandedChange, PatchHunk
from assay.validators.changes.past_pulls import PastPull
from assay.validators.risk.likelihood.past import is_fix, is_revert, reverted_by
from assay.validators.risk.likelihood.text_measures import code_lines, is_import

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

    def apply(self, hunks: Sequence[PatchHunk], owner: str) -> None:
        """Replace the lines of a patch's hunks, which are in order, by lines that `owner` wrote."""
        for hunk in reversed(hunks):
            begin = hunk.base_start - 1
            if hunk.added and begin > len(self._lines):
                self._lines += [""] * (begin - len(self._lines))
            self._lines[begin : begin + len(hunk.removed)] = [owner] * len(hunk.added)


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
            writers = owners.at(hunk.base_start, len(hunk.removed))
            for line, writer in zip(hunk.removed, writers, strict=True):
                if writer and not is_import(line) and any(True for _ in code_lines((line,), patch.path)):
                    self._fixed.setdefault(writer, change.time)

    def _write(self, change: LandedChange, patch: FilePatch) -> None:
        if patch.base_path is None:
            self._owners[patch.path] = Owners()
        elif patch.base_path != patch.path and patch.base_path in self._owners:
            self._owners[patch.path] = self._owners.pop(patch.base_path)
        self._owners[patch.path].apply(patch.hunks, change.sha)


def _earlier(one: int | None, other: int | None) -> int | None:
    return min((at for at in (one, other) if at is not None), default=None)


def outcome_within(outcome: Outcome, change: LandedChange, seconds: int) -> tuple[bool, bool]:
    """Return whether a change was fixed, and whether it was reverted, within a time after it landed."""
    fixed, reverted = (at is not None and at - change.time <= seconds for at in (outcome.fixed_at, outcome.reverted_at))
    return fixed, reverted
