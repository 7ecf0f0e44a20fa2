"""Plain kind of a change as a whole: a moved folder, only comments, only formatting and the like."""

from __future__ import annotations

import posixpath

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, FileStatus, shown
from assay.validators.changes.classify import RUN_BY_AGENTS, TOLD_TO_AGENTS, nature_of
from assay.validators.changes.language_table import language_of
from assay.validators.languages.inert import KINDS, inert_kinds

MOST_CHARACTERS = 10_000_000
"""Characters read of one change, in about ten seconds; of a larger one nothing is claimed."""


def whole_change(change: ChangeSet) -> str | None:
    """Return what the whole change plainly is, in one line; None if it is more, or if that is not certain.

    Only where the line begins with `submodule` may code have changed.
    """
    files = change.files
    paths = {path for file in files for path in (file.path, file.base_path or file.path)}
    if not files or any(RUN_BY_AGENTS.fullmatch(path) or TOLD_TO_AGENTS.fullmatch(path) for path in paths):
        return None
    if all(file.kind is FileKind.submodule and file.base_blob and file.head_blob for file in files):
        return "; ".join(f"submodule {shown(one.path)} from {one.base_blob:.7} to {one.head_blob:.7}" for one in files)
    return _moved(change) if all(map(_is_only_renamed, files)) else _only(change)


def _is_only_renamed(file: ChangedFile) -> bool:
    """Return whether a file keeps its content, mode, language and nature under another name."""
    old, new = file.base_path or "", file.path
    is_moved = file.status is FileStatus.renamed and file.base_blob == file.head_blob and not file.is_mode_changed
    is_regular = file.kind not in (FileKind.symlink, FileKind.submodule)
    return is_moved and is_regular and nature_of(old) is nature_of(new) and language_of(old) is language_of(new)


def _moved(change: ChangeSet) -> str | None:
    pairs = [(file.base_path or "", file.path) for file in change.files]
    if len(pairs) == 1:
        return f"renames {shown(pairs[0][0])} to {shown(pairs[0][1])}"
    source, target = (posixpath.commonpath(map(posixpath.dirname, side)) for side in zip(*pairs, strict=True))
    if any(posixpath.relpath(old, source) != posixpath.relpath(new, target) for old, new in pairs):
        return None
    folders = " to ".join(shown(f"{folder or '.'}/") for folder in (source, target))
    if not source or any(path.startswith(f"{source}/") for path in change.head.paths):
        return f"moves {len(pairs)} files from {folders}"
    return f"moves {folders} ({len(pairs)} files)"


def _only(change: ChangeSet) -> str | None:
    """Return the kinds of edits that together are the whole change."""
    kinds: set[str] = set()
    left = MOST_CHARACTERS
    for file in change.files:
        found, num_read = inert_kinds(change, file)
        left -= num_read
        if not found or left < 0:
            return None
        kinds.update(found)
    *first, last = (kind for kind in KINDS if kind in kinds)
    return f"only {', '.join(first)}{' and ' if first else ''}{last}"
