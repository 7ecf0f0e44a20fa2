"""Page of risk: levels by week, what set them, risk signals, and what became of risky pull requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from assay.github_app.outcomes.metrics.measures import PullMeasures
from assay.github_app.outcomes.metrics.metrics import FEW, Bucket, By, split_of
from assay.github_app.outcomes.metrics.risk_over_time import (
    LEVELS,
    RiskLift,
    RiskShare,
    likelihood_outcomes,
    risk_and_outcome,
    risk_distribution,
)
from assay.github_app.outcomes.record.follow_up_fixes import FIX_WITHIN
from assay.github_app.web.dashboard.content import spans
from assay.github_app.web.dashboard.content.blocks import (
    Cell,
    Contents,
    Figure,
    Row,
    Sheet,
    Table,
    chart,
    columns_of,
)
from assay.github_app.web.dashboard.content.figures import duration, number, percent
from assay.github_app.web.dashboard.pages.page import Page, PageRequest
from assay.validators import Lift, RiskLevel

MOST_BY_POLICY = 0.1
"""Share of a repository's pull requests that policy floors may make critical: more, and a hold says little."""
TOO_OFTEN = "too often: narrow the paths"
_EMPTY = "No pull request was validated in this period. Choose a longer period, or open a pull request."
_NO_SIGNALS = "No pull request whose newest verdict is of this period has a risk signal."
_NONE_ENDED = (
    "No validated pull request has ended in this period. Once some are merged or closed, this page compares them."
)
_INTRO = (
    "Each pull request counts once, in the week it was opened, at the level of its newest validated head. Lift "
    "compares one level with all the others: 2 means twice as often, or twice as long. "
    "Only where its interval leaves out 1 is the difference more than chance would explain."
)
_TITLES = {
    "rejected": ("Rejected", "Closed without a merge, or abandoned, of those that ended."),
    "time_to_first_review": (
        "Time to the first review",
        "From opening, or ready for review, to the first review by a person.",
    ),
    "time_to_merge": ("Time to the merge", "From opening, or ready for review, to the merge."),
}


def view(asked: PageRequest) -> Sheet:
    """Show the levels by week and group, their signals, and what became of each level and likelihood."""
    measured = asked.measured()
    lifts = risk_and_outcome(measured)
    blocks: tuple[Table | Figure, ...] = (
        _by_week(measured, asked.ends(Bucket.week)),
        _set_by(measured),
        _signals(asked),
        _by(measured, By.repository),
        _by(measured, By.user),
        _by(measured, By.prompt_version),
        *(_outcome(what, [one for one in lifts if one.what == what]) for what in _TITLES),
        _lift(likelihood_outcomes(asked.measures.of(asked.ids, None), asked.now)),
    )
    contents = Contents(tuple((block.title, block.key) for block in blocks))
    return Sheet("Risk", _INTRO, (contents, *blocks))


def _by_week(measured: Sequence[PullMeasures], ends: Sequence[str] = ()) -> Figure:
    shares = risk_distribution(measured, bucket=Bucket.week)
    counted = {(one.bucket, one.level): one.num for one in shares}
    weeks = spans.buckets((one.bucket for one in shares if one.bucket), ends)
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
    columns = columns_of("signal", *LEVELS, "no_level")
    rows: tuple[Row, ...] = tuple(
        (name, *(counted.get((name, level), 0) for level in (*LEVELS, None))) for name in names
    )
    said = ", ".join(f"{name} {totals[name]}" for name in names[:8])
    note = "Pull requests whose newest verdict has the signal; one can have several. What sets no level has no bar."
    words = f"Most often: {said}." if said else ""
    draw = chart("layers", data, "signal", "num", "level", title="pull requests")
    return Figure("signals", "Risk signals", words, draw, columns, rows, _NO_SIGNALS, note)


def _by(measured: Sequence[PullMeasures], by: By) -> Table:
    columns = columns_of(by, "validated", *LEVELS, "policy=Critical by policy")
    shares = risk_distribution(measured, by=by)
    by_policy = Counter(split_of(one, by) for one in measured if _is_critical_by_policy(one))
    rows: list[Row] = []
    for name in dict.fromkeys(one.split for one in shares):
        mine = {one.level: one for one in shares if one.split == name}
        few = "too few" if mine["low"].is_too_few else ""
        cells = (
            Cell(mine[level].share, text=f"{mine[level].share:.0%}", note=str(mine[level].num)) for level in LEVELS
        )
        shown = Cell(name, text=name[:12], kind="code") if name and len(name) == 64 else name
        rows.append((shown, Cell(mine["low"].n, note=few), *cells, _by_policy(by_policy[name], mine["low"])))
    note = f"Shares of fewer than {FEW} are unreliable."
    if by is By.repository:
        note += (
            f" Where policy floors make more than {MOST_BY_POLICY:.0%} of the pull requests critical, narrow the paths "
            "of the configuration (`tier3.paths`, `exclude`)."
        )
    return Table(f"by-{by.replace('_', '-')}", f"By {by.replace('_', ' ')}", columns, tuple(rows), _EMPTY, note)


def _is_critical_by_policy(one: PullMeasures) -> bool:
    return one.risk_level == RiskLevel.critical and "policy" in one.set_by


def _by_policy(num: int, validated: RiskShare) -> Cell:
    share = num / validated.n
    is_often = share > MOST_BY_POLICY and not validated.is_too_few
    return Cell(share, text=f"{share:.0%}", note=TOO_OFTEN if is_often else str(num))


def _outcome(what: str, lifts: Sequence[RiskLift]) -> Table:
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
    return Table(what.replace("_", "-"), title, columns, rows, _NONE_ENDED, note)


def _says(one: RiskLift) -> str:
    if one.low is None or one.high is None:
        return "unknown"
    word = "more" if one.low > 1 else "less" if one.high < 1 else "inconclusive"
    return f"{word}, of too few" if one.is_too_few else word


def _lift(found: Mapping[str, Lift]) -> Figure:
    shown = [(level, lift) for level, lift in found.items() if lift.num]
    columns = columns_of("level", "merged", "fixed=Fixed or reverted", "share", "lift", "low=From", "high=To")
    rows: list[Row] = []
    data = []
    for level, lift in shown:
        low, high = (None, None) if lift.interval is None else (lift.interval.low, lift.interval.high)
        figures = (Cell(each, text=number(each)) for each in (lift.value, low, high))
        rows.append((level, lift.num, lift.hits, Cell(lift.share, text=percent(lift.share)), *figures))
        data.append({"name": level, "value": lift.value, "low": low, "high": high})
    said = ", ".join(f"{level} {number(lift.value)} (n = {lift.num})" for level, lift in shown)
    title = "times the average share that was fixed or reverted"
    draw = chart("shares", data, title=title, is_by_level=True, is_share=False)
    note = (
        "Of all time: merged pull requests by the likelihood of their newest validated head, reverted or followed by "
        f"a fix of the same lines within {FIX_WITHIN.days} days. The interval is of 95 %."
    )
    num = sum(lift.num for _, lift in shown)
    empty = f"No validated pull request was merged at least {FIX_WITHIN.days} days ago."
    if num and not any(lift.hits for _, lift in shown):
        empty = f"None of {num} merged pull requests was fixed or reverted within {FIX_WITHIN.days} days."
        rows = []  # without a fix there is no average to compare with
    return Figure(
        "likelihood-lift", "Likelihood and outcome", f"Lift: {said}.", draw, columns, tuple(rows), empty, note
    )


PAGE = Page("risk", "/risk", view, "Risk", is_timed=True)
