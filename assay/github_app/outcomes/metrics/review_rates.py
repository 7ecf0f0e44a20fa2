"""Rates of outcomes of a model's findings, by question and version of its prompt."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from assay.github_app.outcomes.metrics.metrics import FEW
from assay.github_app.store import FindingOutcome, ReviewFindingRow
from assay.statistics import interval_of_rate

RATED = (FindingOutcome.acted_on, FindingOutcome.dismissed, FindingOutcome.ignored)
"""Outcomes that people decide; each has a rate of all three."""


@dataclass(frozen=True, slots=True)
class ReviewRate:
    """Findings of one question and prompt version with this outcome among the `n` that people decided about.

    `low` to `high` is Wilson's 95 % interval of the share, None without findings. `num_demonstrated` of the `num` had a
    test. `num_withdrawn` and `num_standing` are the group's other findings, of all outcomes.
    """

    question: str
    prompt: str
    outcome: str
    num: int
    n: int
    share: float | None
    low: float | None
    high: float | None
    num_demonstrated: int
    num_withdrawn: int
    num_standing: int
    is_too_few: bool


def review_rates(findings: Iterable[ReviewFindingRow]) -> tuple[ReviewRate, ...]:
    """Return three rates per question and prompt version, sorted."""
    groups: dict[tuple[str, str], list[ReviewFindingRow]] = defaultdict(list)
    for one in findings:
        groups[one.question, one.prompt].append(one)
    return tuple(_rate(*key, outcome, groups[key]) for key in sorted(groups) for outcome in RATED)


def _rate(question: str, prompt: str, outcome: FindingOutcome, group: list[ReviewFindingRow]) -> ReviewRate:
    counts = Counter(one.outcome for one in group)
    num, n = counts[outcome], sum(counts[one] for one in RATED)
    interval = interval_of_rate(num, n)
    return ReviewRate(
        question=question,
        prompt=prompt,
        outcome=str(outcome),
        num=num,
        n=n,
        share=num / n if n else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        num_demonstrated=sum(one.is_demonstrated for one in group if one.outcome is outcome),
        num_withdrawn=counts[FindingOutcome.withdrawn],
        num_standing=counts[None],
        is_too_few=n < FEW,
    )
