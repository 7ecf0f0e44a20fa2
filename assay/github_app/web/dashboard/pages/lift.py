"""Page on risk and outcome: are risky pull requests rejected more often, and do they take longer?"""

from __future__ import annotations

from collections.abc import Sequence

from assay.github_app.outcomes.metrics.risk_over_time import LEVELS, RiskLift, risk_and_outcome
from assay.github_app.web.dashboard.content.blocks import Cell, Figure, Row, Sheet, Table, chart, columns_of
from assay.github_app.web.dashboard.content.figures import duration, number, percent
from assay.github_app.web.dashboard.pages.page import Page, PageRequest

_INTRO = (
    "Lift compares the pull requests of one level with all the others: 2 means twice as often, or twice as long. "
    "Only where its interval leaves out 1 is the difference more than chance would explain."
)
_EMPTY = "No validated pull request has ended in this period. Once some are merged or closed, this page compares them."
_TITLES = {
    "rejected": ("Rejected", "Closed without a merge, or abandoned, of those that ended."),
    "time_to_first_review": (
        "Time to the first review",
        "From opening, or ready for review, to the first review by a person.",
    ),
    "time_to_merge": ("Time to the merge", "From opening, or ready for review, to the merge."),
}


def view(asked: PageRequest) -> Sheet:
    """Show rejections, time to the first review and time to the merge, by level."""
    lifts = risk_and_outcome(asked.measured())
    tables = tuple(_table(what, [one for one in lifts if one.what == what]) for what in _TITLES)
    return Sheet("Risk and outcome", _INTRO, (_rejected(lifts), *tables))


def _rejected(lifts: Sequence[RiskLift]) -> Figure:
    mine = {one.level: one for one in lifts if one.what == "rejected"}
    known = [mine[level] for level in LEVELS if level in mine and mine[level].value is not None]
    said = ", ".join(f"{one.level} {percent(one.value)} of {one.n}" for one in known)
    columns = columns_of("level", "share=Rejected", "ended")
    rows = tuple((one.level, Cell(one.value, text=percent(one.value)), one.n) for one in known)
    data = [{"name": one.level, "value": one.value} for one in known]
    draw = chart("shares", data, title="rejected, of those that ended", is_by_level=True)
    return Figure("rejected-share", "Rejected, by risk level", f"Shares: {said}.", draw, columns, rows, _EMPTY)


def _table(what: str, lifts: Sequence[RiskLift]) -> Table:
    columns = columns_of(
        "level", "value=This level", "rest=The others", "lift", "low=From", "high=To", "n=Pull requests", "says"
    )
    shown = percent if what == "rejected" else duration
    rows: tuple[Row, ...] = tuple(
        (
            one.level.replace("_", " "),
            Cell(one.value, text=shown(one.value)),
            Cell(one.rest, text=shown(one.rest)),
            *(Cell(each, text=number(each)) for each in (one.lift, one.low, one.high)),
            Cell(one.n, note=f"vs. {one.num_rest}"),
            _says(one),
        )
        for one in lifts
        if one.n
    )
    title, note = _TITLES[what]
    return Table(what.replace("_", "-"), title, columns, rows, _EMPTY, note)


def _says(one: RiskLift) -> str:
    if one.low is None or one.high is None:
        return "unknown"
    word = "more" if one.low > 1 else "less" if one.high < 1 else "inconclusive"
    return f"{word}, of too few" if one.is_too_few else word


PAGE = Page("lift", "/lift", view, "Risk and outcome", "Risk", is_timed=True)
