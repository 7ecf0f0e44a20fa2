"""The commands `assay memory inspect` and `drift`: a memory store on disk, and what became of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from assay.cli.display.outputs import Output, PairedCommand
from assay.cli.memory.options import MAPPING, path_option, publish, with_options, with_outputs
from assay.memory_eval import DRIFT_KEY_VARIABLE, inspect_memory, memory_drift, read_requests

FAILED = 1


@click.command("inspect", cls=PairedCommand, short_help="Show what a memory store contains, and its health")
@click.argument("path", type=click.Path(path_type=Path))
@MAPPING
@with_outputs
def inspect_command(path: Path, mapping: Path | None, outputs: Sequence[Output]) -> int:
    """Show what a memory store contains, and its health.

    Nothing in the store runs or changes: SQLite databases are opened as private copies, other files are read where they
    are. Secrets are replaced. Exit code: 0 read, 2 not a readable memory.
    """
    publish(inspect_memory(path, mapping), outputs)
    return 0


@click.command("drift", cls=PairedCommand, short_help="Compare a production memory with an earlier state")
@click.argument("states", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="[OLD] NEW")
@with_options(
    path_option("--forget", metavar="FILE", help="What the memory has to forget, one a line."),
    MAPPING,
    click.option("--examples", "with_texts", is_flag=True, help="Name entries by id and text, not by hash."),
    click.option("--fail-on-findings", is_flag=True, help="Exit with 1 if there is a finding."),
)
@with_outputs
def drift_command(
    states: Sequence[Path],
    forget: Path | None,
    mapping: Path | None,
    with_texts: bool,
    fail_on_findings: bool,
    outputs: Sequence[Output],
) -> int:
    """Compare a production memory with an earlier state.

    OLD and NEW are stores of any snapshot format; OLD may be the JSON of an earlier comparison, which has no text of
    the memory. Exit code: 0 compared, 1 by --fail-on-findings, 2 not a readable memory.
    """
    if len(states) > 2:
        raise click.UsageError("expected one or two memories: [OLD] NEW")
    drift = memory_drift(
        states[-1],
        states[0] if len(states) == 2 else None,
        requests=read_requests(forget) if forget is not None else (),
        mapping=mapping,
        secret_key=os.environ.get(DRIFT_KEY_VARIABLE, ""),
        with_texts=with_texts,
    )
    publish(drift, outputs)
    return FAILED if fail_on_findings and drift.has_findings else 0
