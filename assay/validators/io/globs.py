"""Path patterns of the configuration with .gitignore syntax: `docs/`, `*.snap`, `src/**/legacy/*.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pathspec import GitIgnoreSpec


def matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Return a predicate on repository-relative paths; a later `!pattern` excludes earlier matches."""
    return GitIgnoreSpec.from_lines(patterns).match_file
