"""Diff of two trees in a partial or damaged clone that lacks the content of a changed file."""

from __future__ import annotations

from collections.abc import Sequence

from assay.validators.errors import ObjectMissing
from assay.validators.vcs.repository import Repository

MISSING = "its content is not in this repository (partial clone?); `git fetch --refetch` gets it"


def difference(repository: Repository, base: str, head: str) -> tuple[bytes, bytes, bytes]:
    """Return the raw records and the patch of two trees, in the same order, and the records without a patch.

    The latter are files whose content is missing on either side; git compares the others.
    """
    try:
        return (*repository.diff(base, head), b"")
    except ObjectMissing:
        fields = repository.good("diff-tree", "-r", "-z", "--no-renames", "--raw", base, head).split(b"\0")
    records = dict(zip(fields[1::2], fields[0::2], strict=False))
    missing = frozenset(repository.missing(name for record in records.values() for name in _contents(record)))
    left_out = [path for path, record in records.items() if not missing.isdisjoint(_contents(record))]
    raw, patch = repository.diff(_without(repository, base, left_out), _without(repository, head, left_out))
    return raw, patch, b"".join(records[path] + b"\0" + path + b"\0" for path in left_out)


def _contents(record: bytes) -> list[str]:
    """Return the blobs of a raw record: those of files and links, not a submodule's commit."""
    base_mode, head_mode, base, head = record.lstrip(b":").split()[:4]
    return [name.decode() for mode, name in ((base_mode, base), (head_mode, head)) if mode[:2] in (b"10", b"12")]


def _without(repository: Repository, tree: str, paths: Sequence[bytes]) -> str:
    """Write a tree like this one without some of its files; return its id."""
    index = {"GIT_INDEX_FILE": str(repository.shadow / "reduced-index")}
    repository.good("read-tree", tree, extra=index)
    gone = b"".join(b"0 " + b"0" * len(tree) + b"\t" + path + b"\0" for path in paths)
    repository.good("update-index", "-z", "--index-info", stdin=gone, extra=index)
    return repository.good("write-tree", "--missing-ok", extra=index).decode().strip()
