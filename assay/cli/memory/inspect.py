"""The command `assay memory inspect`: contents and health of a memory store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from assay.cli.display.outputs import STDOUT, PairedCommand, outputs_of, write
from assay.memory_eval import inspect_memory, inspection_html, inspection_json, inspection_text, show_inspection

SUFFIXES = {".json": "json", ".html": "html", ".txt": "terminal"}
RENDERERS = {"terminal": inspection_text, "json": inspection_json, "html": inspection_html}


@click.command("inspect", cls=PairedCommand, short_help="Show what a memory store contains, and its health")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--mapping",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="YAML file with table and columns of any SQLite file.",
)
@click.option(
    "-f", "--format", "formats", multiple=True, type=click.Choice(list(RENDERERS)), help="Output format, repeatable."
)
@click.option(
    "-o", "--output", "files", multiple=True, metavar="FILE", help="Output file; its suffix is the default format."
)
@click.pass_context
def inspect_command(
    ctx: click.Context,
    path: Path,
    mapping: Path | None,
    formats: Sequence[str],  # noqa: ARG001 - read in order by `outputs_of`
    files: Sequence[str],  # noqa: ARG001
) -> int:
    """Show what a memory store contains, and its health.

    Nothing in the store runs or changes: SQLite and Kuzu databases are opened as private copies, other files are read
    where they are. Secrets are replaced. Exit code: 0 read, 2 not a readable memory.
    """
    outputs = outputs_of(ctx, SUFFIXES)
    inspection = inspect_memory(path, mapping)
    for output in outputs:
        if output.format == "terminal" and output.path == STDOUT:
            show_inspection(inspection, Console())
        else:
            write(output.path, RENDERERS[output.format](inspection))
    return 0
