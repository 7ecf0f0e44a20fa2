"""What enforce mode would have blocked: pull requests whose newest verdict fails or asks for approval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from assay.github_app.store import Verdict

MOST_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class BlockedRate:
    """Pull requests of one repository by their newest verdict.

    `num_failing` have a blocking result, `num_held` require approval without one, for their risk or for test results
    that enforce mode requires (`tier1.requireTests`), and `num_merged` of both were merged all the same. `examples` are
    the newest of them: `#12 title; #9 title`.
    """

    repository: str
    n: int
    num_failing: int
    num_held: int
    num_merged: int
    examples: str


def blocked(verdicts: Iterable[Verdict]) -> tuple[BlockedRate, ...]:
    """Return a row for each repository, the one with the most first; `verdicts` are sorted by repository."""
    rows = [_rate(name, list(group)) for name, group in groupby(verdicts, key=lambda one: one.repository)]
    return tuple(sorted(rows, key=lambda one: (-(one.num_failing + one.num_held), one.repository)))


def _rate(repository: str, verdicts: Sequence[Verdict]) -> BlockedRate:
    stopped = [one for one in verdicts if one.is_failure or one.is_hold]
    stopped.sort(key=lambda one: -one.number)
    return BlockedRate(
        repository=repository,
        n=len(verdicts),
        num_failing=sum(one.is_failure for one in stopped),
        num_held=sum(not one.is_failure for one in stopped),
        num_merged=sum(one.is_merged for one in stopped),
        examples="; ".join(f"#{one.number} {one.title}".strip() for one in stopped[:MOST_EXAMPLES]),
    )
