"""The command `assay insights`: list, group and moderate insights from tasks."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from assay.cli.app.store import DATA_DIR, REPOSITORY, known, opened_store, settings_at
from assay.github_app.ops.embedder import embedder_of
from assay.github_app.outcomes import find_insights, proposal_of, themes_of
from assay.github_app.store import InsightRow, InsightType, RepositoryRow, Store
from assay.validators import as_visible

MOST_LISTED = 200
FORMAT = click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
NO_MATCH = "no insight matches"


@click.group("insights")
def insights_command() -> None:
    """Show what agents lacked and why their tasks failed."""


@insights_command.command("list")
@DATA_DIR
@click.option("--query", "-q", metavar="TEXT", help="Search text; best match first.")
@click.option(
    "--type", "kind", type=click.Choice([str(one) for one in InsightType]), help="Only insights of this type."
)
@click.option("--limit", type=click.IntRange(1, MOST_LISTED), default=20, show_default=True)
@click.option("--untrusted", is_flag=True, help="Include insights that are not delivered to agents.")
@FORMAT
@REPOSITORY
def list_command(
    data_dir: Path | None,
    query: str | None,
    kind: str | None,
    limit: int,
    untrusted: bool,
    format_: str,
    repository: str,
) -> None:
    """List a repository's insights, newest first or by --query."""
    is_trusted = None if untrusted else True
    with opened_store(data_dir) as store:
        row = known(store, repository)
        if query is None:
            found = store.insights.newest(row.id, limit, insight_type=kind, is_trusted=is_trusted)
        else:
            embedder = embedder_of(settings_at(data_dir))
            found = find_insights(
                store, row.id, query, embedder=embedder, limit=limit, insight_type=kind, is_trusted=is_trusted
            )
    if format_ == "json":
        click.echo(json.dumps([asdict(one) for one in found], indent=2, default=str))
        return
    for one in found:
        click.echo(_line(one))
    if not found and (query or kind):
        click.echo(NO_MATCH)
    elif not found:
        click.echo("no insights are delivered to agents; --untrusted lists those that wait for a maintainer")


@insights_command.command("themes")
@DATA_DIR
@FORMAT
@click.option("--proposal", is_flag=True, help="Print a draft for an instruction file, for review.")
@REPOSITORY
def themes_command(data_dir: Path | None, format_: str, proposal: bool, repository: str) -> None:
    """Group insights into themes seen in two or more tasks."""
    with opened_store(data_dir) as store:
        row = known(store, repository)
        found = themes_of(store, row.id, embedder=embedder_of(settings_at(data_dir)), is_for_people=True)
    if proposal:
        click.echo(proposal_of(found), nl=False)
    elif format_ == "json":
        click.echo(json.dumps([asdict(theme) for theme in found], indent=2, default=str))
    else:
        for theme in found:
            click.echo(f"{theme.num_tasks} tasks  {theme.last_at:%Y-%m-%d}  {theme.title}")
        if not found:
            click.echo("no themes: nothing was reported in two tasks yet")


@insights_command.command("trust")
@DATA_DIR
@click.option("--not", "why_not", metavar="WHY", help="Stop delivering it to agents, with the reason.")
@REPOSITORY
@click.argument("insight_id", metavar="ID")
def trust_command(data_dir: Path | None, why_not: str | None, repository: str, insight_id: str) -> int:
    """Choose whether an insight is delivered to agents.

    Exit code: 0 done, 1 unknown insight.
    """
    with opened_store(data_dir) as store:
        if why_not is not None and not why_not.strip():
            raise click.UsageError("--not: a reason is required")
        if not _is_of(store, known(store, repository), insight_id):
            return _missing(insight_id)
        store.insights.trust(insight_id, why_not=why_not)
    click.echo(f"{insight_id}: {'not ' if why_not else ''}delivered to agents")
    return 0


@insights_command.command("purge")
@DATA_DIR
@REPOSITORY
@click.argument("insight_id", metavar="ID")
def purge_command(data_dir: Path | None, repository: str, insight_id: str) -> int:
    """Delete an insight permanently.

    Exit code: 0 done, 1 unknown insight.
    """
    with opened_store(data_dir) as store:
        if not _is_of(store, known(store, repository), insight_id):
            return _missing(insight_id)
        store.insights.purge(insight_id)
    click.echo(f"{insight_id}: deleted")
    return 0


def _is_of(store: Store, repository: RepositoryRow, insight_id: str) -> bool:
    row = store.insights.get(insight_id)
    return row is not None and row.repository_id == repository.id


def _missing(insight_id: str) -> int:
    click.echo(f"unknown insight {insight_id!r} in this repository", err=True)
    return 1


def _line(row: InsightRow) -> str:
    task = as_visible(row.task_id, 100) if row.task_id else f"#{row.number}"
    parts: list[Any] = [row.id, f"{row.at:%Y-%m-%d}", row.insight_type, task]
    mark = "" if row.is_trusted else f"[not trusted: {as_visible(row.why_not or '', 100)}] "
    return "  ".join(map(str, parts)) + f"  {mark}{as_visible(row.text, 400)}"
