"""Read the change between two revisions of a repository, from git objects alone."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import PurePosixPath

from assay.validators.changes.change import (
    READ_LIMIT,
    SOURCE_LIMIT,
    ChangedFile,
    ChangeSet,
    FileKind,
    FileStatus,
    Hunk,
    decoded,
    lines_of,
    shown,
)
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import Kind, language_of
from assay.validators.configuration.loading import CONFIGURATION
from assay.validators.errors import CouldNotRun, ObjectMissing
from assay.validators.io.decoding import is_text_by_name, readable, script_suffix, why_unreadable
from assay.validators.policy.natures import Natures, settled
from assay.validators.vcs.default_base import default_base
from assay.validators.vcs.landed import HUNK, RepositoryHistory, hunk_starts
from assay.validators.vcs.missing_contents import MISSING, difference
from assay.validators.vcs.repository import WORKTREE, Repository
from assay.validators.vcs.trees import ObjectTree
from assay.validators.vcs.worktree import snapshot

_STATUS = {
    "A": FileStatus.added,
    "D": FileStatus.deleted,
    "M": FileStatus.modified,
    "R": FileStatus.renamed,
    "C": FileStatus.copied,
    "T": FileStatus.type_changed,
}
_LINK = "120000"
_ALIVE = (Nature.source, Nature.config)
_IDLE = (Kind.settings, Kind.prose, Kind.data)
MOST_COMPARED = 1_000_000
"""Base lines times head lines; above it, everything between the common beginning and end counts as replaced."""


def read_change(repository: Repository, base: str | None = None, head: str | None = None) -> ChangeSet:
    """Return the change of `head` (default HEAD; `WORKTREE` for uncommitted work) relative to `base`.

    `base` defaults to the one CI states, else to the default branch; on that branch itself, to the commit before head
    (for uncommitted work: to HEAD). The change is the difference to the merge base, so later commits of the base do not
    count. Raises `NoBase` where no base is known.
    """
    is_worktree = head == WORKTREE
    head_name = "HEAD" if is_worktree or head is None else head
    head_commit = repository.resolve(head_name, "head")
    if base is None:
        base_name, base_commit, base_why = default_base(repository, head_commit, head_name, is_worktree)
    else:
        base_name, base_commit, base_why = base, repository.resolve(base, "base"), ""
    merge_base = base_commit if base_commit is None else repository.merge_base(base_commit, head_commit)
    base_tree = repository.empty_tree() if merge_base is None else merge_base
    head_tree = snapshot(repository) if is_worktree else head_commit
    trees = (repository.tree(base_tree, "base"), repository.tree(head_tree, "head"))
    natures = Natures(trees[0])
    files = tuple(settled(list(_files(repository, base_tree, head_tree, trees[1], natures)), trees[0]))
    # A partial clone may lack contents, but not the rules that apply to the change.
    read = [file for file in files if file.unreadable != MISSING]
    needed = {CONFIGURATION, *(path for file in read for path in (file.path, file.base_path) if path)}
    commits = repository.commits(merge_base or head_commit, head_commit)

    def checkout(side: str, target: str) -> None:
        repository.checkout(base_tree if side == "base" else head_tree, target, parent=head_commit)

    return ChangeSet(
        root=str(repository.root),
        base_sha=base_commit or base_tree,
        base_name=base_name,
        base_why=base_why,
        merge_base=merge_base or base_tree,
        head_sha=head_tree,
        head_name=head or "HEAD",
        base=replace(trees[0], needed=needed),
        head=replace(trees[1], needed=needed),
        files=files,
        commits=commits,
        head_is_worktree=is_worktree,
        branch=repository.branch_of(head_name),
        checkout=checkout,
        kept_nature=natures.of_kept,
        history=None if merge_base is None else RepositoryHistory(repository, merge_base, base_tree, head_tree),
        settings=None if base_commit in (None, base_tree) else repository.tree(base_commit, base_name),
    )


@dataclass(frozen=True, slots=True)
class _Record:
    status: FileStatus
    path: str
    base_path: str | None
    modes: tuple[str, str]
    blobs: tuple[str, str]


def _files(
    repository: Repository, base: str, head: str, head_tree: ObjectTree, natures: Natures
) -> Iterator[ChangedFile]:
    raw, patch, unpatched = difference(repository, base, head)
    records = list(_records(raw))
    parts = list(_parts(patch, records))
    records += _records(unpatched)
    parts += [[] for _ in records[len(parts) :]]
    apart = list(_apart(zip(records, parts, strict=True), natures))
    records = [record for record, _ in apart]
    heads = _contents(repository, [_regular(record.blobs[1], record.modes[1]) for record in records])
    bases = _contents(repository, [_regular(record.blobs[0], record.modes[0]) for record in records])
    for (record, part), head_read, base_read in zip(apart, heads, bases, strict=True):
        head_raw, base_raw = (None if isinstance(one, ObjectMissing) else one for one in (head_read, base_read))
        is_missing = isinstance(head_read, ObjectMissing) or isinstance(base_read, ObjectMissing)
        kind, hunks = _content(record, part, base_raw, head_raw)
        base_first, head_first = (
            repository.objects.beginning(blob) if read is None else b"" if isinstance(read, ObjectMissing) else read
            for read, blob in zip((base_read, head_read), record.blobs, strict=True)
        )
        first = base_first if record.status is FileStatus.deleted else head_first
        said = natures.of(record.path, record.base_path, readable(record.path, first), base_first)
        yield ChangedFile(
            path=record.path,
            base_path=record.base_path,
            status=record.status,
            kind=kind,
            nature=said.nature,
            base_blob=_object(record.blobs[0]),
            head_blob=_object(record.blobs[1]),
            hunks=hunks,
            claimed=said.claimed,
            is_example=natures.is_example(record.path, record.base_path),
            script_suffix=script_suffix(record.path, first),
            unreadable=MISSING if is_missing else _why_unreadable(repository, record, head_raw, head_tree),
            is_mode_changed="000000" not in record.modes and len(set(record.modes)) > 1,
            is_converted=any(
                raw is not None and readable(path or "", raw) != raw
                for path, raw in ((record.base_path, base_raw), (record.path, head_raw))
            ),
        )


def _apart(pairs: Iterable[tuple[_Record, list[bytes]]], natures: Natures) -> Iterator[tuple[_Record, list[bytes]]]:
    """Yield the records with their parts; a rename that turns content into code is a deleted and an added file.

    Only the changed lines of a rename are validated, and nothing of this content was code before.
    """
    for record, part in pairs:
        if record.base_path is None or record.base_path == record.path or not _comes_alive(record, natures):
            yield record, part
            continue
        (mode, new_mode), (blob, new_blob) = record.modes, record.blobs
        yield _Record(FileStatus.deleted, record.base_path, record.base_path, (mode, "000000"), (blob, "0" * 40)), []
        yield _Record(FileStatus.added, record.path, None, ("000000", new_mode), ("0" * 40, new_blob)), []


def _comes_alive(record: _Record, natures: Natures) -> bool:
    """Return whether a renamed file is source or settings now, or of a kind that runs, and was not before."""
    old = record.base_path or ""
    was, now = (row.kind if (row := language_of(path)) else Kind.data for path in (old, record.path))
    before, after = natures.of_kept(old), natures.of(record.path, None, b"", b"").nature
    return (after in _ALIVE and before not in _ALIVE) or (now not in _IDLE and was in _IDLE)


def _records(raw: bytes) -> Iterator[_Record]:
    fields = iter(raw.split(b"\0"))
    for meta in fields:
        if not meta:
            continue
        base_mode, head_mode, base_blob, head_blob, letter = meta.lstrip(b":").decode().split()
        status = _STATUS.get(letter[0])
        if status is None:
            raise CouldNotRun(f"git reports a change of kind {letter!r}, which is not supported")
        path = next(fields).decode("utf-8", "surrogateescape")
        before: str | None = path
        if status in (FileStatus.renamed, FileStatus.copied):
            path = next(fields).decode("utf-8", "surrogateescape")
        if status is FileStatus.added:
            before = None
        yield _Record(status, path, before, (base_mode, head_mode), (base_blob, head_blob))


def _parts(patch: bytes, records: list[_Record]) -> Iterator[list[bytes]]:
    """Return the patch's lines of each record, in order; a type change has two sections, removed then added."""
    sections: list[list[bytes]] = []
    lines = patch.split(b"\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith(b"diff --git "):
            sections.append([])
        elif match := HUNK.match(line):
            end = _end_of(lines, at + 1, match)
            sections[-1].extend(lines[at:end])
            at = end
            continue
        if sections:
            sections[-1].append(line)
        at += 1
    left = iter(sections)
    for record in records:
        twice = record.status is FileStatus.type_changed
        yield [*next(left), *(next(left) if twice else ())]
    if next(left, None) is not None:
        raise CouldNotRun("git's patch and its list of files disagree; no file may go unread")


def _content(
    record: _Record, part: list[bytes], base: bytes | None, head: bytes | None
) -> tuple[FileKind, tuple[Hunk, ...]]:
    """Return a file's kind and changed lines; git's lines if git reads the same text as Assay."""
    modes = {mode for mode in record.modes if mode != "000000"}
    if "160000" in modes:
        return FileKind.submodule, ()
    if modes == {_LINK}:
        return FileKind.symlink, ()
    hunks = tuple(_hunks(part))
    is_binary = not hunks and any(line.startswith(b"Binary files ") for line in part)
    if base is None or head is None:
        kind = FileKind.oversize if is_binary else FileKind.text
        if part or not head or not is_text_by_name(record.path, head):
            return kind, hunks
        return kind, compared("", _text(readable(record.path, head)))
    base_path = record.base_path or record.path
    before, after = readable(base_path, base), readable(record.path, head)
    is_text = is_text_by_name(record.path, head or base) or (record.base_path is not None and b"\0" not in base[:8000])
    if before != base or after != head or (is_text and (is_binary or not part)):
        return FileKind.text, compared(_text(before), _text(after))
    return (FileKind.binary if is_binary else FileKind.text), hunks


def _text(content: bytes) -> str:
    return decoded(content.replace(b"\0", b" "))


def _why_unreadable(repository: Repository, record: _Record, head: bytes | None, tree: ObjectTree) -> str | None:
    if record.modes[1] == _LINK:
        content = _contents(repository, [record.blobs[1]])[0]
        if isinstance(content, ObjectMissing):
            return MISSING
        target = _text(content or b"")
        place = posixpath.normpath(posixpath.join(posixpath.dirname(record.path), target))
        is_alike = PurePosixPath(place).suffix == PurePosixPath(record.path).suffix
        return None if place in tree and is_alike else f"a symbolic link to {shown(target)}"
    if head is None or len(head) > SOURCE_LIMIT:
        return f"larger than {SOURCE_LIMIT // 1_000_000} MB"
    return why_unreadable(record.path, head)


def _hunks(part: list[bytes]) -> Iterator[Hunk]:
    at = 0
    while at < len(part):
        match = HUNK.match(part[at])
        at += 1
        if match is None:
            continue
        end = _end_of(part, at, match)
        yield from _places(part[at:end], hunk_starts(match))
        at = end


def _end_of(lines: list[bytes], begin: int, match: re.Match[bytes]) -> int:
    """Return where a section ends, by counting lines: a changed line may look like a header."""
    left = [int(match[2] or 1), int(match[4] or 1)]
    at = begin
    while left[0] > 0 or left[1] > 0:
        mark = lines[at][:1]
        left[0] -= mark in (b"-", b" ")
        left[1] -= mark in (b"+", b" ")
        at += 1
    return at + (at < len(lines) and lines[at][:1] == b"\\")


def _places(lines: list[bytes], starts: tuple[int, int]) -> Iterator[Hunk]:
    """Return the runs of changed lines of a section, without context lines."""
    base, head = starts
    removed: list[str] = []
    added: list[str] = []
    for line in [*lines, b" "]:
        mark, text = line[:1], decoded(line[1:].removesuffix(b"\r"))
        if mark == b"-":
            removed.append(text)
        elif mark == b"+":
            added.append(text)
        elif mark == b" ":
            if removed or added:
                yield Hunk(base if removed else base - 1, tuple(removed), head if added else head - 1, tuple(added))
            base, head = base + len(removed) + 1, head + len(added) + 1
            removed, added = [], []


def _contents(repository: Repository, blobs: Sequence[str | None]) -> list[bytes | ObjectMissing | None]:
    """Return each blob's content: b"" if there is no blob, None if it is too large."""
    contents = repository.objects.read_blobs([blob for blob in blobs if blob is not None], READ_LIMIT)
    return [b"" if blob is None else next(contents) for blob in blobs]


def _regular(blob: str, mode: str) -> str | None:
    return blob if mode.startswith("100") else None


def _object(blob: str) -> str | None:
    return None if set(blob) == {"0"} else blob


def compared(base: str, head: str) -> tuple[Hunk, ...]:
    """Return the places where `head` differs from `base`."""
    before, after = lines_of(base), lines_of(head)
    start = _num_equal(before, after)
    end = _num_equal(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    return tuple(_compared_hunks(old, new, start))


def _compared_hunks(old: list[str], new: list[str], start: int) -> Iterator[Hunk]:
    if not old and not new:
        return
    places = [("replace", 0, len(old), 0, len(new))]
    if old and new and len(old) * len(new) <= MOST_COMPARED:
        places = list(SequenceMatcher(None, old, new, autojunk=False).get_opcodes())
    for kind, a, b, c, d in places:
        if kind != "equal":
            yield Hunk(start + a + (b > a), tuple(old[a:b]), start + c + (d > c), tuple(new[c:d]))


def _num_equal(before: list[str], after: list[str]) -> int:
    pairs = zip(before, after, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(before), len(after)))
