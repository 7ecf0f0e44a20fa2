"""Owners of a path by the base's CODEOWNERS (GitHub's and GitLab's places)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from codeowners import CodeOwners

from assay.validators.changes.change import SourceTree, decoded, lines_of

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""Paths in GitHub's order, then GitLab's own; the first one found counts."""
LIMIT_BYTES = 3 * 1024 * 1024
"""Bytes; GitHub does not load a larger CODEOWNERS file."""
_MOST_STARS = 12
"""Maximum wildcards of a pattern; more are not a real path, and could take forever to match."""


def owners_of(tree: SourceTree) -> Callable[[str], tuple[str, ...]]:
    """Return a function from a path to its owners (`@team`, `@user`, an address) in file order."""
    place = next((one for one in PLACES if one in tree), None)
    text = decoded(tree.read(place, LIMIT_BYTES) or b"") if place is not None else ""
    rules = [*_rules(text)][::-1]
    return lambda path: next((owners for rule, owners in rules if rule.matching_line(path)[1] is not None), ())


def _rules(text: str) -> Iterator[tuple[CodeOwners, tuple[str, ...]]]:
    """Yield each readable line as (its matcher, its owners); unreadable lines are skipped, as on GitHub."""
    for line in lines_of(text):
        if line.count("*") <= _MOST_STARS:
            with suppress(ValueError, IndexError):
                rule = CodeOwners(line)
                yield from ((rule, tuple(name for _, name in path[2])) for path in rule.paths[:1])
