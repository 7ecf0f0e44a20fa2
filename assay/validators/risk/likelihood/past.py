"""What was known of a repository's files before each change: fixes, reverts, activity, and who changed them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from assay.validators.changes.landed import LandedChange, TouchedFile

DAY_S = 86_400
YEAR_S = 365 * DAY_S
MONTH_S = 30 * DAY_S
_FIX = re.compile(
    r"(?<![-\w])(?:bug[- ]?fix(?:es)?|fix(?:e[sd]|ing)?|hot-?fix|crash(?:es|ed)?|regression|bugs?)\b", re.IGNORECASE
)
"""Words for a fix; `-fix` is an option of a linter."""
_CLOSES = re.compile(r"^closes-bug\b|^fixes:? *#?\d", re.IGNORECASE | re.MULTILINE)
_REVERT = re.compile(r"revert\b|back(?:ed)? out\b", re.IGNORECASE)
_REVERTED = re.compile(r"this reverts commit ([0-9a-f]{7,64})", re.IGNORECASE)
_ROUTINE = re.compile(r"(?:prepare )?(?:release|bump version|version) |v?\d+\.\d+[\w.]*$|sync(?:ing)? ", re.IGNORECASE)
_AUTOMATION = re.compile(
    r"\b(?:dependabot|renovate|greenkeeper|pre-commit-ci|github-actions|snyk-bot|weblate|transifex|mergify"
    r"|allcontributors|imgbot|pyup-bot|facebook-github-bot)\b",
    re.IGNORECASE,
)
_NUM_FOLDERS = 3


def is_fix(change: LandedChange) -> bool:
    """Return whether the message says that the change fixes something: in its title, or by closing a bug."""
    is_fix = _FIX.search(change.title) is not None or _CLOSES.search(change.message) is not None
    return is_fix and not is_revert(change)  # the title of a revert quotes what it takes back


def is_revert(change: LandedChange) -> bool:
    """Return whether the title says that the change undoes another."""
    return _REVERT.match(change.title) is not None


def reverted_by(change: LandedChange) -> list[str]:
    """Return the commits, possibly abbreviated, that the message says it reverts."""
    return _REVERTED.findall(change.message)


def is_ordinary(change: LandedChange) -> bool:
    """Return whether the change is one that others are compared with: no revert, release, or update by a bot."""
    return not (is_revert(change) or _ROUTINE.match(change.title) or _AUTOMATION.search(change.author))


def subsystem(path: str) -> str:
    """Return the first three folders of a path."""
    return "/".join(path.split("/")[:-1][:_NUM_FOLDERS])


class FileHistory(NamedTuple):
    """History of the source files of one change, before it.

    `fixes`: how often they were changed by fixes in the past year, summed over the files. `activity`: changes in the
    past 30 days to the busiest of their subsystems. `was_reverted`: one of them was reverted in the past year.
    `is_new_author`: the author changed none of them in the past year.
    """

    fixes: int = 0
    activity: int = 0
    was_reverted: bool = False
    is_new_author: bool = False


class PastChanges:
    """Changes so far, added oldest first."""

    def __init__(self) -> None:
        self._fixes: dict[str, list[int]] = defaultdict(list)
        self._activity: dict[str, list[int]] = defaultdict(list)
        self._reverted: dict[str, int] = {}
        self._changed: dict[tuple[str, str], int] = {}

    def before(self, paths: Sequence[str], author: str, time: int) -> FileHistory:
        """Return the history of these paths (their names before the change) at a time in seconds."""
        since = time - YEAR_S
        return FileHistory(
            fixes=sum(_num_since(self._fixes, path, since) for path in paths),
            activity=max((_num_since(self._activity, subsystem(path), time - MONTH_S) for path in paths), default=0),
            was_reverted=any(self._reverted.get(path, 0) > since for path in paths),
            is_new_author=all(self._changed.get((author, path), 0) <= since for path in paths),
        )

    def add(self, change: LandedChange, files: Iterable[TouchedFile]) -> None:
        """Add a change with its source files."""
        fixes, reverts, folders = is_fix(change), is_revert(change), set()
        for file in files:
            if file.base_path is not None and file.base_path != file.path:
                self._rename(file.base_path, file.path)
            if fixes:
                self._fixes[file.path].append(change.time)
            if reverts:
                self._reverted[file.path] = change.time
            self._changed[change.author, file.path] = change.time
            folders.add(subsystem(file.path))
        for folder in folders:
            self._activity[folder].append(change.time)

    def _rename(self, old: str, new: str) -> None:
        if old in self._fixes:
            self._fixes[new] = list(self._fixes[old])
        if old in self._reverted:
            self._reverted[new] = self._reverted[old]


def _num_since(times: Mapping[str, Sequence[int]], name: str, since: int) -> int:
    # Commit times may go back a little; the window is too wide for that to matter.
    known = times.get(name, ())
    return len(known) - bisect_left(known, since)
