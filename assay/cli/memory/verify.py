"""The command `assay memory verify`: check a secret exam's report against its commitment."""

from __future__ import annotations

from pathlib import Path

import click

from assay.escape import visible
from assay.memory_eval import read_report, verify_report

MOST_SHOWN = 20


@click.command("verify", short_help="Check the report of a secret exam")
@click.argument("report", type=click.Path(path_type=Path))
def verify_command(report: Path) -> int:
    """Check the report of a secret exam.

    It draws the exam again from the salt, checks the commitment, grades the recorded answers again and compares the
    scores. Exit code: 0 all as reported, 1 something differs, 2 usage, or a report that cannot be verified.
    """
    read = read_report(report)
    differences = verify_report(read)
    for line in differences[:MOST_SHOWN]:
        click.echo(visible(line))
    if len(differences) > MOST_SHOWN:
        click.echo(f"and {len(differences) - MOST_SHOWN} more differences")
    if differences:
        return 1
    click.echo(visible(f"verified: commitment {read.commitment}, {len(read.results)} answers graded again"))
    if read.memory is not None:
        click.echo("not verified: the figures of the memory, as the report does not contain the store")
    if not read.comparable:
        click.echo(visible(f"not comparable: {read.why_not_comparable}"))
    return 0
