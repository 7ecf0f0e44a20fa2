"""Precision, recall and their like of scores that were given to labelled pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.statistics import Interval, interval_of_rate


@dataclass(frozen=True, slots=True)
class Share:
    """`num` of `of`, with Wilson's 95 % interval (JASA 22, 1927); None where there is nothing to have a share of."""

    num: int
    of: int

    @property
    def value(self) -> float | None:
        """Between 0 and 1."""
        return self.num / self.of if self.of else None

    @property
    def interval(self) -> Interval | None:
        """Where the true share lies."""
        return interval_of_rate(self.num, self.of)

    def __str__(self) -> str:
        where = self.interval
        return f"{self.num / self.of:.3f} ({where.low:.2f} to {where.high:.2f})" if where else "none"


@dataclass(frozen=True, slots=True)
class Figures:
    """What comes of saying "the same" to every pair that scores at least the cut."""

    cut: float
    precision: Share
    recall: Share

    @property
    def f1(self) -> float:
        """2 PR / (P + R); 0 where nothing right was found."""
        found = self.precision.value or 0.0, self.recall.value or 0.0
        return 2 * found[0] * found[1] / sum(found) if sum(found) else 0.0


def figures_at(cut: float, scores: Sequence[float], labels: Sequence[bool]) -> Figures:
    """At one cut; scores and labels go together by place."""
    said = [score >= cut for score in scores]
    num_right = sum(yes and label for yes, label in zip(said, labels, strict=True))
    return Figures(cut, Share(num_right, sum(said)), Share(num_right, sum(labels)))


def cuts_of(scores: Sequence[float]) -> list[float]:
    """Every cut that makes a difference, the highest first."""
    return sorted({score for score in scores if score > 0}, reverse=True)


def best_cut(scores: Sequence[float], labels: Sequence[bool], precision: float | None = None) -> float | None:
    """The cut of the best F1; or with `precision` that of the most recall where it is reached, None where nowhere."""
    found = [figures_at(cut, scores, labels) for cut in cuts_of(scores)]
    if precision is None:
        return max(found, key=lambda one: one.f1).cut
    good = [one for one in found if (one.precision.value or 0.0) >= precision]
    return max(good, key=lambda one: one.recall.num).cut if good else None


def precision_by_recall(scores: Sequence[float], labels: Sequence[bool]) -> list[Figures]:
    """The curve: for each recall from 0.05 on in steps of 0.05, the best precision that still reaches it."""
    found = [figures_at(cut, scores, labels) for cut in cuts_of(scores)]
    curve = []
    for step in range(1, 21):
        reaching = [one for one in found if (one.recall.value or 0.0) >= step / 20 - 1e-9]
        if reaching:
            curve.append(max(reaching, key=lambda one: (one.precision.value or 0.0, one.recall.num)))
    return list(dict.fromkeys(curve))
