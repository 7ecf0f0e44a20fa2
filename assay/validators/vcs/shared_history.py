"""First-parent history that is read from git once, for changes that landed after each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.validators.changes.landed import FilePatch, LandedChange
from assay.validators.vcs.landed import RepositoryHistory

MOST_KEPT_LINES = 500_000
"""Lines of patches that are kept, about 60 MB; those beyond are read from git again."""

Patches = tuple[FilePatch, ...] | None


class SharedHistory:
    """Changes and patches of the history of a tip; up to `num_newer` changes come after those that ask."""

    def __init__(self, whole: RepositoryHistory, num_newer: int) -> None:
        self._whole = whole
        self._num_newer = num_newer
        self._num_read = 0
        self._line: list[LandedChange] = []
        self._place: dict[str, int] = {}
        self._patches: dict[str, Patches] = {}
        self._num_lines = 0

    def landed(self, own: RepositoryHistory, most: int) -> list[LandedChange]:
        """Return what `own.landed` returns."""
        if self._num_read < most + self._num_newer:
            self._num_read = most + self._num_newer
            self._line = self._whole.landed(self._num_read)
            self._place = {change.sha: at for at, change in enumerate(self._line)}
        end = self._place.get(own.tip, -1) + 1
        is_read = end >= most or (end > 0 and len(self._line) < self._num_read)
        return self._line[max(end - most, 0) : end] if is_read else own.landed(most)

    def patches(self, changes: Sequence[LandedChange]) -> Iterator[tuple[LandedChange, Patches]]:
        """Yield what `RepositoryHistory.patches` yields."""
        unread = self._whole.patches([change for change in changes if change.sha not in self._patches])
        for change in changes:
            if change.sha in self._patches:
                yield change, self._patches[change.sha]
                continue
            _, patches = next(unread)
            self._keep(change, patches)
            yield change, patches

    def _keep(self, change: LandedChange, patches: Patches) -> None:
        hunks = [hunk for patch in patches or () for hunk in patch.hunks]
        num = sum(len(hunk.added) + len(hunk.removed) for hunk in hunks)
        if self._num_lines + num <= MOST_KEPT_LINES:
            self._num_lines += num
            self._patches[change.sha] = patches


@dataclass(frozen=True, slots=True)
class HistoryBefore(RepositoryHistory):
    """History before one change, from what is shared."""

    shared: SharedHistory

    def landed(self, most: int, since: str | None = None) -> list[LandedChange]:
        """Return the newest `most` changes, oldest first; only without `since` they are shared."""
        own = RepositoryHistory(self.repository, self.tip, self.base, self.head)
        return self.shared.landed(own, most) if since is None else own.landed(most, since)

    def patches(self, changes: Sequence[LandedChange]) -> Iterator[tuple[LandedChange, Patches]]:
        """Yield each change with its patches of source files."""
        return self.shared.patches(changes)
