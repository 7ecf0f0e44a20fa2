"""Complexity: functions that the change makes too complex, or more complex still."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.validators.changes.change import shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import is_in, of_family
from assay.validators.configuration.model import ComplexityLimits
from assay.validators.languages.engine.rows import ROWS
from assay.validators.languages.functions.function import Function
from assay.validators.languages.functions.measure import MEASURED, Measured, can_measure, measure
from assay.validators.quality.complexity.paired_functions import Base, Placed
from assay.validators.quality.inputs.changed_texts import ReadFile, read_files
from assay.validators.quality.inputs.severities import is_off
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding, Severity, Tier
from assay.validators.report.unknown import NotChecked, Question

METRICS = {"cyclomatic": "cyclomatic complexity", "cognitive": "cognitive complexity", "nesting": "nesting depth"}

WORTH_A_WORD = 0.05
"""Relative increase from which a function over its limit is reported."""

CLEARLY_OVER = 1.2
"""Factor over the limit from which a finding is more than info."""

MUCH_MORE = 1.5
"""Factor over the figure before from which a function that was there is more than info."""


@dataclass(frozen=True, slots=True)
class _Excess:
    """Metric over its limit because of the change."""

    metric: str
    value: int
    before: int | None
    limit: int

    @property
    def is_remark(self) -> bool:
        """Whether it is just over its limit, or less than half more than before."""
        return self.value < CLEARLY_OVER * self.limit or self.value < MUCH_MORE * (self.before or 0)

    def __str__(self) -> str:
        before = "" if self.before is None else f"was {self.before}, "
        return f"{METRICS[self.metric]} {self.value} ({before}threshold {self.limit})"


class Complexity:
    """Rule `complexity`."""

    name = "complexity"
    answers = Question.complexity
    covers = MEASURED

    def check(self, context: QualityContext) -> Iterator[Finding | NotChecked]:
        """Yield one finding per function the change makes too complex, with every metric over its limit.

        A moved function is unchanged.
        """
        limits = context.config.tier2.complexity
        metrics = [metric for metric in METRICS if not is_off(context.config, f"{self.name}.{metric}")]
        read = [each for each in read_files(context.change, Nature.source, Nature.test) if can_measure(each.file.path)]
        read = [each for each in read if each.file.hunks or each.file.base_path is None]
        sources = [(each.file.path, each.head_text or "") for each in read]
        sources += [(each.file.base_path or each.file.path, each.base_text or "") for each in read]
        measured = measure(sources, max(1.0, context.deadline.left_s()))
        heads, bases = measured[: len(read)], measured[len(read) :]
        yield from _unmeasured(read, heads, bases)
        known = [
            (each, head, base)
            for each, head, base in zip(read, heads, bases, strict=True)
            # Without its base, every function of a file would look new.
            if head.why_not is None and base.why_not is None and each.head_text is not None and each.has_base
        ]
        placed = [Placed(each, one, each.head_lines) for each, head, _ in known for one in head.functions]
        sides = zip(read, bases, strict=True)
        then = [Placed(each, one, each.base_lines) for each, base in sides for one in base.functions]
        before = Base(then, placed)
        for now in placed:
            over = [metric for metric in metrics if (getattr(now.function, metric) or 0) > getattr(limits, metric)]
            if over:
                earlier = before.earlier_self(now)
                excesses = list(_excesses(now.function, earlier.function if earlier else None, limits, over))
                yield self._finding(now, excesses) if excesses else self._existing(now)

    def _finding(self, now: Placed, excesses: list[_Excess]) -> Finding:
        worst = max(excesses, key=lambda excess: excess.value / excess.limit)
        file = now.read.file
        advice = "Extract one of its branches into a function."
        if worst.metric == "nesting":
            advice = "Return early, or move the inner block into a separate function."
        is_remark = file.nature is Nature.test or all(excess.is_remark for excess in excesses)
        return Finding(
            tier=Tier.quality,
            severity=Severity.info if is_remark else Severity.warning,
            rule=f"{self.name}.{worst.metric}",
            file=file.path,
            line=now.function.start,
            end_line=now.function.end,
            message=f"`{_short(now.function.name)}` has " + " and ".join(map(str, excesses)),
            suggestion=advice,
            tool=_tool(file.path),
            context=f"{now.function.name} {worst.metric}",
        )

    def _existing(self, now: Placed) -> Finding:
        return Finding(
            tier=Tier.quality,
            severity=Severity.info,
            rule=self.name,
            file=now.read.file.path,
            line=now.function.start,
            message=f"`{now.function.name}` was this complex before",
            introduced=False,
        )


def _excesses(now: Function, then: Function | None, limits: ComplexityLimits, wanted: list[str]) -> Iterator[_Excess]:
    for metric in wanted:
        value, limit = getattr(now, metric), getattr(limits, metric)
        before = None if then is None else getattr(then, metric)
        if before is None or before <= limit or (value > before and value - before >= WORTH_A_WORD * before):
            yield _Excess(metric, value, before, limit)


def _short(name: str) -> str:
    """Return the last two parts of a qualified name, which are enough to find it."""
    return ".".join(name.split(".")[-2:]) if len(name) > 60 else name


def _tool(path: str) -> str:
    if is_in(path, ("python",)):
        return "radon, tree-sitter"
    return "tree-sitter" if is_in(path, of_family("javascript") | ROWS.keys()) else "lizard"


def _unmeasured(read: list[ReadFile], heads: list[Measured], bases: list[Measured]) -> Iterator[NotChecked]:
    for each, head, base in zip(read, heads, bases, strict=True):
        if not each.file.exists:
            continue
        what = f"complexity of {shown(each.file.path)}"
        if each.head_text is None or not each.has_base:
            yield NotChecked(what, "it is over 1 MB")
        elif head.why_not is not None:
            yield NotChecked(what, head.why_not)
        elif base.why_not is not None:
            yield NotChecked(what, f"its base could not be measured: {base.why_not}")
