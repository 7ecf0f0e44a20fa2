"""`assay jobs`: what the App is doing, what waits, and what it gave up on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.github_app.settings import read_settings
from assay.github_app.store import Store

DATA_DIR = click.option("--data-dir", type=click.Path(path_type=Path), help="Default: ASSAY_DATA_DIR, or ./assay-data.")


@click.group("jobs")
def jobs_command() -> None:
    """Show what the GitHub App is doing, and release what it gave up on."""


@jobs_command.command("list")
@DATA_DIR
@click.option("--format", "format_", type=click.Choice(["table", "json"]), default="table", show_default=True)
def list_command(data_dir: Path | None, format_: str) -> None:
    """List workers, runs that have not ended, deliveries by state, and the deliveries that were parked."""
    with _store(data_dir) as store:
        seen = _seen(store)
    if format_ == "json":
        click.echo(json.dumps(seen, indent=2, default=str))
        return
    console = Console()
    for title, rows in seen.items():
        console.print(Text(f"{title} ({len(rows)})" if isinstance(rows, list) else title, style="bold"))
        console.print(_table(rows if isinstance(rows, list) else [rows]))


@jobs_command.command("release")
@DATA_DIR
@click.option("--all", "everything", is_flag=True, help="Every parked delivery.")
@click.argument("delivery", nargs=-1)
def release_command(data_dir: Path | None, everything: bool, delivery: tuple[str, ...]) -> int:
    """Have parked deliveries tried again, by their ids.

    Exit code: 0 each was released, 1 one of them is not parked.
    """
    if everything == bool(delivery):
        raise click.UsageError("say which: ids of deliveries, or --all")
    with _store(data_dir) as store:
        names = [row.id for row in store.deliveries.parked(limit=10_000)] if everything else list(delivery)
        missed = [name for name in names if not store.deliveries.release(name, datetime.now(UTC))]
    click.echo(f"released: {len(names) - len(missed)}")
    for name in missed:
        click.echo(f"not parked: {name!r}", err=True)
    return 1 if missed else 0


@contextmanager
def _store(data_dir: Path | None) -> Iterator[Store]:
    settings = read_settings(**({"data_dir": data_dir} if data_dir else {}))
    file = settings.store_url().removeprefix("sqlite:///")
    if settings.store_url().startswith("sqlite") and not Path(file).is_file():
        raise click.UsageError(f"there is no App here: no {file}; see --data-dir")
    with Store.open(settings.store_url(), migrate=False) as store:
        yield store


def _seen(store: Store) -> dict[str, Any]:
    now = datetime.now(UTC)
    return {
        "Workers": [
            {"name": row.executor, "host": row.host, "pid": row.pid, "seen": _ago(now, row.renewed_at)}
            for row in store.leases.all()
        ],
        "Runs": [
            {
                "run": row.id,
                "state": str(row.state),
                "repository": row.repository_id,
                "pull request": row.number,
                "head": row.head_sha[:12],
                "worker": row.executor,
            }
            for row in store.runs.unended()
        ],
        "Deliveries": {str(state): count for state, count in store.deliveries.counts().items()},
        "Parked": [
            {
                "delivery": row.id,
                "event": f"{row.event}.{row.action}" if row.action else row.event,
                "where": f"{row.repository}#{row.number}" if row.number else row.repository,
                "tries": row.attempt,
                "error": row.error,
            }
            for row in store.deliveries.parked()
        ],
    }


def _ago(now: datetime, then: datetime) -> str:
    return f"{(now - then).total_seconds():.0f} s ago"


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in rows[0] if rows else ():
        table.add_column(name, overflow="fold")
    for row in rows:
        # What strangers named is text, whatever brackets it has.
        table.add_row(*(Text("" if value is None else str(value)) for value in row.values()))
    return table
