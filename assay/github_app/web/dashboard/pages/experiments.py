"""Page of experiments: all of them, or one with its variants, every metric with its interval, and the result."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from assay.github_app.outcomes.experiments.comparing import ArmFigure, ComparedExperiment, ComparedMetric, compared
from assay.github_app.outcomes.experiments.metrics import EXPERIMENT_METRICS
from assay.github_app.store import ExperimentRow, RepositoryRow
from assay.github_app.web.dashboard.content.blocks import (
    Cell,
    Fact,
    Facts,
    Figure,
    Row,
    Sheet,
    Table,
    chart,
    columns_of,
)
from assay.github_app.web.dashboard.content.figures import difference_in, in_unit, percent
from assay.github_app.web.dashboard.pages.page import Page, PageRequest, prompt_version_address

_EMPTY = "No task of this experiment has a result yet."
_NO_VALUE = "No variant has a value of the metric that decides yet."
_INTRO = (
    "Each task of an experiment gets one of its variants. The result may be checked at any time: "
    "better or worse holds however often it was checked, and undecided means that the sample is too small."
)
_NO_EXPERIMENT = "No experiment yet. Create one with assay experiments create, or POST /api/v1."


def view(asked: PageRequest) -> Sheet | None:
    """Show all experiments, running ones first; with `?repo=&experiment=` one of them, None if it does not exist."""
    if asked.repository is not None and asked.query.get("experiment"):
        return _one(asked, asked.repository)
    columns = columns_of(
        "experiment",
        "repository",
        "variants",
        "tasks",
        "metric=Decided by",
        "says=Result",
        "created_at=Began",
        "ended_at=Ended",
    )
    found = sorted(asked.store.experiments.of(asked.ids), key=lambda one: one.created_at, reverse=True)
    found.sort(key=lambda one: one.ended_at is not None)
    rows = tuple(_row(asked, one) for one in found)
    return Sheet("Experiments", _INTRO, (Table("experiments", "All experiments", columns, rows, _NO_EXPERIMENT),))


def _one(asked: PageRequest, repository: RepositoryRow) -> Sheet | None:
    experiment = asked.store.experiments.get(repository.id, asked.query["experiment"])
    if experiment is None:
        return None
    found = compared(asked.store, experiment)
    blocks = (
        _facts(found),
        _deciding(found.deciding),
        _says(found.deciding),
        _variants(repository, found),
        _figures(found.metrics),
    )
    about = f" {experiment.about}" if experiment.about else ""
    return Sheet(f"Experiment {experiment.name}", f"Of {repository.full_name}.{about}", blocks)


def _row(asked: PageRequest, experiment: ExperimentRow) -> Row:
    name, found = asked.names[experiment.repository_id], compared(asked.store, experiment)
    said = "; ".join(f"{one.variant}: {str(one.decision).replace('_', ' ')}" for one in found.deciding.comparisons)
    href = f"/experiments?{urlencode({'repo': name, 'experiment': experiment.name})}"
    return (
        Cell(experiment.name, href=href, note=experiment.about[:120]),
        name,
        ", ".join(one.name for one in experiment.variants),
        sum(num for _, num in found.num_assigned),
        experiment.metric.replace("_", " "),
        Cell(said, note=experiment.conclusion or ""),
        experiment.created_at,
        Cell(experiment.ended_at, text=None if experiment.ended_at else "runs"),
    )


def _facts(found: ComparedExperiment) -> Facts:
    experiment = found.experiment
    ended = f"{experiment.ended_at:%Y-%m-%d}" if experiment.ended_at else "it runs"
    return Facts(
        (
            Fact("Tasks", str(sum(num for _, num in found.num_assigned))),
            Fact("Decided by", experiment.metric.replace("_", " "), found.deciding.about),
            Fact("Error allowed", percent(experiment.alpha), "over all looks together"),
            Fact("Began", f"{experiment.created_at:%Y-%m-%d}", f"by {experiment.created_by or 'unknown'}"),
            Fact("Ended", ended, experiment.conclusion or ""),
        )
    )


def _deciding(metric: ComparedMetric) -> Figure:
    known = [arm for arm in metric.arms if arm.value is not None]
    columns = columns_of("variant", "value", "low=From", "high=To", "n=Tasks")
    rows: tuple[Row, ...] = tuple((arm.variant, *_ends(metric, arm), arm.num) for arm in known)
    said = ", ".join(f"{arm.variant} {_value(metric, arm.value)} of {arm.num}" for arm in known)
    data = [{"name": arm.variant, "value": arm.value, "low": arm.low, "high": arm.high} for arm in known]
    title, is_rate = metric.metric.replace("_", " "), EXPERIMENT_METRICS[metric.metric].is_rate
    words = f"{title.capitalize()}, by variant, with the interval of each: {said}."
    draw = chart("shares", data, title=title, is_share=is_rate)
    return Figure("deciding", f"{title.capitalize()}, which decides", words, draw, columns, rows, _NO_VALUE)


def _says(metric: ComparedMetric) -> Table:
    columns = columns_of(
        "variant", "decision", "difference", "low=From", "high=To", "p_value=p-value, at every look", "words=In words"
    )
    rows: tuple[Row, ...] = tuple(
        (
            one.variant,
            Cell(str(one.decision), text=str(one.decision).replace("_", " "), kind="chip"),
            *(Cell(end, text=difference_in(end, _unit(metric))) for end in (one.difference, one.low, one.high)),
            Cell(one.p_value, text=f"{one.p_value:.3f}"),
            one.in_words,
        )
        for one in metric.comparisons
    )
    return Table("says", "Result compared with the first variant", columns, rows, _EMPTY)


def _variants(repository: RepositoryRow, found: ComparedExperiment) -> Table:
    columns = columns_of("variant", "share", "tasks", "prompt_version")
    nums = dict(found.num_assigned)
    rows = tuple(
        (
            one.name,
            Cell(one.share, text=percent(one.share)),
            nums.get(one.name, 0),
            Cell(
                one.prompt_version,
                text=one.prompt_version[:12],
                href=prompt_version_address(repository.full_name, one.prompt_version),
            )
            if one.prompt_version
            else Cell(None),
        )
        for one in found.experiment.variants
    )
    return Table("variants", "Variants", columns, rows, "")


def _figures(metrics: Sequence[ComparedMetric]) -> Table:
    columns = columns_of("metric", "variant", "value", "low=From", "high=To", "n=Tasks")
    rows: tuple[Row, ...] = tuple(
        (Cell(one.metric, text=one.metric.replace("_", " "), note=one.about), arm.variant, *_ends(one, arm), arm.num)
        for one in metrics
        for arm in one.arms
        if arm.num
    )
    note = "Only the metric chosen at the beginning decides; the others are for information."
    return Table("figures", "All metrics", columns, rows, _EMPTY, note)


def _ends(metric: ComparedMetric, arm: ArmFigure) -> tuple[Cell, ...]:
    return tuple(Cell(end, text=_value(metric, end)) for end in (arm.value, arm.low, arm.high))


def _value(metric: ComparedMetric, value: float | None) -> str:
    return in_unit(value, _unit(metric))


def _unit(metric: ComparedMetric) -> str:
    if EXPERIMENT_METRICS[metric.metric].is_rate:
        return "share"
    return "s" if metric.metric.endswith("_s") else ""


PAGE = Page("experiments", "/experiments", view, "Experiments")
