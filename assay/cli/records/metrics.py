"""`assay metrics`: what the App knows of pull requests, as figures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.cli.app.store import DATA_DIR, opened_store
from assay.github_app.outcomes.experiments.prompt_texts import LEAST_PREFIX
from assay.github_app.outcomes.metrics.comparing import ComparedRow, before_and_after
from assay.github_app.outcomes.metrics.measures import PullMeasures, measures
from assay.github_app.outcomes.metrics.metric_definitions import DEFINITIONS
from assay.github_app.outcomes.metrics.metric_documents import as_csv, as_json
from assay.github_app.outcomes.metrics.metrics import Bucket, By, MetricRow, metrics
from assay.github_app.outcomes.metrics.risk_over_time import RiskLift, RiskShare, risk_and_outcome, risk_distribution
from assay.github_app.store import Store

_LONGEST = 28


@click.command("metrics")
@DATA_DIR
@click.option("--repo", "repositories", multiple=True, metavar="OWNER/NAME", help="Only this one; may be repeated.")
@click.option(
    "--since", type=click.DateTime(["%Y-%m-%d"]), help="Only pull requests opened on this day or later (UTC)."
)
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), help="Only pull requests opened before this day (UTC).")
@click.option("--by", type=click.Choice([str(one) for one in By]), help="Split by who made it, or under what.")
@click.option("--bucket", type=click.Choice([str(one) for one in Bucket]), help="By the week or month of opening.")
@click.option("--metric", "names", multiple=True, type=click.Choice(list(DEFINITIONS)), help="Only this one.")
@click.option("--risk", type=click.Choice(["levels", "outcomes"]), help="Risk levels, or what became of each, instead.")
@click.option("--prompt-version", metavar="VERSION", help="Before and after this version of the prompt instead.")
@click.option("--format", "format_", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True)
def metrics_command(
    data_dir: Path | None,
    repositories: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    by: str | None,
    bucket: str | None,
    names: tuple[str, ...],
    risk: str | None,
    prompt_version: str | None,
    format_: str,
) -> None:
    """Show what came of pull requests: merged at first review, rounds, CI, comments, repeats, times.

    Each figure comes with its 95 % interval and the number of pull requests it rests on; under 20 it says "too few".
    """
    if risk and prompt_version:
        raise click.UsageError("--risk and --prompt-version are two different tables; ask for one")
    if (by or bucket) and (prompt_version or risk == "outcomes"):
        raise click.UsageError("--prompt-version and --risk outcomes are not split: leave --by and --bucket out")
    with opened_store(data_dir) as store:
        ids = [_repository(store, name) for name in repositories] or None
        found = measures(store, ids, since=_utc(since), until=_utc(until))
    split, span = By(by) if by else None, Bucket(bucket) if bucket else None
    rows: Sequence[Any]
    kind: type
    if risk == "levels":
        rows, kind = risk_distribution(found, by=split, bucket=span), RiskShare
    elif risk == "outcomes":
        rows, kind = risk_and_outcome(found), RiskLift
    elif prompt_version:
        rows, kind = before_and_after(found, _version(found, prompt_version), names or None), ComparedRow
    else:
        rows, kind = metrics(found, by=split, bucket=span, names=names or None), MetricRow
    if format_ != "table":
        click.echo(as_csv(rows, kind) if format_ == "csv" else as_json(rows), nl=format_ == "json")
        return
    _show(found, rows, Console())


def _repository(store: Store, name: str) -> int:
    row = store.repositories.named(name)
    if row is None:
        raise click.UsageError(f"nothing is known of {name}; read its history with `assay sync {name} --since DATE`")
    return row.id


def _version(found: Sequence[PullMeasures], name: str) -> str:
    """The version of this name that a pull request ran under, or the only one whose name begins so."""
    known = {one.prompt_version for one in found if one.prompt_version is not None}
    fit = {name} & known or {one for one in known if len(name) >= LEAST_PREFIX and one.startswith(name)}
    if len(fit) != 1:
        what = f"{len(fit)} versions begin with it" if fit else "no pull request of these ran under it"
        raise click.UsageError(f"--prompt-version: {what}; `assay prompts list` shows them")
    return fit.pop()


def _utc(day: datetime | None) -> datetime | None:
    return None if day is None else day.replace(tzinfo=UTC)


def _show(found: Sequence[PullMeasures], rows: Sequence[Any], console: Console) -> None:
    if not found:
        console.print("No pull request is known. `assay sync OWNER/NAME --since DATE` reads them from GitHub.")
        return
    if not rows:
        console.print("Nothing to show: no pull request fits.")
        return
    table = Table(box=None, pad_edge=False)
    shown = [_shown(row) for row in rows]
    kept = [name for name in shown[0] if any(row[name] for row in shown)]
    for name in kept:
        table.add_column(name, justify="left" if name in _LEFT else "right", overflow="fold")
    for row in shown:
        table.add_row(*(Text(row[name]) for name in kept))
    console.print(table)
    console.print(Text(f"\n{len(found)} pull requests. {FEW_WORDS}", style="dim"))


FEW_WORDS = "Intervals are of 95 %; `too few`: under 20, so conclude nothing."
_LEFT = {"metric", "of", "in", "better", "what", "level", "says"}


def _shown(row: Any) -> dict[str, str]:
    """A row as the table shows it."""
    if isinstance(row, MetricRow):
        return {
            "metric": row.metric,
            "of": _cut(row.split),
            "in": row.bucket or "",
            "value": figure(row.value, row.unit),
            "interval": _interval(row.low, row.high, row.unit, is_too_few=row.is_too_few),
            "n": str(row.n),
            "unknown": str(row.num_unknown or ""),
            "better": {"up": "↑", "down": "↓"}.get(row.better, ""),
        }
    if isinstance(row, ComparedRow):
        return {
            "metric": row.metric,
            "before": figure(row.before, row.unit),
            "n before": str(row.num_before),
            "after": figure(row.after, row.unit),
            "n after": str(row.num_after),
            "difference": figure(row.difference, row.unit, is_signed=True),
            "interval": _interval(row.low, row.high, row.unit, is_signed=True),
            "says": str(row.moved).replace("_", " "),
        }
    if isinstance(row, RiskShare):
        return {
            "level": row.level,
            "of": _cut(row.split),
            "in": row.bucket or "",
            "number": str(row.num),
            "share": figure(row.share, "share"),
            "interval": _interval(row.low, row.high, "share", is_too_few=row.is_too_few),
            "n": str(row.n),
        }
    unit = "share" if row.what == "rejected" else "s"
    return {
        "what": row.what,
        "level": row.level,
        "value": figure(row.value, unit),
        "others": figure(row.rest, unit),
        "lift": figure(row.lift, "x"),
        "interval": _interval(row.low, row.high, "x", is_too_few=row.is_too_few),
        "n": str(row.n),
        "n others": str(row.num_rest),
    }


def figure(value: float | None, unit: str, *, is_signed: bool = False) -> str:
    """A value as people read it: a share in per cent, seconds in the unit that fits."""
    if value is None:
        return "-"
    sign = "+" if is_signed and value > 0 else ""
    if unit == "share":
        return f"{sign}{value * 100:.1f} %"
    if unit == "s":
        size, name = next(((s, n) for s, n in ((86_400, "d"), (3_600, "h"), (60, "min")) if abs(value) >= s), (1, "s"))
        return f"{sign}{value / size:.1f} {name}"
    return f"{sign}{value:.2f}{' x' if unit == 'x' else ''}"


def _interval(
    low: float | None, high: float | None, unit: str, *, is_too_few: bool = False, is_signed: bool = False
) -> str:
    if is_too_few:
        return "too few"
    if low is None or high is None:
        return ""
    return f"{figure(low, unit, is_signed=is_signed)} to {figure(high, unit, is_signed=is_signed)}"


def _cut(text: str | None) -> str:
    plain = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text or "")
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1]}…"
