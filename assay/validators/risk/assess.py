"""Tier 3: measure every signal, take the higher of likelihood and policy floor, and report everything unknown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from assay.validators.changes.change import ChangeSet
from assay.validators.changes.language_table import Kind, names_of, of_kind
from assay.validators.changes.past_pulls import PastPull
from assay.validators.configuration.model import UnknownIs, ValidationConfig
from assay.validators.errors import CouldNotRun
from assay.validators.graph.import_graph import Graphs
from assay.validators.graph.scan_cache import default_cache
from assay.validators.io.globs import matcher
from assay.validators.progress import Deadline, OutOfTime, Progress, Silent
from assay.validators.report.answers import Answers
from assay.validators.report.dependent import Dependent
from assay.validators.report.gravity import Gravity, gravity_of
from assay.validators.report.likelihood import Rollback
from assay.validators.report.model import (
    Coverage,
    Likelihood,
    QualityResult,
    RiskAssessment,
    RiskLevel,
    Statement,
    Tier,
    ToolsResult,
)
from assay.validators.report.risk_facts import ApiChange, NewDependency, Surface
from assay.validators.report.statements import grouped
from assay.validators.report.unknown import NotChecked, Question, about, unknown_of_source
from assay.validators.risk.level import levelled
from assay.validators.risk.register import SIGNALS
from assay.validators.risk.signal import Measure, NumTests, RiskContext, Signal

_Kind = TypeVar("_Kind")
MOST_DEPENDENTS = 500
"""Maximum dependents listed, by rank; `num_dependents_total` counts all."""
OUT_OF_TIME = "the tier ran out of time"
LIKELIHOOD = "likelihood"
"""`what` of the `not_checked` entry for a likelihood that was not assessed."""
NO_HISTORY = "not assessed: no history was compared"


def assess_risk(
    change: ChangeSet,
    config: ValidationConfig,
    tools: ToolsResult | None = None,
    quality: QualityResult | None = None,
    *,
    progress: Progress | None = None,
    signals: Sequence[Signal] | None = None,
    graphs: Graphs | None = None,
    likelihood: Likelihood | None = None,
    why_no_likelihood: str = NO_HISTORY,
    rollback: Rollback | None = None,
    past_pulls: Sequence[PastPull] = (),
    whole_change: str | None = None,
) -> RiskAssessment:
    """Return the risk of the change. A signal that fails becomes an entry in `not_checked`.

    Coverage and findings are taken from the other tiers. `signals` replaces the register, `graphs` are shared with
    another tier. Without `likelihood` the policy alone sets the level, and `why_no_likelihood` is listed as not
    checked. `whole_change` is what the change plainly is, excluded files included. Raises `CouldNotRun` if the trees
    themselves cannot be read.
    """

    def level_under(other: ValidationConfig, without: str) -> RiskLevel:
        others = [signal for signal in SIGNALS if signal.name != without]
        return assess_risk(
            context.change, other, tools=tools, quality=quality, signals=others, graphs=context.graphs
        ).floor

    context = RiskContext(
        change=change.without(matcher(config.exclude)),
        config=config,
        deadline=Deadline(config.tier3.timeout_seconds),
        line_coverage=tools.line_coverage if tools else None,
        line_contexts=tools.line_contexts if tools else None,
        coverage_source=tools.coverage_source if tools else None,
        past_pulls=past_pulls,
        whole_change=whole_change,
        findings=(*(tools.findings if tools else ()), *(quality.findings if quality else ())),
        graphs=graphs or Graphs(change.base, change.head, default_cache(), change.nature_of),
        level_under=level_under,
    )
    gathered = _Gathered(Answers(context.change.files), context.is_seed)
    for signal in SIGNALS if signals is None else signals:
        gathered.take(signal, _measured(signal, context, progress or Silent(), gathered))
    if likelihood is None:
        gathered.measures.append(NotChecked(LIKELIHOOD, why_no_likelihood))
    assessment = gathered.assessment(config)
    return levelled(replace(assessment, likelihood=likelihood, rollback=rollback, whole_change=whole_change))


def _measured(signal: Signal, context: RiskContext, progress: Progress, gathered: _Gathered) -> Iterator[Measure]:
    """Yield the measures of a signal, or why it has none."""
    if not context.limits.signals.get(signal.name, True):
        yield gathered.lost(signal, f"switched off by tier3.signals.{signal.name} in the configuration")
        return
    if context.deadline.passed:
        gathered.timed_out = True
        yield gathered.lost(signal, f"{OUT_OF_TIME} ({context.limits.timeout_seconds} s)")
        return
    progress.began(Tier.risk, signal.name)
    how = "failed"
    measures: list[Measure] = []
    try:
        for measure in signal.measure(context):
            measures.append(measure)  # noqa: PERF402 - measures before the timeout count
        how = _in_words(measures)
        gathered.answers.ran(signal)
        yield from measures
    except OutOfTime as error:
        gathered.timed_out = True
        how = "out of time"
        yield from measures
        yield gathered.lost(signal, f"{error} ({context.limits.timeout_seconds} s for the tier)")
    except CouldNotRun:
        raise
    except (Exception, RecursionError) as error:  # noqa: BLE001 - one failing signal must not stop the others
        yield gathered.lost(signal, f"it failed: {_one_line(error)}")
    finally:
        progress.ended(Tier.risk, signal.name, how)
    gathered.timed_out = gathered.timed_out or context.deadline.passed


@dataclass
class _Gathered:
    """Measures of the signals so far."""

    answers: Answers
    is_seed: bool
    measures: list[Measure] = field(default_factory=list)
    timed_out: bool = False

    def lost(self, signal: Signal, why: str) -> NotChecked:
        """Record a signal without an answer; return the entry with the reason."""
        self.answers.failed(signal, why)
        return NotChecked(f"risk signal {signal.name}", why)

    def take(self, signal: Signal, measures: Iterable[Measure]) -> None:
        for measure in measures:
            if isinstance(measure, NotChecked) and measure.question is not None:
                self.answers.say(measure)
            elif isinstance(measure, Statement):
                gravity = gravity_of(measure.kind, is_seed=self.is_seed)
                self.measures.append(replace(measure, signal=signal.name, gravity=gravity))
            else:
                self.measures.append(measure)

    def assessment(self, config: ValidationConfig) -> RiskAssessment:
        unknown = self.answers.unknown()
        dependents = sorted(self._all(Dependent), key=lambda one: (one.rank, one.distance, one.is_test, one.path))
        coverage = self._all(Coverage) or [Coverage(None, why_unknown="coverage was not checked")]
        return RiskAssessment(
            statements=tuple(grouped([*self._all(Statement), *self._contracts(unknown), *_raised(config, unknown)])),
            surface=(self._all(Surface) or [Surface()])[-1],
            dependents=tuple(dependents[:MOST_DEPENDENTS]),
            num_dependents_total=len(dependents),
            num_tests_total=sum(self._all(NumTests)),
            api_changes=tuple(self._all(ApiChange)),
            new_dependencies=tuple(self._all(NewDependency)),
            coverage=coverage[-1],
            policy=str(config.tier3.policy),
            timed_out=self.timed_out,
            not_checked=tuple(dict.fromkeys((*self._all(NotChecked), *unknown))),
        )

    def _contracts(self, unknown: Collection[NotChecked]) -> Iterator[Statement]:
        """Yield a statement for each changed contract file whose interface no analyzer compared."""
        languages = names_of(of_kind(Kind.interface))
        edited = {file.path for file in self.answers.files if file.base_path is not None}
        for one in about(unknown, Question.interface):
            for path in one.files:
                if one.what in languages and path in edited:
                    text = f"the interface that this {one.what} file promises is not compared: {one.why}"
                    gravity = gravity_of("interface_unknown", is_seed=self.is_seed)
                    yield Statement("interface_unknown", text, path, signal="public_api", gravity=gravity)

    def _all(self, kind: type[_Kind]) -> list[_Kind]:
        return [measure for measure in self.measures if isinstance(measure, kind)]


_SIGNALS = {Question.dependents: "dependents", Question.interface: "public_api"}


def _raised(config: ValidationConfig, unknown: Collection[NotChecked]) -> Iterator[Statement]:
    """Yield a statement for unknown properties of changed source, if the configuration asks for one."""
    if config.tier3.unknown is not UnknownIs.medium:
        return
    for question, names in unknown_of_source(unknown):
        verb = "is" if question is Question.interface else "are"
        text = f"its {question} {verb} unknown ({', '.join(names)})"
        yield Statement("unknown", text, signal=_SIGNALS[question], gravity=Gravity.medium)


def _in_words(measures: Sequence[Measure]) -> str:
    found = [measure.kind for measure in measures if isinstance(measure, Statement)]
    if found:
        return ", ".join(dict.fromkeys(kind.replace("_", " ") for kind in found))
    return "not checked" if any(isinstance(measure, NotChecked) for measure in measures) else "nothing"


def _one_line(error: BaseException) -> str:
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words[:200]}" if words else type(error).__name__
