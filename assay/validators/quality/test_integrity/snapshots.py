"""Snapshots accepted in bulk: expectations recorded from the code under test."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, FileStatus
from assay.validators.quality.test_integrity.finding import finding
from assay.validators.quality.test_integrity.test_code.subjects import Subjects
from assay.validators.report.model import Finding, Severity
from assay.validators.wording import plural

MASS_FILES, MASS_LINES = 20, 300
"""Either limit makes it a warning."""

_SNAPSHOT = re.compile(
    r"(?:^|/)(?:__snapshots__|snapshots|__image_snapshots__|goldens?|testdata/golden)/|\.(?:snap|ambr"
    r"|golden|approved\.\w+|snap\.\w+)$",
    re.IGNORECASE,
)


def rewritten(change: ChangeSet, subjects: Subjects) -> Iterator[Finding]:
    """Yield one finding for the change if recorded expectations were rewritten (not added).

    Many at once count, and some together with source.
    """
    updated = [file for file in change.files if _is_rewritten(file)]
    num_lines = sum(len(file.removed) for file in updated)
    is_mass = len(updated) >= MASS_FILES or num_lines >= MASS_LINES
    if not updated or not (is_mass or subjects.touches_source):
        return
    names = plural(len(updated), "snapshot file was", "snapshot files were")
    together = " together with source" if subjects.touches_source else " at once"
    yield finding(
        "snapshots",
        Severity.warning if is_mass else Severity.info,
        (updated[0].path, None),
        f"{names} rewritten{together} ({num_lines} recorded lines replaced): they now expect whatever the code returns",
        "Review them one by one, and say in the description why each kind of difference is right.",
        "snapshots",
    )


def _is_rewritten(file: ChangedFile) -> bool:
    if file.status not in (FileStatus.modified, FileStatus.renamed) or not _SNAPSHOT.search(file.path):
        return False
    replaced = any(hunk.base_lines and hunk.head_lines for hunk in file.hunks)
    return replaced or file.kind is FileKind.binary
