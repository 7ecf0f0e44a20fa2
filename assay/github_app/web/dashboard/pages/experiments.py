"""Page of experiments: all of them, or one with its variants and the outcomes of each."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from assay.github_app.outcomes.experiments import TASK_METRICS, Comparison, Outcome, compared
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
    "Each task of an experiment gets one of its variants. Set the number of tasks before you compare: a result that is "
    "read after every task sooner or later shows a difference by chance."
)
_NO_EXPERIMENT = "No experiment yet. Create one by POST /api/v1/repos/OWNER/NAME/experiments."
_OUTCOMES = (
    "Intervals are of 95 %, Wilson's for rates. Only the metric chosen at the beginning decides. A difference is that "
    "from the first variant; under 20 tasks of a variant it is too few."
)


def view(asked: PageRequest) -> Sheet | None:
    """Show all experiments, running ones first; with `?repo=&experiment=` one of them, None if it does not exist."""
    if asked.repository is not None and asked.query.get("experiment"):
        return _one(asked, asked.repository)
    columns = columns_of(
        "experiment", "repository", "variants", "tasks", "metric=Decided by", "says=Result", "created_at=Began",
        "ended_at=Ended",
    )  # fmt: skip
    found = sorted(asked.store.experiments.of(asked.ids), key=lambda one: one.created_at, reverse=True)
    found.sort(key=lambda one: one.ended_at is not None)
    rows = tuple(_row(asked, one) for one in found)
    return Sheet("Experiments", _INTRO, (Table("experiments", "All experiments", columns, rows, _NO_EXPERIMENT),))


def _one(asked: PageRequest, repository: RepositoryRow) -> Sheet | None:
    experiment = asked.store.experiments.get(repository.id, asked.query["experiment"])
    if experiment is None:
        return None
    found = compared(asked.store, experiment)
    about = f" {experiment.about}" if experiment.about else ""
    blocks = (_facts(found), _deciding(found), _outcomes(found.outcomes), _variants(repository, found))
    return Sheet(f"Experiment {experiment.name}", f"Of {repository.full_name}.{about}", blocks)


def _row(asked: PageRequest, experiment: ExperimentRow) -> Row:
    name, found = asked.names[experiment.repository_id], compared(asked.store, experiment)
    said = "; ".join(f"{one.variant}: {_words(one)}" for one in found.of(experiment.metric)[1:])
    href = f"/experiments?{urlencode({'repo': name, 'experiment': experiment.name})}"
    return (
        Cell(experiment.name, href=href, note=experiment.about[:120]),
        name,
        ", ".join(one.name for one in experiment.variants),
        sum(found.num_assigned.values()),
        experiment.metric.replace("_", " "),
        Cell(said, note=experiment.conclusion or ""),
        experiment.created_at,
        Cell(experiment.ended_at, text=None if experiment.ended_at else "runs"),
    )


def _facts(found: Comparison) -> Facts:
    experiment = found.experiment
    ended = f"{experiment.ended_at:%Y-%m-%d}" if experiment.ended_at else "it runs"
    decides = Fact("Decided by", experiment.metric.replace("_", " "), TASK_METRICS[experiment.metric].says)
    began = Fact("Began", f"{experiment.created_at:%Y-%m-%d}", f"by {experiment.created_by or 'unknown'}")
    num = Fact("Tasks", str(sum(found.num_assigned.values())))
    return Facts((num, decides, began, Fact("Ended", ended, experiment.conclusion or "")))


def _deciding(found: Comparison) -> Figure:
    metric = TASK_METRICS[found.experiment.metric]
    known = [one for one in found.of(metric.name) if one.value is not None]
    columns = columns_of("variant", "value", "low=From", "high=To", "n=Tasks")
    rows: tuple[Row, ...] = tuple((one.variant, *_ends(one), one.num) for one in known)
    said = ", ".join(f"{one.variant} {in_unit(one.value, metric.unit)} of {one.num}" for one in known)
    data = [{"name": one.variant, "value": one.value, "low": one.low, "high": one.high} for one in known]
    title = metric.name.replace("_", " ")
    words = f"{title.capitalize()}, by variant, with the interval of each: {said}."
    draw = chart("shares", data, title=title, is_share=metric.unit == "share")
    return Figure("deciding", f"{title.capitalize()}, which decides", words, draw, columns, rows, _NO_VALUE)


def _outcomes(found: Sequence[Outcome]) -> Table:
    columns = columns_of(
        "metric", "variant", "n=Tasks", "value", "low=From", "high=To", "median", "difference",
        "difference_low=Difference from", "difference_high=Difference to", "moved=Result",
    )  # fmt: skip
    rows: tuple[Row, ...] = tuple(
        (
            Cell(one.metric, text=one.metric.replace("_", " "), note=TASK_METRICS[one.metric].says),
            one.variant,
            one.num,
            *_ends(one),
            Cell(one.median, text=in_unit(one.median, _unit(one))),
            *(
                Cell(end, text=difference_in(end, _unit(one)))
                for end in (one.difference, one.difference_low, one.difference_high)
            ),
            Cell(one.moved, text=_words(one), kind="chip" if one.moved else ""),
        )
        for one in found
        if one.num
    )
    return Table("outcomes", "Outcomes by variant", columns, rows, _EMPTY, _OUTCOMES)


def _variants(repository: RepositoryRow, found: Comparison) -> Table:
    columns = columns_of("variant", "share", "tasks", "prompt_version")
    rows = tuple(
        (
            one.name,
            Cell(one.share, text=percent(one.share)),
            found.num_assigned[one.name],
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


def _ends(one: Outcome) -> tuple[Cell, ...]:
    return tuple(Cell(end, text=in_unit(end, _unit(one))) for end in (one.value, one.low, one.high))


def _unit(one: Outcome) -> str:
    return TASK_METRICS[one.metric].unit


def _words(one: Outcome) -> str:
    return str(one.moved).replace("_", " ") if one.moved else ""


PAGE = Page("experiments", "/experiments", view, "Experiments")
