"""Page of all experiments: variants, and whether the sample decides."""

from __future__ import annotations

from assay.github_app.outcomes.experiments.comparing import compared
from assay.github_app.store import ExperimentRow
from assay.github_app.web.dashboard.content.blocks import Cell, Row, Sheet, Table, columns_of
from assay.github_app.web.dashboard.pages.page import Page, PageRequest, quoted

_INTRO = (
    "Each task of an experiment gets one of its variants. The result may be checked at any time: "
    "better or worse holds however often it was checked, and undecided means that the sample is too small."
)
_EMPTY = "No experiment yet. Create one with assay experiments create, or POST /api/v1."


def view(asked: PageRequest) -> Sheet:
    """Show all experiments, running ones first."""
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
    return Sheet("Experiments", _INTRO, (Table("experiments", "All experiments", columns, rows, _EMPTY),))


def _row(asked: PageRequest, experiment: ExperimentRow) -> Row:
    name, found = asked.names[experiment.repository_id], compared(asked.store, experiment)
    said = "; ".join(f"{one.variant}: {str(one.decision).replace('_', ' ')}" for one in found.deciding.comparisons)
    href = f"/experiments/{quoted(name)}/{quoted(experiment.name)}"
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


PAGE = Page("experiments", "/experiments", view, "Experiments", "Who and how")
