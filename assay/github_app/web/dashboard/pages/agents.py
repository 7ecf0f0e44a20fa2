"""Page on agents and models: their pull requests, outcomes and metrics."""

from __future__ import annotations

from collections.abc import Sequence

from assay.github_app.outcomes.metrics.measures import PullMeasures
from assay.github_app.outcomes.metrics.metrics import By, MetricRow, metrics
from assay.github_app.web.dashboard.content.blocks import Cell, Figure, Row, Sheet, Table, chart, columns_of
from assay.github_app.web.dashboard.content.figures import in_unit, percent
from assay.github_app.web.dashboard.pages.page import Page, PageRequest

SHOWN = (
    "merge_rate",
    "first_review_merge_rate",
    "revision_cycles",
    "first_push_ci_pass_rate",
    "comment_density",
    "repeated_mistakes",
    "revert_rate",
)
_INTRO = (
    "The agent of a pull request is inferred from several signals and may be unknown. Agents are given "
    "different work, so a difference is a question, and no verdict."
)
_EMPTY = "No pull request in this period. Choose a longer one, or import history with assay sync."


def view(asked: PageRequest) -> Sheet:
    """Show merge rates, and metrics by agent and by model."""
    measured = asked.measured()
    by_agent = metrics(measured, by=By.agent, names=SHOWN)
    by_model = metrics(measured, by=By.model, names=SHOWN)
    blocks = (_rates(by_agent), _table("agents", "Agents", by_agent, measured, By.agent))
    return Sheet("Agents", _INTRO, (*blocks, _table("models", "Models", by_model, measured, By.model)))


def _rates(rows: Sequence[MetricRow]) -> Figure:
    known = [row for row in rows if row.metric == "merge_rate" and row.value is not None]
    known.sort(key=lambda row: (-row.n, row.split or ""))
    data = [{"name": row.split, "value": row.value, "low": row.low, "high": row.high} for row in known]
    columns = columns_of("agent", "merge_rate=Merged", "low=From", "high=To", "ended")
    cells = tuple(
        (row.split, *(Cell(end, text=percent(end)) for end in (row.value, row.low, row.high)), row.n) for row in known
    )
    said = ", ".join(f"{row.split} {percent(row.value)} of {row.n}" for row in known[:8])
    words = f"Merged, of those that ended, with the interval of each: {said}."
    draw = chart("shares", data, title="merged, of those that ended")
    return Figure("merge-rate", "Merged, by agent", words, draw, columns, cells, _EMPTY)


def _table(key: str, title: str, rows: Sequence[MetricRow], measured: Sequence[PullMeasures], by: By) -> Table:
    columns = columns_of(by, "num=Pull requests", *SHOWN)
    nums: dict[str, int] = {}
    for one in measured:
        name = getattr(one, by) or "unknown"
        nums[name] = nums.get(name, 0) + 1
    places = {(row.split, row.metric): row for row in rows}
    ordered = sorted(nums, key=lambda name: (-nums[name], name))
    found: tuple[Row, ...] = tuple(
        (name, nums[name], *(_cell(places.get((name, metric))) for metric in SHOWN)) for name in ordered
    )
    return Table(key, title, columns, found, _EMPTY)


def _cell(row: MetricRow | None) -> Cell:
    if row is None or row.value is None:
        return Cell(None)
    return Cell(row.value, text=in_unit(row.value, row.unit), note=f"of {row.n}{', too few' if row.is_too_few else ''}")


PAGE = Page("agents", "/agents", view, "Agents", "Who and how", is_timed=True)
