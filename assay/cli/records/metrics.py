"""The command `assay metrics`: figures about pull requests."""

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
from assay.github_app.outcomes.metrics.blocked import BlockedRate, blocked
from assay.github_app.outcomes.metrics.comparing import ComparedRow, before_and_after
from assay.github_app.outcomes.metrics.measures import PullMeasures, incomplete, measures
from assay.github_app.outcomes.metrics.metric_definitions import DEFINITIONS
from assay.github_app.outcomes.metrics.metric_documents import as_csv, as_json
from assay.github_app.outcomes.metrics.metrics import Bucket, By, MetricRow, metrics
from assay.github_app.outcomes.metrics.review_rates import ReviewRate, review_rates
from assay.github_app.outcomes.metrics.risk_over_time import RiskLift, RiskShare, risk_and_outcome, risk_distribution
from assay.github_app.outcomes.prompt_texts import LEAST_PREFIX
from assay.github_app.store import Store
from assay.validators import as_visible

_LONGEST = 28
NO_MATCH = "No pull request matches."


@click.command("metrics")
@DATA_DIR
@click.option(
    "--repo", "repositories", multiple=True, metavar="OWNER/NAME", help="Repository, repeatable. Default: all."
)
@click.option(
    "--since", type=click.DateTime(["%Y-%m-%d"]), help="Only pull requests opened on or after this day (UTC)."
)
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), help="Only pull requests opened before this day (UTC).")
@click.option("--by", type=click.Choice([str(one) for one in By]), help="Split by author or condition.")
@click.option("--bucket", type=click.Choice([str(one) for one in Bucket]), help="Split by week or month of opening.")
@click.option(
    "--metric", "names", multiple=True, type=click.Choice(list(DEFINITIONS)), help="Metric, repeatable. Default: all."
)
@click.option("--risk", type=click.Choice(["levels", "outcomes"]), help="Show risk levels or their outcomes instead.")
@click.option("--review", is_flag=True, help="Show outcomes of the model review's findings instead.")
@click.option("--blocked", "shows_blocked", is_flag=True, help="Show what enforce mode would have blocked instead.")
@click.option("--prompt-version", metavar="VERSION", help="Compare before and after this prompt version.")
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
    review: bool,
    shows_blocked: bool,
    prompt_version: str | None,
    format_: str,
) -> None:
    """Show figures about pull requests.

    Metrics are merged at first review, rounds, CI, comments, repeats and times. Each has a 95 % interval and its number
    of pull requests; below 20 it shows "too few".
    """
    if bool(risk) + bool(prompt_version) + review + shows_blocked > 1:
        raise click.UsageError("--risk, --review, --blocked and --prompt-version are mutually exclusive")
    if (by or bucket) and (prompt_version or review or shows_blocked or risk == "outcomes"):
        raise click.UsageError(
            "--by and --bucket do not apply to --prompt-version, --review, --blocked and --risk outcomes"
        )
    with opened_store(data_dir) as store:
        ids = [_repository(store, name) for name in repositories] or None
        found = measures(store, ids, since=_utc(since), until=_utc(until))
        reviewed = store.review_findings.first_seen(ids, _utc(since), _utc(until)) if review else ()
        verdicts = store.listings.verdicts(ids, _utc(since), _utc(until)) if shows_blocked else ()
        _warn(store.repositories.history_since(ids, _utc(since)))
    split, span = By(by) if by else None, Bucket(bucket) if bucket else None
    rows: Sequence[Any]
    kind: type
    if review:
        rows, kind = review_rates(reviewed), ReviewRate
    elif shows_blocked:
        rows, kind = blocked(verdicts), BlockedRate
    elif risk == "levels":
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
    if shows_blocked:
        _show(verdicts, rows, "pull requests with a verdict", Console())
        return
    _show(reviewed if review else found, rows, "findings" if review else "pull requests", Console())


def _repository(store: Store, name: str) -> int:
    row = store.repositories.named(name)
    if row is None:
        raise click.UsageError(f"unknown repository {name}; import its history with `assay sync {name} --since DATE`")
    return row.id


def _version(found: Sequence[PullMeasures], name: str) -> str:
    """Return the prompt version of this name, or the only one with this prefix."""
    known = {one.prompt_version for one in found if one.prompt_version is not None}
    fit = {name} & known or {one for one in known if len(name) >= LEAST_PREFIX and one.startswith(name)}
    if len(fit) != 1:
        what = f"{len(fit)} versions begin with it" if fit else "no selected pull request used it"
        raise click.UsageError(f"--prompt-version: {what}; `assay prompts list` shows them")
    return fit.pop()


def _warn(begins: datetime | None) -> None:
    if begins is not None:
        click.echo(incomplete(begins), err=True)


def _utc(day: datetime | None) -> datetime | None:
    return None if day is None else day.replace(tzinfo=UTC)


def _show(found: Sequence[Any], rows: Sequence[Any], of: str, console: Console) -> None:
    if not found and of == "pull requests":
        console.print("No pull requests. Import them with `assay sync OWNER/NAME --since DATE`.")
        return
    if not rows:
        console.print(NO_MATCH)
        return
    table = Table(box=None, pad_edge=False)
    shown = [_shown(row) for row in rows]
    kept = [name for name in shown[0] if any(row[name] for row in shown)]
    for name in kept:
        table.add_column(name, justify="left" if name in _LEFT else "right", overflow="fold")
    for row in shown:
        table.add_row(*(Text(row[name]) for name in kept))
    console.print(table)
    console.print(Text(f"\n{len(found)} {of}. {FEW_WORDS}", style="dim"))


FEW_WORDS = "Intervals are of 95 %; `too few`: under 20, so conclude nothing."
_LEFT = frozenset("repository example question prompt outcome metric of in better what level says".split())


def _shown(row: Any) -> dict[str, str]:
    """Convert a row to table cells."""
    if isinstance(row, MetricRow):
        return {
            "metric": row.metric,
            "of": as_visible(row.split or "", _LONGEST),
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
            "of": as_visible(row.split or "", _LONGEST),
            "in": row.bucket or "",
            "number": str(row.num),
            "share": figure(row.share, "share"),
            "interval": _interval(row.low, row.high, "share", is_too_few=row.is_too_few),
            "n": str(row.n),
        }
    if isinstance(row, BlockedRate):
        return {
            "repository": as_visible(row.repository, _LONGEST),
            "verdicts": str(row.n),
            "failing": str(row.num_failing),
            "held": str(row.num_held),
            "of them merged": str(row.num_merged),
            "example": as_visible(row.examples, 3 * _LONGEST),
        }
    if isinstance(row, ReviewRate):
        return {
            "question": as_visible(row.question, _LONGEST),
            "prompt": as_visible(row.prompt, _LONGEST),
            "outcome": row.outcome.replace("_", " "),
            "number": str(row.num),
            "n": str(row.n),
            "share": figure(row.share, "share"),
            "interval": _interval(row.low, row.high, "share", is_too_few=row.is_too_few),
            "withdrawn": str(row.num_withdrawn or ""),
            "standing": str(row.num_standing or ""),
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
    """Format a value: a share in per cent, seconds in a fitting unit."""
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
