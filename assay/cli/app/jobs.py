"""The command `assay jobs`: list jobs, retry failed ones, and request lost webhooks."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from assay.cli.app.store import DATA_DIR, FORMAT, settings_at, table_of
from assay.github_app.maintenance.dead_letter import dead_letters, release
from assay.github_app.maintenance.missed import KEPT_BY_GITHUB, recovery_job
from assay.github_app.ops.settings import Settings
from assay.github_app.server.worker import opened
from assay.github_app.store import Store
from assay.github_app.web.dashboard import ago

MOST_RETRIED = 10_000
_HEADINGS = {"DeadLetter": "Dead-letter queue"}
"""Table headings that differ from the JSON keys."""


@click.group("jobs")
def jobs_command() -> None:
    """List jobs, retry failed ones, and request lost webhooks."""


@jobs_command.command("list")
@DATA_DIR
@FORMAT
def list_command(data_dir: Path | None, format_: str) -> None:
    """List workers, runs, deliveries and the dead-letter queue."""
    with Store.open(_settings(data_dir).store_url(), migrate=False) as store:
        seen = _seen(store)
    if format_ == "json":
        click.echo(json.dumps(seen, indent=2, default=str))
        return
    console = Console()
    for title, rows in seen.items():
        heading = _HEADINGS.get(title, title)
        console.print(Text(f"{heading} ({len(rows)})" if isinstance(rows, list) else heading, style="bold"))
        console.print(table_of(rows if isinstance(rows, list) else [rows]))


@jobs_command.command("retry")
@DATA_DIR
@click.option("--all", "everything", is_flag=True, help="Retry the whole dead-letter queue.")
@click.argument("job_id", nargs=-1)
def retry_command(data_dir: Path | None, everything: bool, job_id: tuple[str, ...]) -> int:
    """Retry deliveries and runs from the dead-letter queue.

    Exit code: 0 all are retried, 1 an id is not in the queue.
    """
    if everything == bool(job_id):
        raise click.UsageError("give ids from the dead-letter queue, or --all")
    with opened(_settings(data_dir)) as context:
        names = [one.id for one in dead_letters(context.store, MOST_RETRIED)] if everything else list(job_id)
        missed = [name for name in names if not release(context, name)]
    click.echo(f"retried: {len(names) - len(missed)}")
    for name in missed:
        click.echo(f"not in the dead-letter queue: {name!r}", err=True)
    return 1 if missed else 0


@jobs_command.command("recover")
@DATA_DIR
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%dT%H:%M", "%Y-%m-%d"]),
    required=True,
    help="When the backup was made (UTC), at most three days ago.",
)
def recover_command(data_dir: Path | None, since: datetime) -> None:
    """Request the webhooks again that a restored database lacks.

    To GitHub they arrived, so the sweep does not request them. A worker reads GitHub's list of deliveries.
    """
    at, now = since.replace(tzinfo=UTC), datetime.now(UTC)
    if not now - KEPT_BY_GITHUB <= at <= now:
        raise click.UsageError("--since must be within the last three days (UTC): GitHub keeps deliveries no longer")
    with opened(_settings(data_dir)) as context:
        context.queues.put(recovery_job(at, now.isoformat(timespec="seconds")))
    click.echo(f"requested: a worker reads GitHub's list back to {at:%Y-%m-%d %H:%M} UTC")


def _settings(data_dir: Path | None) -> Settings:
    """Return the settings of an App whose database exists; never create one."""
    settings = settings_at(data_dir)
    file = settings.store_url().removeprefix("sqlite:///")
    if settings.store_url().startswith("sqlite") and not Path(file).is_file():
        raise click.UsageError(f"no App database: {file} does not exist; see --data-dir")
    return settings


def _seen(store: Store) -> dict[str, Any]:
    return {
        "Workers": [
            {"name": row.executor, "host": row.host, "pid": row.pid, "seen": ago(row.renewed_at)}
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
        "DeadLetter": [
            {"what": one.kind, "id": one.id, "about": one.about, "since": ago(one.at), "why": one.why}
            for one in dead_letters(store)
        ],
    }
