"""What `assay risk evaluate` prints: rates and lift by level, and ranking."""

from __future__ import annotations

from typing import Any

from rich.table import Column, Table
from rich.text import Text

from assay.cli.display.drawing import Terminal
from assay.statistics import Interval
from assay.validators import NUM_PAST_NEEDED, Evaluation, Lift, RiskLevel, likelihood_model

_NAMES = {"score": "score", "level": "level", "added": "added lines", "churn": "changed lines"}
_STYLES = {RiskLevel.low: "green", RiskLevel.medium: "yellow", RiskLevel.high: "red", RiskLevel.critical: "bold red"}


def level_text(level: RiskLevel | None) -> Text:
    """Return a level in its color."""
    return Text("too early") if level is None else Text(str(level), style=_STYLES[level])


def print_evaluation(console: Terminal, found: Evaluation) -> None:
    """Print the evaluation as tables."""
    if not found.num:
        lacking = f"; {found.num_unknown} lack only the year" if found.num_unknown else ""
        console.print(
            f"No change can be evaluated: it needs {NUM_PAST_NEEDED} changes before it and a year after it{lacking}"
        )
        return
    fixed = sum(lift.hits for lift in found.by_level.values())
    console.print(f"{found.num} changes; {fixed / found.num:.1%} needed a fix within a year")
    console.print(_levels(found))
    ranks = Table("", "AUC", "same size", title="Ranking of the fixed changes by")
    for name, value in found.auc.items():
        ranks.add_row(_NAMES[name], f"{value:.3f}", f"{found.same_size[name]:.3f}")
    console.print(ranks)
    console.print(
        "AUC: chance that a fixed change ranks above another one; 0.5 is a coin. Same size: among changes with about "
        f"as many changed lines. public: fixed in {likelihood_model().source}. lift: "
        "fixed, divided by the share of all changes."
    )


def _levels(found: Evaluation) -> Table:
    columns = _numbers("changes", "share", "fixed", "95 %", "public", "lift", "95 %", "reverted")
    table = Table("level", *columns)
    for level, lift in found.by_level.items():
        table.add_row(
            level_text(level),
            str(lift.num),
            f"{lift.num / found.num:.1%}",
            f"{lift.share:.1%}" if lift.share is not None else "",
            _between(lift.share_interval),
            f"{likelihood_model().rates[level].share:.1%}",
            "" if lift.value is None else f"{lift.value:.1f}",
            "" if lift.interval is None else f"{lift.interval.low:.1f}-{lift.interval.high:.1f}",
            f"{found.reverted[level] / lift.num:.1%}" if lift.num else "",
        )
    return table


def _numbers(*names: str) -> list[Column]:
    return [Column(name, justify="right", no_wrap=True) for name in names]


def _between(interval: Interval | None) -> str:
    return "" if interval is None else f"{100 * interval.low:.0f}-{interval.high:.0%}"


def evaluation_data(found: Evaluation) -> dict[str, Any]:
    """Return the evaluation as JSON data."""
    return {
        "num": found.num,
        "num_unknown": found.num_unknown,
        "levels": {
            str(level): {**_lift_data(lift), "reverted": found.reverted[level]}
            for level, lift in found.by_level.items()
        },
        "auc": found.auc,
        "same_size_auc": found.same_size,
    }


def _lift_data(lift: Lift) -> dict[str, Any]:
    return {
        "num": lift.num,
        "fixed": lift.hits,
        "interval": _pair(lift.share_interval),
        "lift": _rounded(lift.value),
        "lift_interval": _pair(lift.interval),
    }


def _pair(interval: Interval | None) -> list[float | None] | None:
    return None if interval is None else [_rounded(interval.low), _rounded(interval.high)]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
