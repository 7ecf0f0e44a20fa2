"""What `assay risk evaluate` prints: rates and lift by level, ranking, and calibration."""

from __future__ import annotations

from typing import Any

from rich.table import Column, Table
from rich.text import Text

from assay.cli.display.drawing import Terminal
from assay.statistics import Interval
from assay.validators import (
    NUM_PAST_NEEDED,
    REFIT_FROM,
    SHIFT_FROM,
    Bin,
    Calibration,
    Evaluation,
    Lift,
    LikelihoodModel,
    RiskLevel,
)

_BAR_WIDTH = 24
_NAMES = {"score": "score", "level": "level", "added": "added lines", "churn": "changed lines"}
_STYLES = {RiskLevel.low: "green", RiskLevel.medium: "yellow", RiskLevel.high: "red", RiskLevel.critical: "bold red"}


def level_text(level: RiskLevel | None) -> Text:
    """Return a level in its color."""
    return Text("too early") if level is None else Text(str(level), style=_STYLES[level])


def print_evaluation(console: Terminal, found: Evaluation, model: LikelihoodModel) -> None:
    """Print the evaluation as tables."""
    if not found.num:
        lacking = f"; {found.num_unknown} lack only the year" if found.num_unknown else ""
        console.print(
            f"No change can be evaluated: it needs {NUM_PAST_NEEDED} changes before it and a year after it{lacking}"
        )
        return
    fixed = sum(lift.hits for lift in found.by_level.values())
    console.print(f"{found.num} changes; {fixed / found.num:.1%} needed a fix within a year")
    console.print(_levels(found, model))
    console.print(_lifts(found))
    ranks = Table("", "AUC", "same size", title="Ranking of the fixed changes by")
    for name, value in found.auc.items():
        ranks.add_row(_NAMES[name], f"{value:.3f}", f"{found.same_size[name]:.3f}")
    console.print(ranks)
    console.print(
        "AUC: chance that a fixed change ranks above another one; 0.5 is a coin. Same size: among changes with about "
        f"as many changed lines. public: fixed in {len(model.repositories)} public repositories. lift: fixed, divided "
        "by the share of all changes."
    )
    _print_calibration(console, found.calibration)


def _levels(found: Evaluation, model: LikelihoodModel) -> Table:
    table = Table("level", *_numbers("changes", "share", "fixed", "95 %", "public"), "")
    for level, lift in found.by_level.items():
        share = lift.share or 0.0
        table.add_row(
            level_text(level),
            str(lift.num),
            f"{lift.num / found.num:.1%}",
            f"{share:.1%}" if lift.num else "",
            _between(lift.share_interval),
            f"{model.rates[level].share:.1%}",
            Text("█" * round(share * _BAR_WIDTH), style=_STYLES[level]),
        )
    return table


def _lifts(found: Evaluation) -> Table:
    table = Table("level", *_numbers("lift", "95 %", "reverted"))
    for level, lift in found.by_level.items():
        table.add_row(
            level_text(level),
            "" if lift.value is None else f"{lift.value:.1f}",
            "" if lift.interval is None else f"{lift.interval.low:.1f}-{lift.interval.high:.1f}",
            f"{found.reverted[level] / lift.num:.1%}" if lift.num else "",
        )
    return table


def _numbers(*names: str) -> list[Column]:
    return [Column(name, justify="right", no_wrap=True) for name in names]


def _between(interval: Interval | None) -> str:
    return "" if interval is None else f"{100 * interval.low:.0f}-{interval.high:.0%}"


def _print_calibration(console: Terminal, found: Calibration) -> None:
    if found.num_outcomes < SHIFT_FROM:
        console.print(f"Likelihood: as shipped; {found.num_outcomes} of {SHIFT_FROM} outcomes needed so far.")
        return
    if found.error_shipped is None or found.error_shifted is None:
        console.print(
            f"Likelihood: shifted from now on, by {found.num_outcomes} outcomes; none was predicted with them."
        )
        return
    columns = _numbers("changes", "predicted", "fixed", "95 %")
    table = Table(*columns, title="Predicted likelihood, shifted by the outcomes known before each change")
    for one in found.shifted:
        table.add_row(str(one.num), f"{one.predicted:.1%}", f"{one.observed:.1%}", _between(one.interval))
    console.print(table)
    console.print(
        f"Expected calibration error: {found.error_shipped:.3f} as shipped, {found.error_shifted:.3f} shifted by the "
        "repository's own outcomes."
    )
    if found.refit is None:
        console.print(
            f"Weights: as shipped; {found.num_fixed} changes needed a fix, {REFIT_FROM} are needed to fit them here."
        )
        return
    refit, used = found.refit, "fitted here" if found.refit.is_used else "as shipped"
    console.print(
        f"Weights in use: {used}. AUC of the {refit.num} changes scored by both: {refit.auc_shipped:.3f} as shipped, "
        f"{refit.auc_refitted:.3f} by weights fitted to the outcomes before each."
    )


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
        "calibration": _calibration_data(found.calibration),
    }


def _lift_data(lift: Lift) -> dict[str, Any]:
    return {
        "num": lift.num,
        "fixed": lift.hits,
        "interval": _pair(lift.share_interval),
        "lift": _rounded(lift.value),
        "lift_interval": _pair(lift.interval),
    }


def _calibration_data(found: Calibration) -> dict[str, Any]:
    refit = found.refit
    return {
        "num_outcomes": found.num_outcomes,
        "num_fixed": found.num_fixed,
        "num_needed": SHIFT_FROM,
        "error_shipped": _rounded(found.error_shipped),
        "error_shifted": _rounded(found.error_shifted),
        "reliability_shipped": [_bin_data(one) for one in found.shipped],
        "reliability_shifted": [_bin_data(one) for one in found.shifted],
        "refit": None
        if refit is None
        else {
            "num": refit.num,
            "num_fixed": refit.num_fixed,
            "auc_shipped": _rounded(refit.auc_shipped),
            "auc_refitted": _rounded(refit.auc_refitted),
        },
        "weights": "refitted" if refit is not None and refit.is_used else "shipped",
    }


def _bin_data(one: Bin) -> dict[str, Any]:
    return {
        "num": one.num,
        "predicted": _rounded(one.predicted),
        "observed": _rounded(one.observed),
        "interval": _pair(one.interval),
    }


def _pair(interval: Interval | None) -> list[float | None] | None:
    return None if interval is None else [_rounded(interval.low), _rounded(interval.high)]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
