"""Earlier pull requests of a repository, as the App recorded them: their failing tests, and what became of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

MOST_PULLS = 500
MOST_PATHS = 100
"""Maximum pull requests of a record, and paths of each: a larger change says little about one file."""

SPECIFIC = 2.0
"""How many times likelier than elsewhere a test must have failed: a test that fails anywhere says nothing."""


@dataclass(frozen=True, slots=True)
class PastPull:
    """Pull request: its changed files, the test files that failed on it, and the commit it was merged as.

    `fixed_at` and `reverted_at` are in seconds since 1970, None if never.
    """

    changed: Sequence[str] = ()
    failed: Sequence[str] = ()
    sha: str | None = None
    fixed_at: int | None = None
    reverted_at: int | None = None


def failed_with(pulls: Sequence[PastPull], changed: Collection[str]) -> Mapping[str, int]:
    """Return test file -> number of pull requests that changed one of these files and on which it failed.

    Only tests whose share of failures among these is at least `SPECIFIC` times that among all.
    """
    paths = set(changed)
    alike = [pull for pull in pulls if paths.intersection(pull.changed)]
    failures, everywhere = (Counter(path for pull in some for path in set(pull.failed)) for some in (alike, pulls))
    return {
        path: count
        for path, count in failures.items()
        if count * len(pulls) >= SPECIFIC * everywhere[path] * len(alike)
    }
