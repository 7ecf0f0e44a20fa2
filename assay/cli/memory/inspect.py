"""The command `assay memory inspect`: contents and health of a memory store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from assay.cli.display.outputs import PairedCommand, outputs_of
from assay.cli.memory.outputs import REPORT_SUFFIXES, format_option, output_option, publish
from assay.memory_eval import inspect_memory


@click.command("inspect", cls=PairedCommand, short_help="Show what a memory store contains, and its health")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--mapping",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="YAML file with table and columns of any SQLite file.",
)
@format_option
@output_option
@click.pass_context
def inspect_command(
    ctx: click.Context,
    path: Path,
    mapping: Path | None,
    formats: Sequence[str],  # noqa: ARG001 - read in order by `outputs_of`
    files: Sequence[str],  # noqa: ARG001
) -> int:
    """Show what a memory store contains, and its health.

    Nothing in the store runs or changes: SQLite databases are opened as private copies, other files are read where they
    are. Secrets are replaced. Exit code: 0 read, 2 not a readable memory.
    """
    publish(inspect_memory(path, mapping), outputs_of(ctx, REPORT_SUFFIXES))
    return 0
