"""Page of risk over time: levels by week, and risk factors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay.github_app.outcomes.metrics.measures import PullMeasures
from assay.github_app.outcomes.metrics.metrics import Bucket, By
from assay.github_app.outcomes.metrics.risk_over_time import LEVELS, risk_distribution
from assay.github_app.web.dashboard.content import spans
from assay.github_app.web.dashboard.content.blocks import Cell, Figure, Row, Sheet, Table, chart, columns_of
from assay.github_app.web.dashboard.pages.page import Page, PageRequest

_EMPTY = "No pull request was validated in this period. Choose a longer period, or open a pull request."
_INTRO = "Each pull request counts once, in the week it was opened, at the level of its newest validated head."


def view(asked: PageRequest) -> Sheet:
    """Show the levels by week and repository, and their signals."""
    measured = asked.measured()
    blocks = (_by_week(measured), _set_by(measured), _signals(asked), _by_repository(measured))
    return Sheet("Risk over time", _INTRO, blocks)


def _by_week(measured: Sequence[PullMeasures]) -> Figure:
    shares = risk_distribution(measured, bucket=Bucket.week)
    counted = {(one.bucket, one.level): one.num for one in shares}
    weeks = spans.buckets(one.bucket for one in shares if one.bucket)
    data = [{"week": week, "level": level, "num": counted.get((week, level), 0)} for week in weeks for level in LEVELS]
    totals = {level: sum(one.num for one in shares if one.level == level) for level in LEVELS}
    words = "Pull requests by week and risk level. In all: " + ", ".join(
        f"{num} {level}" for level, num in totals.items()
    )
    columns = columns_of("week", *LEVELS)
    rows: tuple[Row, ...] = tuple((week, *(counted.get((week, level), 0) for level in LEVELS)) for week in weeks)
    draw = chart("stacked", data, "week", "num", "level", title="pull requests")
    return Figure("risk-by-week", "Risk by week", f"{words}.", draw, columns, rows, _EMPTY)


def _set_by(measured: Sequence[PullMeasures]) -> Table:
    """Return each level's share of the pull requests, and what set it."""
    validated = [one for one in measured if one.risk_level in LEVELS]
    rows: list[Row] = []
    for level in LEVELS:
        mine = [one for one in validated if one.risk_level == level]
        share = len(mine) / len(validated) if validated else 0.0
        counted = Counter(one.set_by for one in mine)
        by = (counted["likelihood",], counted["policy",], counted["likelihood", "policy"])
        rows.append((level, Cell(share, text=f"{share:.0%}", note=str(len(mine))), *by))
    columns = columns_of("level", "share", "likelihood", "policy", "both=Both")
    note = "Low is set by neither; the history of earlier versions does not say which it was."
    return Table("set-by", "What set the level", columns, tuple(rows) if validated else (), _EMPTY, note)


def _signals(asked: PageRequest) -> Figure:
    counted = asked.store.listings.signals(asked.ids, asked.since)
    totals = Counter[str]()
    for (name, _), num in counted.items():
        totals[name] += num
    names = sorted(totals, key=lambda name: (-totals[name], name))
    data = [
        {"signal": name, "level": level, "num": counted.get((name, level), 0)}
        for name in names
        for level in LEVELS
        if counted.get((name, level))
    ]
    columns = columns_of("signal", *LEVELS, "fact")
    rows: tuple[Row, ...] = tuple(
        (name, *(counted.get((name, level), 0) for level in (*LEVELS, None))) for name in names
    )
    said = ", ".join(f"{name} {totals[name]}" for name in names[:8])
    note = "Pull requests whose newest verdict has the signal; one can have several. A fact has no level: no bar."
    words = f"Most often: {said}." if said else ""
    draw = chart("layers", data, "signal", "num", "level", title="pull requests")
    return Figure("signals", "Risk factors", words, draw, columns, rows, _EMPTY, note)


def _by_repository(measured: Sequence[PullMeasures]) -> Table:
    columns = columns_of("repository", "validated", *LEVELS)
    shares = risk_distribution(measured, by=By.repository)
    rows: list[Row] = []
    for name in dict.fromkeys(one.split for one in shares):
        mine = {one.level: one for one in shares if one.split == name}
        few = "too few" if mine["low"].is_too_few else ""
        cells = (
            Cell(mine[level].share, text=f"{mine[level].share:.0%}", note=str(mine[level].num)) for level in LEVELS
        )
        rows.append((name, Cell(mine["low"].n, note=few), *cells))
    return Table(
        "by-repository", "By repository", columns, tuple(rows), _EMPTY, "Shares of fewer than 20 are unreliable."
    )


PAGE = Page("risk", "/risk", view, "Risk over time", "Risk", is_timed=True)
