"""The command `assay prompts`: versions of agents' instructions."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from assay.cli.app.store import DATA_DIR, FORMAT, REPOSITORY, known, opened_store, table_of, usage_errors
from assay.github_app.outcomes.prompt_texts import (
    ListedVersion,
    NoVersion,
    as_text,
    difference,
    exported_files,
    version_named,
    versions,
)
from assay.github_app.store import PromptVersionRow, Store
from assay.validators import as_visible, as_visible_lines

MOST_PULLS = 8


@click.group("prompts")
def prompts_command() -> None:
    """List and export the versions of agents' instructions."""


@prompts_command.command("list")
@DATA_DIR
@FORMAT
@REPOSITORY
def list_command(data_dir: Path | None, format_: str, repository: str) -> None:
    """List the versions with their pull requests, oldest first."""
    with opened_store(data_dir) as store:
        row = known(store, repository)
        found = versions(store, row.id)
    if format_ == "json":
        rows = [{**asdict(one), "first_seen_at": one.first_seen_at.isoformat()} for one in found]
        click.echo(json.dumps({"repository": row.full_name, "versions": rows}, indent=2))
        return
    Console().print(table_of([_row(one) for one in found]) if found else Text("no versions"))


@prompts_command.command("show")
@DATA_DIR
@REPOSITORY
@click.argument("version")
def show_command(data_dir: Path | None, repository: str, version: str) -> None:
    """Show the texts of a version."""
    with opened_store(data_dir) as store:
        row = _version(store, repository, version)
    click.echo(f"{as_visible(row.version)} ({row.source}, first seen {row.first_seen_at:%Y-%m-%d %H:%M} UTC)")
    if not row.texts:
        click.echo("its text is unknown: the version was only declared")
    for path, text in sorted(row.texts.items()):
        click.echo(f"\n== {as_visible(path)}")
        for line in as_visible_lines(text.splitlines(), 2000):
            click.echo(line)


@prompts_command.command("diff")
@DATA_DIR
@REPOSITORY
@click.argument("before")
@click.argument("after")
def diff_command(data_dir: Path | None, repository: str, before: str, after: str) -> int:
    """Show a unified diff of two versions.

    Exit code: 0 equal, 1 different.
    """
    with opened_store(data_dir) as store:
        diffs = difference(_version(store, repository, before), _version(store, repository, after))
    click.echo(as_text(diffs), nl=False)
    return 1 if diffs else 0


@prompts_command.command("export")
@DATA_DIR
@REPOSITORY
@click.argument("version")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path, file_okay=False), help="A new folder.")
@usage_errors(NoVersion)
def export_command(data_dir: Path | None, repository: str, version: str, output: Path) -> None:
    """Write the files of a version to a folder.

    To return to the version, commit them with the printed trailer. The folder must be new or empty.
    """
    with opened_store(data_dir) as store:
        row = _version(store, repository, version)
    try:
        if output.exists() and any(output.iterdir()):
            raise click.UsageError(f"{output} is not empty; name a new folder")
        files = list(exported_files(row))
        for path, text in files:
            target = output / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise click.UsageError(f"{output}: cannot be written ({error.strerror})") from None
    click.echo(f"{len(files)} files of {as_visible(row.version)} are in {output}; commit them with the trailer:")
    click.echo(f"Prompt-Version: {as_visible(row.version)}")


def _version(store: Store, repository: str, name: str) -> PromptVersionRow:
    with usage_errors(NoVersion):
        return version_named(store, known(store, repository).id, name)


def _row(one: ListedVersion) -> dict[str, object]:
    shown = ", ".join(f"#{number}" for number in one.pulls[:MOST_PULLS])
    more = f" and {len(one.pulls) - MOST_PULLS} more" if len(one.pulls) > MOST_PULLS else ""
    return {
        "version": as_visible(one.version, 24),
        "from": one.source,
        "first seen": f"{one.first_seen_at:%Y-%m-%d}",
        "files": as_visible(", ".join(one.paths), 60),
        "tasks": one.num_tasks,
        "pull requests": shown + more,
    }
