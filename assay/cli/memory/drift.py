"""The command `assay memory drift`: what became of a production memory since its last snapshot."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from assay.cli.display.outputs import PairedCommand, outputs_of
from assay.cli.memory.outputs import REPORT_SUFFIXES, format_option, output_option, publish
from assay.memory_eval import DRIFT_KEY_VARIABLE, memory_drift, read_requests

FAILED = 1


@click.command("drift", cls=PairedCommand, short_help="Compare a production memory with an earlier state")
@click.argument("states", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="[OLD] NEW")
@click.option(
    "--forget", type=click.Path(path_type=Path), metavar="FILE", help="What the memory has to forget, one a line."
)
@click.option(
    "--mapping",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="YAML file with table and columns of any SQLite file.",
)
@click.option("--examples", "with_texts", is_flag=True, help="Name entries by id and text, not by hash.")
@click.option("--fail-on-findings", is_flag=True, help="Exit with 1 if there is a finding.")
@format_option
@output_option
@click.pass_context
def drift_command(
    ctx: click.Context,
    states: Sequence[Path],
    forget: Path | None,
    mapping: Path | None,
    with_texts: bool,
    fail_on_findings: bool,
    formats: Sequence[str],  # noqa: ARG001 - read in order by `outputs_of`
    files: Sequence[str],  # noqa: ARG001
) -> int:
    """Compare a production memory with an earlier state.

    OLD and NEW are stores of any snapshot format; OLD may be the JSON of an earlier comparison, which has no text of
    the memory. Exit code: 0 compared, 1 by --fail-on-findings, 2 not a readable memory.
    """
    if len(states) > 2:
        raise click.UsageError("expected one or two memories: [OLD] NEW")
    outputs = outputs_of(ctx, REPORT_SUFFIXES)
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
