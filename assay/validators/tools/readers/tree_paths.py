"""Lookup of a tree's files by the many spellings tools use for their paths.

A coverage file from another machine says `/home/runner/work/shop/shop/src/cart.py`, a Java report says
`com/shop/Cart.java`. Both end like a file of the tree; the longest ending that only one file has decides.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

NOT_OURS = frozenset(
    ".git .hg .svn node_modules site-packages .venv .tox .nox .eggs .yarn .pnpm-store __pycache__ .mypy_cache "
    ".ruff_cache .pytest_cache .gradle .cargo bower_components".split()
)
"""Folders written by tools and package managers, without files of the repository."""

MOST_ENTRIES = 200_000
"""Maximum directory entries of a walk, more than any repository people maintain by hand."""


class TreePaths:
    """Lookup of repository-relative paths by how they end."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = frozenset(paths)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for path in self._paths:
            self._by_name[path.rpartition("/")[2]].append(path)

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def match(self, reported: str, least: int = 2) -> str | None:
        """Return the one file whose path shares the longest ending with `reported`; None where none or several do.

        The ending must be a whole path (of the tree, or the reported one) or have `least` parts: a `setup.py` somewhere
        on a machine is not the repository's.
        """
        parts = [part for part in reported.replace("\\", "/").split("/") if part not in ("", ".")]
        if not parts or not is_ours(parts):
            return None
        best: list[str] = []
        longest = 0
        for path in self._by_name.get(parts[-1], ()):
            shared = _num_shared(parts, path.split("/"))
            if shared > longest:
                best, longest = [path], shared
            elif shared == longest:
                best.append(path)
        if len(best) != 1:
            return None
        is_whole = longest == len(parts) or (longest == best[0].count("/") + 1 and longest > 1)
        return best[0] if is_whole or longest >= least else None


def is_ours(parts: Collection[str]) -> bool:
    """Return whether a path, given as its parts, is outside the folders of tools and package managers."""
    return NOT_OURS.isdisjoint(parts)


def walk(root: Path, most_entries: int = MOST_ENTRIES) -> Iterator[str]:
    """Yield the regular files below `root`, relative and in any order; skip links and foreign folders."""
    left = most_entries
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        try:
            entries = list(os.scandir(os.path.join(root, folder)))
        except OSError:
            continue
        for entry in entries:
            left -= 1
            if left < 0:
                return
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in NOT_OURS:
                    waiting.append(path)
            elif entry.is_file(follow_symlinks=False):
                yield path


def _num_shared(one: list[str], other: list[str]) -> int:
    num = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        num += 1
    return num
