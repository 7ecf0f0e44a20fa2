"""Scripts that developers run by hand: neither product code nor CI nor the build uses them."""

from __future__ import annotations

import re

from assay.validators.changes.change import ChangedFile, ChangeSet
from assay.validators.changes.classify import Nature

_FOLDER = re.compile(r"(?:tools?|scripts?|hack|dev|contrib)/", re.IGNORECASE)
MOST_FILES = 500
MOST_BYTES = 5_000_000


def is_run_by_hand(change: ChangeSet, file: ChangedFile) -> bool:
    """Return whether a file is in a folder of scripts that the base has, and no file that could start it names it.

    Such files are settings, recipes and workflows, files of the root, and the other scripts. Too many to read: False.
    """
    match = _FOLDER.match(file.path)
    if match is None or not any(path.startswith(match[0]) for path in change.base.paths):
        return False
    starters = [path for path in change.head.paths if path != file.path and _may_start(change, path)]
    if len(starters) > MOST_FILES:
        return False
    name, stem = file.path.rpartition("/")[2], file.path.rpartition("/")[2].partition(".")[0]
    asked = re.compile(rf"\b{re.escape(name)}|\b{re.escape(stem)}\b|{re.escape(match[0])}\*".encode())
    size = 0
    for _, content in change.head.read_many(starters):
        size += len(content or b"")
        if content is None or size > MOST_BYTES or asked.search(content):
            return False
    return True


def _may_start(change: ChangeSet, path: str) -> bool:
    is_near = "/" not in path or _FOLDER.match(path) is not None
    return (is_near and change.nature_of(path) is not Nature.docs) or change.nature_of(path) is Nature.config
