"""Files and past changes of a repository, to show what a proposed check would have found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from assay.github_app.learning.checks.proposals import Past
from assay.validators import Repository, RepositoryHistory, SourceTree, ValidatorError, path_matcher

MOST_FILES = 200
"""Files of the base that are read, evenly spread."""
MOST_CHANGES = 50
MOST_CHANGED = 300
"""Files of past changes that are read."""
LARGEST_BYTES = 256 * 1024


def past_of(folder: Path, paths: Sequence[str], revision: str = "HEAD") -> Past | None:
    """Return the files that match these patterns, at a revision and in the changes before it; None if unreadable."""
    try:
        with Repository(folder) as repository:
            tip = repository.resolve(revision)
            return Past(_base(repository.tree(tip), paths), _changes(repository, tip, paths))
    except ValidatorError:
        return None


def _base(tree: SourceTree, paths: Sequence[str]) -> list[tuple[str, str]]:
    here = list(filter(path_matcher(paths), tree.paths))
    read = tree.read_many(here[:: max(1, -(-len(here) // MOST_FILES))], LARGEST_BYTES)
    return [(path, content.decode("utf-8", "replace")) for path, content in read if content is not None]


def _changes(repository: Repository, tip: str, paths: Sequence[str]) -> list[list[tuple[str, str, frozenset[int]]]]:
    """Return the files of the newest changes with the lines that each added."""
    history = RepositoryHistory(repository, tip, tip, tip)
    left = MOST_CHANGED
    found: list[list[tuple[str, str, frozenset[int]]]] = []
    for change, patches in history.patches(history.landed(MOST_CHANGES)[::-1]):
        lines = {one.path: frozenset(_added(one.hunks)) for one in patches or () if path_matcher(paths)(one.path)}
        wanted = [path for path, added in lines.items() if added][:left]
        left -= len(wanted)
        read = repository.tree(change.sha).read_many(wanted, LARGEST_BYTES) if wanted else ()
        found.append([(path, text.decode("utf-8", "replace"), lines[path]) for path, text in read if text is not None])
    return found


def _added(hunks: Sequence[Any]) -> Iterator[int]:
    for hunk in hunks:
        yield from range(hunk.head_start, hunk.head_start + len(hunk.added))
