"""Types of a comparison of two evaluations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from assay.memory_eval.report.model import SCHEMA_VERSION, EvalReport
from assay.statistics import LEVEL, Interval

NO_DIFFERENCE = "no difference shown"


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure before and after; `change` is after less before, `num_pairs` the questions that both were asked."""

    name: str
    before: float
    after: float
    change: float
    interval: Interval | None
    p_value: float | None
    num_pairs: int


@dataclass(frozen=True, slots=True)
class FactChange:
    """Facts that the two stores hold, pair by pair; `p_value` by McNemar's exact test, `verdict` at 0.05."""

    num_facts: int
    num_before: int
    num_after: int
    num_lost: int
    num_gained: int
    p_value: float
    verdict: str

    def in_words(self) -> str:
        """Return the change in one line."""
        kept = f"{self.num_before:,} held before, {self.num_after:,} after, of {self.num_facts:,}"
        changed = f"{self.num_lost:,} lost, {self.num_gained:,} gained, p = {self.p_value:.3g} (McNemar, exact)"
        return f"facts: {self.verdict}; {kept}; {changed}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The change of the score. `verdict` is better, worse or "no difference shown".

    Without `paired`, the two were asked questions of different worlds: `num_before` and `num_after` of them.
    """

    before: str
    after: str
    verdict: str
    overall: Difference
    categories: tuple[Difference, ...]
    worse: tuple[dict[str, Any], ...]
    """The questions with the largest loss: `{question_id, category, question, before, after}`."""
    better: tuple[dict[str, Any], ...]
    num_worse: int
    num_better: int
    num_same: int
    num_unpaired: int
    notes: tuple[str, ...] = ()
    facts: FactChange | None = None
    """The change of the facts held; None unless both reports measured the memory of the same world."""
    paired: bool = True
    num_before: int = 0
    num_after: int = 0
    recall: Difference | None = None
    """The change of the share of facts held, over different worlds; None unless both reports measured the memory."""

    @property
    def is_worse(self) -> bool:
        """Whether the answers or the facts held got worse, beyond chance."""
        of_facts = self.facts.verdict if self.facts is not None else verdict_of(self.recall)
        return "worse" in (self.verdict, of_facts)

    def questions_in_words(self) -> str:
        """Return which questions the scores are over."""
        if self.paired:
            num = self.overall.num_pairs
            return "the same question" if num == 1 else f"{num} questions both were asked"
        return f"{self.num_before} and {self.num_after} questions of different worlds"

    def facts_in_words(self) -> str:
        """Return the change of the facts held in one line; "" without a measure of the memory."""
        if self.facts is not None:
            return self.facts.in_words()
        one = self.recall
        if one is None:
            return ""
        within = "" if one.interval is None else f" ({one.interval.low * 100:+.1f} to {one.interval.high * 100:+.1f})"
        change = f"{one.before:.1%} held before, {one.after:.1%} after, {one.change * 100:+.1f} points{within}"
        return f"facts: {verdict_of(one)}; {change}"

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data."""
        return {"schema_version": SCHEMA_VERSION, "level": LEVEL, **asdict(self)}


def verdict_of(difference: Difference | None) -> str:
    """Return a difference if the whole interval is on one side of zero; else "no difference shown"."""
    if difference is None or difference.interval is None or difference.interval.low <= 0 <= difference.interval.high:
        return NO_DIFFERENCE
    return "better" if difference.change > 0 else "worse"


def settings_notes(before: EvalReport, after: EvalReport, num_unpaired: int) -> Iterator[str]:
    """Yield what limits the comparison: questions without a partner, other settings, invalid runs."""
    if num_unpaired:
        yield f"{num_unpaired} results have no graded partner and do not count"
    for what in ("world_version", "grading", "grader_votes"):
        one, two = getattr(before, what), getattr(after, what)
        if one != two:
            yield f"{what} differs: {str(one)[:80]} and {str(two)[:80]}"
    for name, one in (("the first", before), ("the second", after)):
        if not one.valid:
            yield f"{name} is not a valid run"
