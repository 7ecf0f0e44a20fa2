"""Snapshots accepted in bulk: expectations that were written by running the code they expect something of."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.change import ChangedFile, ChangeSet, FileKind, FileStatus
from assay.validators.quality.integrity.subjects import Subjects
from assay.validators.report import Finding, Severity, Tier

MASS_FILES, MASS_LINES = 20, 300
"""From either on it is a warning."""

_SNAPSHOT = re.compile(
    r"(?:^|/)(?:__snapshots__|snapshots|__image_snapshots__|goldens?|testdata/golden)/|\.(?:snap|ambr"
    r"|golden|approved\.\w+|snap\.\w+)$",
    re.IGNORECASE,
)


def rewritten(change: ChangeSet, subjects: Subjects) -> Iterator[Finding]:
    """One finding for the whole change where recorded expectations were rewritten (not added): many at once, or some
    together with source.
    """
    updated = [file for file in change.files if _is_rewritten(file)]
    num_lines = sum(len(file.removed) for file in updated)
    is_mass = len(updated) >= MASS_FILES or num_lines >= MASS_LINES
    if not updated or not (is_mass or subjects.touches_source):
        return
    names = "1 snapshot file was" if len(updated) == 1 else f"{len(updated)} snapshot files were"
    together = " together with source" if subjects.touches_source else " at once"
    yield Finding(
        tier=Tier.quality,
        severity=Severity.warning if is_mass else Severity.info,
        rule="test_integrity.snapshots",
        file=updated[0].path,
        message=f"{names} rewritten{together} ({num_lines} recorded lines replaced): they now expect "
        f"whatever the code gives",
        suggestion="Look through them one by one, and say in the description why each kind of difference is right.",
        context="snapshots",
    )


def _is_rewritten(file: ChangedFile) -> bool:
    if file.status not in (FileStatus.modified, FileStatus.renamed) or not _SNAPSHOT.search(file.path):
        return False
    replaced = any(hunk.base_lines and hunk.head_lines for hunk in file.hunks)
    return replaced or file.kind is FileKind.binary
