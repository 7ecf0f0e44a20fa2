"""The commands `assay memory report` and `assay memory merge`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from assay.cli.memory.outputs import (
    REPORT_SUFFIXES,
    exit_code,
    fail_under_option,
    format_option,
    output_option,
    publish,
    publish_folder,
)
from assay.cli.outputs import PairedCommand, outputs_of
from assay.memory_eval import merge_reports, read_report


@click.command("report", cls=PairedCommand, short_help="Render a report in another format")
@click.argument("file", type=click.Path(path_type=Path))
@format_option
@output_option
@fail_under_option
@click.pass_context
def report_command(
    ctx: click.Context,
    file: Path,
    formats: Sequence[str],  # noqa: ARG001 - read in order by `outputs_of`
    files: Sequence[str],  # noqa: ARG001
    fail_under: float | None,
) -> int:
    """Render a report.json on the terminal or in another format.

    Exit code: 0 success, 1 below --fail-under, 2 usage, 3 an invalid run.
    """
    outputs = outputs_of(ctx, REPORT_SUFFIXES)
    report = read_report(file)
    publish(report, outputs)
    return exit_code(report, fail_under)


@click.command("merge", cls=PairedCommand, short_help="Aggregate the reports of several seeds")
@click.argument("reports", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--output-dir", type=click.Path(path_type=Path), metavar="DIR", help="Folder for every format.")
@format_option
@output_option
@fail_under_option
@click.pass_context
def merge_command(
    ctx: click.Context,
    reports: Sequence[Path],
    output_dir: Path | None,
    formats: Sequence[str],  # noqa: ARG001 - read in order by `outputs_of`
    files: Sequence[str],  # noqa: ARG001
    fail_under: float | None,
) -> int:
    """Aggregate the reports of several seeds, with an interval.

    Exit code: 0 success, 1 below --fail-under, 2 usage, 3 an invalid run among them.
    """
    outputs = outputs_of(ctx, REPORT_SUFFIXES)
    merged = merge_reports([read_report(path) for path in reports])
    publish(merged, outputs)
    if output_dir is not None:
        publish_folder(merged, output_dir)
    return exit_code(merged, fail_under)
