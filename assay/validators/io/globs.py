"""Path patterns of the configuration, read as .gitignore patterns are: `docs/`, `*.snap`, `src/**/legacy/*.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pathspec import GitIgnoreSpec


def matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """A test for repository-relative paths; a later `!pattern` takes back what an earlier one matched."""
    spec = GitIgnoreSpec.from_lines(patterns)

    def matches(path: str) -> bool:
        return spec.match_file(path)

    return matches
