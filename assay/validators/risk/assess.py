"""Tier 3: measure every signal, take the higher of likelihood and policy floor, and report everything unknown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TypeVar

from assay.validators.changes.change import ChangeSet
from assay.validators.changes.language_table import Kind, names_of, of_kind
from assay.validators.changes.past_pulls import PastPull
from assay.validators.configuration.model import ValidationConfig
from assay.validators.dependencies.asked import AskedDependencies
from assay.validators.errors import CouldNotRun
from assay.validators.graph.import_graph import Graphs
from assay.validators.graph.scan_cache import default_cache
from assay.validators.io.globs import matcher
from assay.validators.progress import Deadline, OutOfTime, Progress, Silent
from assay.validators.report.answers import Answers
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
from assay.validators.report.risk_facts import ApiChange, Dependent, NewDependency, Rollback, Surface
from assay.validators.report.statements import grouped
from assay.validators.report.unknown import NotChecked, Question, about
from assay.validators.risk.level import levelled, weighed
from assay.validators.risk.likelihood.assess import LikelihoodSignal
from assay.validators.risk.register import SIGNALS
from assay.validators.risk.signal import Measure, NumTests, RiskContext, Signal
from assay.validators.wording import shortened

_Kind = TypeVar("_Kind")
MOST_DEPENDENTS = 500
"""Maximum dependents listed, by rank; `num_dependents_total` counts all."""
OUT_OF_TIME = "the tier ran out of time"


def assess_risk(
    change: ChangeSet,
    config: ValidationConfig,
    tools: ToolsResult | None = None,
    quality: QualityResult | None = None,
    *,
    progress: Progress | None = None,
    signals: Sequence[Signal] | None = None,
    graphs: Graphs | None = None,
    past_pulls: Sequence[PastPull] = (),
    whole_change: str | None = None,
    asked: AskedDependencies | None = None,
) -> RiskAssessment:
    """Return the risk of the change. A signal that fails becomes an entry in `not_checked`.

    Coverage and findings are taken from the other tiers. `signals` replaces the register, `graphs` are shared with
    another tier. `whole_change` is what the change plainly is, excluded files included. `asked` are the dependencies if
    the registries are asked already. Raises `CouldNotRun` if the trees themselves cannot be read.
    """

    def level_under(other: ValidationConfig, without: str) -> RiskLevel:
        others = [signal for signal in SIGNALS if signal.name not in (without, LikelihoodSignal.name)]
        found = assess_risk(
            context.change, other, tools, quality, signals=others, graphs=context.graphs, asked=context.dependencies
        )
        return found.floor

    context = RiskContext(
        change=change.without(matcher(config.exclude)),
        config=config,
        deadline=Deadline(config.tier3.timeout_seconds),
        tools=tools or ToolsResult(),
        quality=quality or QualityResult(),
        past_pulls=past_pulls,
        whole_change=whole_change,
        asked=asked,
        graphs=graphs or Graphs(change, default_cache()),
        level_under=level_under,
    )
    answers, measures = Answers(context.change.files), list[Measure]()
    for signal in SIGNALS if signals is None else signals:
        for measure in _measured(signal, context, answers, progress or Silent()):
            if isinstance(measure, NotChecked) and measure.question is not None:
                answers.say(measure)
            elif isinstance(measure, Statement):
                measures.append(weighed(measure, signal.name, config))
            else:
                measures.append(measure)
    unknown = answers.unknown()
    statements = (*_all(measures, Statement), *_contracts(context, unknown))
    dependents = sorted(_all(measures, Dependent), key=lambda one: (one.rank, one.distance, one.is_test, one.path))
    return levelled(
        RiskAssessment(
            whole_change=whole_change,
            likelihood=next(iter(_all(measures, Likelihood)), None),
            rollback=next(iter(_all(measures, Rollback)), None),
            statements=tuple(grouped(statements)),
            surface=(_all(measures, Surface) or [Surface()])[-1],
            dependents=tuple(dependents[:MOST_DEPENDENTS]),
            num_dependents_total=len(dependents),
            num_tests_total=sum(_all(measures, NumTests)),
            api_changes=tuple(_all(measures, ApiChange)),
            new_dependencies=tuple(_all(measures, NewDependency)),
            coverage=(_all(measures, Coverage) or [Coverage(None, why_unknown="coverage was not checked")])[-1],
            policy=str(config.tier3.policy),
            timed_out=any(OUT_OF_TIME in one.why for one in (*_all(measures, NotChecked), *unknown)),
            not_checked=tuple(dict.fromkeys((*_all(measures, NotChecked), *unknown))),
        )
    )


def _measured(signal: Signal, context: RiskContext, answers: Answers, progress: Progress) -> Iterator[Measure]:
    """Yield the measures of a signal, or why it has none; those before it failed count."""
    seconds = context.limits.timeout_seconds
    why, how = "", "failed"
    if not context.limits.signals.get(signal.name, True):
        why = f"switched off by tier3.signals.{signal.name} in the configuration"
    elif context.deadline.passed:
        why = f"{OUT_OF_TIME} ({seconds} s)"
    else:
        progress.began(Tier.risk, signal.name)
        found: list[Measure] = []
        try:
            for measure in signal.measure(context):
                found.append(measure)
                yield measure
            answers.ran(signal)
            how = _in_words(found)
        except OutOfTime as error:
            how, why = "out of time", f"{error} ({seconds} s for the tier)"
        except CouldNotRun:
            raise
        except Exception as error:  # noqa: BLE001 - one failing signal must not stop the others
            why = shortened(f"it failed: {type(error).__name__}: {error}".removesuffix(": "), 200)
        finally:
            progress.ended(Tier.risk, signal.name, how)
    if why:
        answers.failed(signal, why)
        yield NotChecked(f"risk signal {signal.name}", why)


def _all(measures: Iterable[Measure], kind: type[_Kind]) -> list[_Kind]:
    return [measure for measure in measures if isinstance(measure, kind)]


def _contracts(context: RiskContext, unknown: Collection[NotChecked]) -> Iterator[Statement]:
    """Yield a statement for each changed contract file whose interface no analyzer compared."""
    languages = names_of(of_kind(Kind.interface))
    edited = {file.path for file in context.change.files if file.base_path is not None}
    for one in about(unknown, Question.interface):
        for path in one.files:
            if one.what in languages and path in edited:
                text = f"the interface that this {one.what} file promises is not compared: {one.why}"
                yield weighed(Statement("interface_unknown", text, path), "public_api", context.config)


def _in_words(measures: Sequence[Measure]) -> str:
    found = [measure.kind.replace("_", " ") for measure in _all(measures, Statement)]
    found += [str(measure.level) for measure in _all(measures, Likelihood)]
    if found:
        return ", ".join(dict.fromkeys(found))
    return "not checked" if _all(measures, NotChecked) else "nothing"
